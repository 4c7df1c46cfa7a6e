const RESAMPLINGS = 2000;
/** Two-sided, so that a run of eight comparisons is wrong once in a hundred runs. */
const CONFIDENCE = 0.998;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * The median difference of pairs that were measured directly after each other, as a share of the common
 * median, and its uncertainty: half of the bootstrap's confidence interval (Efron 1979), which assumes no
 * distribution. Other load on the machine affects both parts of a pair alike.
 */
export function medianDifference(pairs: readonly (readonly [left: number, right: number])[]): {
  difference: number;
  uncertainty: number;
  median: number;
} {
  const common = median(pairs.flat());
  const differences = pairs.map(([left, right]) => (left - right) / common);
  const resampled = () =>
    differences.map(() => differences[Math.floor(Math.random() * differences.length)] ?? 0);
  const medians = Array.from({ length: RESAMPLINGS }, () => median(resampled())).sort((a, b) => a - b);
  const tail = Math.floor(((1 - CONFIDENCE) / 2) * RESAMPLINGS);
  const [low = 0, high = 0] = [medians[tail], medians[RESAMPLINGS - 1 - tail]];
  return { difference: median(differences), uncertainty: (high - low) / 2, median: common };
}
