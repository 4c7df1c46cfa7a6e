import { hash } from 'node:crypto';

/** What the measured work takes on an idle core of 2020 or later, milliseconds. */
const IDLE_MS = 40;
const MOST = 8;

/**
 * How many times slower than an idle machine this one is now: every time-out of the tests is multiplied by it, and
 * no test sets one of its own. `CI_SLOW=4` says it for a machine that only becomes slow later.
 */
export function measuredPatience(): number {
  const said = Number(process.env.CI_SLOW ?? 1) || 1;
  const started = performance.now();
  let text = '';
  for (let round = 0; round < 20_000; round += 1) text = hash('sha256', text);
  const measured = (performance.now() - started) / IDLE_MS;
  return Math.min(MOST, Math.max(1, said, measured));
}
