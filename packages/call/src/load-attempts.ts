/** How often loading is tried, and how long each try and each pause last (docs/contracts/voice.md §2). */
export const LOAD_ATTEMPTS = { count: 3, pauseMs: 3000, timeoutMs: 20_000 } as const;

/** The outcome of loading. */
export type LoadOutcome = 'loaded' | 'cancelled' | { readonly failed: string };

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Tries `load` three times, three seconds apart, each with its own time-out.
 *
 * @param failed called for every failure, the last one too.
 * @param signal cancels loading; the outcome is then `cancelled`.
 */
export async function loadInAttempts(
  load: () => Promise<void>,
  failed: (message: string) => void,
  signal: AbortSignal,
): Promise<LoadOutcome> {
  let message = '';
  for (let attempt = 1; attempt <= LOAD_ATTEMPTS.count; attempt++) {
    const outcome = await attemptOnce(load, signal);
    if (signal.aborted) return 'cancelled';
    if (outcome === 'loaded') return outcome;
    message = outcome.failed;
    failed(message);
    if (attempt < LOAD_ATTEMPTS.count) await pause(LOAD_ATTEMPTS.pauseMs, signal);
    if (signal.aborted) return 'cancelled';
  }
  return { failed: message };
}

async function attemptOnce(
  load: () => Promise<void>,
  signal: AbortSignal,
): Promise<'loaded' | { failed: string }> {
  const ended = new AbortController();
  const timedOut = pause(LOAD_ATTEMPTS.timeoutMs, AbortSignal.any([signal, ended.signal])).then(() => ({
    failed: 'timed out',
  }));
  const done = load().then(
    () => 'loaded' as const,
    (error: unknown) => ({ failed: reason(error) }),
  );
  const outcome = await Promise.race([done, timedOut]);
  ended.abort();
  return outcome;
}

/** Resolves after `ms` milliseconds, or at once when `signal` fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
