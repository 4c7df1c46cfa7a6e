import { median } from './figure.ts';

const ROUNDS = 5;

/**
 * Measures several things in turns and returns the median of each, so that other load on the machine affects
 * all of them alike. A different one is first in each round.
 */
export async function interleave(
  measures: readonly (() => Promise<number>)[],
  rounds = ROUNDS,
): Promise<number[]> {
  const values = measures.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < measures.length; turn += 1) {
      const at = (turn + round) % measures.length;
      values[at]?.push((await measures[at]?.()) ?? Number.NaN);
    }
  }
  return values.map(median);
}
