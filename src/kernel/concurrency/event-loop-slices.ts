/** Slices of work that wait; empty whenever nothing is under way. */
const waiting: (() => void)[] = [];
/** A slice as short as this needs no pause behind it while only one piece of work has any. */
const SHORT_MS = 4;
/** Longest pause after a slice that others wait behind, milliseconds. */
const LONGEST_PAUSE_MS = 20;

/**
 * Resolves when the next slice of a piece of work may run. Each round of the event loop runs one, however many requests wait
 * for theirs, so that whatever came in meanwhile is answered between two of them; and while several wait, or where a slice was long,
 * slices have at most half of the time. To be awaited before a slice of some milliseconds: a large text that is parsed, some hundred rows that
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
    const spent = performance.now() - started;
    if (waiting.length === 1 && spent < SHORT_MS) releaseSlice();
    else setTimeout(releaseSlice, Math.min(LONGEST_PAUSE_MS, spent));
  });
}
