/** Something that a test file opened and has to close. */
interface Closable {
  close(): Promise<unknown>;
}

const OPEN = Symbol.for('northline.open-things');
const store = globalThis as { [OPEN]?: Set<Closable> };

/** What is open in this worker, oldest first; the test files of a ring share the worker. */
export function openThings(): Set<Closable> {
  store[OPEN] ??= new Set();
  return store[OPEN];
}
