import { setTimeout as pause } from 'node:timers/promises';

/**
 * The result of `work`, where it comes within `ms` milliseconds; the work itself continues.
 *
 * @throws what `work` throws within that time, else `late`
 */
export async function inTime<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late()), ms);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Resolves when `work` has ended or after `ms` milliseconds, whichever comes first; the work itself continues.
 *
 * @throws what `work` throws within that time
 */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, pause(ms, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
