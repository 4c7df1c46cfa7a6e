/** Slices of work that wait; empty whenever nothing is under way. */
const waiting: (() => void)[] = [];

/**
 * Resolves when the next slice of a piece of work may run. Each round of the event loop runs one, however many requests wait
 * for theirs, so that whatever came in meanwhile is answered between two of them. To be awaited before a slice of some
 * milliseconds: a large text that is parsed, some hundred rows that are written out.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(releaseSlice);
  });
}

function releaseSlice(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(releaseSlice);
}
