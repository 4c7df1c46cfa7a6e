import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { toast } from 'react-hot-toast/headless';
import { LIMITS } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { announce } from '../list/announcer.web.tsx';
import { analyzeArrived } from './arrival-analysis.web.tsx';
import { type QueuedUpload, uploads } from './upload-queue.web.ts';

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
        const duration = error.kind === 'outOfCredit' ? { duration: LIMITS.creditErrorToast } : {};
        toast.error(error.message, { id: error.message, ...duration });
        void queries.invalidateQueries({ queryKey: ['customer'] });
      },
      ended() {
        for (const key of ['unfinished', 'customer']) void queries.invalidateQueries({ queryKey: [key] });
      },
    };
  }, [queries]);
  useCloseWarning();
  useResumption();
  useSpokenProgress();
}

function isUnderWay({ state }: QueuedUpload): boolean {
  return state !== 'failed';
}

function useResumption(): void {
  useEffect(() => {
    const ends = new AbortController();
    const { signal } = ends;
    addEventListener('offline', () => uploads.pause(), { signal });
    addEventListener('online', () => uploads.resume(), { signal });
    // The connection may have come back while another tab of the dashboard was open.
    if (navigator.onLine) uploads.resume();
    return () => ends.abort();
  }, []);
}

function useCloseWarning(): void {
  const items = useSyncExternalStore(uploads.watch, uploads.items, uploads.items);
  const busy = items.some(isUnderWay);
  useEffect(() => {
    if (!busy) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [busy]);
}

/** Only some marks on the way, so that a screen reader does not read every per cent. */
function useSpokenProgress(): void {
  useEffect(() => {
    const announced = new Map<number, number>();
    const announceProgress = ({ id, file, sentBytes }: QueuedUpload): void => {
      const mark = halfWayMark(sentBytes / file.size);
      if (announced.get(id) === mark) return;
      announced.set(id, mark);
      announce(`${file.name}: ${mark}% uploaded`);
    };
    return uploads.watch(() => {
      uploads
        .items()
        .filter(({ state }) => state === 'sending')
        .forEach(announceProgress);
    });
  }, []);
}

function halfWayMark(share: number): 0 | 50 | 100 {
  if (share >= 1) return 100;
  return share >= 0.5 ? 50 : 0;
}
