import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { toast } from 'react-hot-toast/headless';
import { LIMITS } from '../../contract/limits.ts';
import { MESSAGES } from '../../contract/messages.ts';
import { announce } from './announce.web.tsx';
import { uploads } from './upload-queue.web.ts';

/**
 * Says how uploads end (`spec/site.md §8`: a lack of credits for 6 s), asks for
 * the list again, and keeps the page from being closed in the middle of one.
 */
export function useUploadReports(): void {
  const queries = useQueryClient();
  useEffect(() => {
    uploads.listener = {
      uploaded() {
        toast.success(MESSAGES.upload.done);
        for (const key of ['files', 'customer']) void queries.invalidateQueries({ queryKey: [key] });
      },
      failed(_file, error) {
        toast.error(error.message, error.outOfCredit ? { duration: LIMITS.creditErrorToast } : {});
        void queries.invalidateQueries({ queryKey: ['customer'] });
      },
    };
  }, [queries]);
  useCloseWarning();
  useSpokenProgress();
}

function useCloseWarning(): void {
  const items = useSyncExternalStore(uploads.watch, uploads.items, uploads.items);
  const busy = items.some((item) => item.state === 'sending' || item.state === 'waiting');
  useEffect(() => {
    if (!busy) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [busy]);
}

/** Half-way marks only: a screen reader is not told every percent. */
function useSpokenProgress(): void {
  useEffect(() => {
    const told = new Map<number, number>();
    return uploads.watch(() => {
      for (const { id, file, state, sentBytes } of uploads.items()) {
        if (state !== 'sending') continue;
        const mark = sentBytes >= file.size ? 100 : sentBytes * 2 >= file.size ? 50 : 0;
        if (told.get(id) === mark) continue;
        told.set(id, mark);
        announce(`${file.name}: ${mark}% uploaded`);
      }
    });
  }, []);
}
