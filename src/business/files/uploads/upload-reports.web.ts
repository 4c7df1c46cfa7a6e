import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { toast } from 'react-hot-toast/headless';
import { LIMITS } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { announce } from '../list/announcer.web.tsx';
import { analyzeArrived } from './arrival-analysis.web.tsx';
import { type QueuedUpload, type UploadQueue, uploads } from './upload-queue.web.ts';

/**
 * Announces how uploads end (docs/specification/site.md §8: a lack of credits for 6 s), reads the list again,
 * and asks before the page is closed during an upload.
 */
export function useUploadReports(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const analyzed = async (storedPath: string): Promise<void> => {
      try {
        if (!(await analyzeArrived(storedPath))) return;
        toast.success(MESSAGES.analysis.started, { id: 'arrived' });
      } catch (error) {
        const { message } = error as Error;
        toast.error(message, { id: message });
      }
      void queries.invalidateQueries({ queryKey: ['files'] });
    };
    let uploaded = 0;
    uploads.listener = {
      uploaded(_file, storedPath) {
        uploaded += 1;
        // One message for a batch, with a rising count.
        const words = uploaded === 1 ? MESSAGES.upload.done : MESSAGES.upload.doneMany(uploaded);
        toast.success(words, { id: 'uploads' });
        if (!uploads.items().some(isUnderWay)) uploaded = 0;
        for (const key of ['files', 'customer', 'unfinished'])
          void queries.invalidateQueries({ queryKey: [key] });
        void analyzed(storedPath);
      },
      failed(_file, error) {
        // Files that fail for the same reason share one message; each row also has its own.
        const duration = error.kind === 'needsPlan' ? { duration: LIMITS.creditErrorToast } : {};
        toast.error(error.message, { id: error.message, ...duration });
        void queries.invalidateQueries({ queryKey: ['customer'] });
      },
      ended() {
        for (const key of ['unfinished', 'customer']) void queries.invalidateQueries({ queryKey: [key] });
      },
    };
  }, [queries]);
  useUploadsKept(uploads);
}

/**
 * Continues uploads when the connection is back, asks before the page is closed during one, and announces how far
 * they are.
 */
export function useUploadsKept(queue: UploadQueue): void {
  useCloseWarning(queue);
  useResumption(queue);
  useSpokenProgress(queue);
}

function isUnderWay({ state }: QueuedUpload): boolean {
  return state !== 'failed';
}

function useResumption(queue: UploadQueue): void {
  useEffect(() => {
    const ends = new AbortController();
    const { signal } = ends;
    addEventListener('offline', () => queue.pauseAll(), { signal });
    addEventListener('online', () => queue.resumeAll(), { signal });
    // The connection may have come back while another tab of the dashboard was open.
    if (navigator.onLine) queue.resumeAll();
    return () => ends.abort();
  }, [queue]);
}

function useCloseWarning(queue: UploadQueue): void {
  const items = useSyncExternalStore(queue.watch, queue.items, queue.items);
  const busy = items.some(isUnderWay);
  useEffect(() => {
    if (!busy) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [busy]);
}

/** Only some marks on the way, so that a screen reader does not read every per cent. */
function useSpokenProgress(queue: UploadQueue): void {
  useEffect(() => {
    const announced = new Map<number, number>();
    const announceProgress = ({ id, file, sentBytes }: QueuedUpload): void => {
      const mark = halfWayMark(sentBytes / file.size);
      if (announced.get(id) === mark) return;
      announced.set(id, mark);
      announce(`${file.name}: ${mark}% uploaded`);
    };
    return queue.watch(() => {
      queue
        .items()
        .filter(({ state }) => state === 'sending')
        .forEach(announceProgress);
    });
  }, [queue]);
}

function halfWayMark(share: number): 0 | 50 | 100 {
  if (share >= 1) return 100;
  return share >= 0.5 ? 50 : 0;
}
