import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds after the start; by then its last work is done. */
const LATER_MS = 1500;

/**
 * Gives back the memory that only the start needed, some 25 MB: shapes, routes and migrations are read once. V8 keeps it
 * otherwise until the process has much to do. Nothing else runs meanwhile, about a tenth of a second.
 */
export function returnMemoryOfStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as NodeJS.GCFunction;
    setFlagsFromString('--no-expose-gc');
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }, LATER_MS).unref();
}
