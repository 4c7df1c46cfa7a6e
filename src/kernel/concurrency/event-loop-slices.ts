/** Slices of work that wait; empty whenever nothing is under way. */
const waiting: (() => void)[] = [];
/** Longest pause after a slice that others wait behind, milliseconds. */
const LONGEST_PAUSE_MS = 20;

/**
 * Resolves when the next slice of a piece of work may run. Each round of the event loop runs one, however many requests wait
 * for theirs, so that whatever came in meanwhile is answered between two of them; and while several wait, slices have at most half
 * of the time. To be awaited before a slice of some milliseconds: a large text that is parsed, some hundred rows that
 * are written out.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(releaseSlice);
  });
}

function releaseSlice(): void {
  const started = performance.now();
  waiting[0]?.();
  // The slice runs now, before anything else has its turn; then it is known how long it was.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length === 0) return;
    const pause = waiting.length === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, performance.now() - started);
    if (pause < 1) releaseSlice();
    else setTimeout(releaseSlice, pause);
  });
}
