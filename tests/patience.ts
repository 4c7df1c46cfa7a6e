import { hash } from 'node:crypto';

/** Processor time of one round of the measured work on a core of 2020, milliseconds. */
const ROUND_MS = 0.002;
/** Processor time to measure: several turns of the scheduler, so that other load is noticed. */
const MEASURED_MS = 150;
const MOST = 8;
/** A machine that is idle when a run begins may be shared a minute later; patience costs only tests that fail. */
const LEAST = 5;

/**
 * How many times slower than an idle machine this one is now. Every time-out of the tests is multiplied by
 * it, and no test sets one of its own. `CI_SLOW=4` sets it for a machine that only becomes slow later.
 *
 * A slow core needs more processor time for the work; a busy machine needs more time than processor time. The
 * latter counts twice, because the run itself has more processes than the machine has cores.
 */
export function measuredPatience(): number {
  const said = Number(process.env.CI_SLOW ?? 1) || 1;
  const started = performance.now();
  const before = process.cpuUsage();
  let text = '';
  let rounds = 0;
  let used = 0;
  while (used < MEASURED_MS) {
    for (let round = 0; round < 1000; round += 1) text = hash('sha256', text);
    rounds += 1000;
    const { user, system } = process.cpuUsage(before);
    used = (user + system) / 1000;
  }
  const slowness = Math.max(1, used / rounds / ROUND_MS);
  const load = Math.max(1, (performance.now() - started) / used);
  return Math.min(MOST, Math.max(LEAST, said, slowness * load ** 2));
}
