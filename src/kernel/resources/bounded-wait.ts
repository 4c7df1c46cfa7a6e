import { setTimeout as pause } from 'node:timers/promises';

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
