const RESAMPLINGS = 2000;
/** Two-sided, so that a run of eight comparisons is wrong once in a hundred runs. */
const CONFIDENCE = 0.998;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function resampled(values: readonly number[]): number[] {
  return values.map(() => values[Math.floor(Math.random() * values.length)] ?? 0);
}

/**
 * The difference of two samples' medians as a part of their common median, and how far chance
 * may have moved it: half of the bootstrap's confidence interval (Efron 1979), which needs no
 * shape of the distribution.
 */
export function medianDifference(
  left: readonly number[],
  right: readonly number[],
): { difference: number; uncertainty: number; median: number } {
  const common = median([...left, ...right]);
  const differences = Array.from(
    { length: RESAMPLINGS },
    () => (median(resampled(left)) - median(resampled(right))) / common,
  ).sort((a, b) => a - b);
  const tail = Math.floor(((1 - CONFIDENCE) / 2) * RESAMPLINGS);
  const [low = 0, high = 0] = [differences[tail], differences[RESAMPLINGS - 1 - tail]];
  return {
    difference: (median(left) - median(right)) / common,
    uncertainty: (high - low) / 2,
    median: common,
  };
}
