/** Slices that wait for their turn; empty while no work is under way. */
const waiting: (() => void)[] = [];
/**
 * After a slice shorter than this, the next one follows without a pause, as long as only one piece of work
 * has slices.
 */
const SHORT_MS = 4;
/** Longest pause between two slices, in milliseconds. */
const LONGEST_PAUSE_MS = 20;

/**
 * Resolves when the next slice of a piece of work may run. Await it before each slice that takes some
 * milliseconds, such as parsing a large text or writing out some hundred rows. Each round of the event loop
 * runs one slice, however many requests have slices waiting, so the server answers other requests in between.
 * When several slices wait, or when one took long, slices get at most half of the time.
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
  // The slice runs first. By the time this callback runs, we know how long the slice took.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length === 0) return;
    const spent = performance.now() - started;
    if (waiting.length === 1 && spent < SHORT_MS) releaseSlice();
    else setTimeout(releaseSlice, Math.min(LONGEST_PAUSE_MS, spent));
  });
}
