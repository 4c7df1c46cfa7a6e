import { packNumbers, product, readGenerated, readPacked, unpacked } from './packed-vectors.server.ts';

/** What `scripts/voice/train-understanding.ts` learned from examples. */
export interface TrainedWeights {
  /** For each label, in the order of the examples: a weight for each number of a vector, and a constant. */
  readonly rows: readonly Float32Array[];
  /** The weights of the features that give the chance of a label. */
  readonly weights: readonly number[];
  /** The chance from which a label is sure enough to be answered. */
  readonly told: number;
}

/**
 * Reads learned weights.
 *
 * @param digest of the examples
 * @throws Error where the file was learned from other examples, or contains something that is not a number
 */
export function readTrained(file: string, digest: string): TrainedWeights {
  const [weights = '', told = '', ...rows] = readGenerated(file, digest);
  const learned = {
    rows: rows.map((row) => unpacked(readPacked(row))),
    weights: weights.split(' ').map(Number),
    told: Number(told),
  };
  if (![...learned.weights, learned.told, ...learned.rows.flatMap((row) => [...row])].every(Number.isFinite))
    throw new Error(`${file} has values that are not numbers: node scripts/voice/train-understanding.ts`);
  return learned;
}

/** Learned weights in the form of their file. */
export const trainedText = (digest: string, { rows, weights, told }: TrainedWeights): string =>
  `${[
    digest,
    weights.map((one) => one.toPrecision(6)).join(' '),
    told,
    ...rows.map((row) => packNumbers(Float32Array.from(row))),
  ].join('\n')}\n`;

/** The scores of a vector: about 1 for its own label and 0 for others; 0 for a vector of another length. */
export function scoresOf(rows: readonly Float32Array[], vector: ArrayLike<number>): number[] {
  return rows.map((row) =>
    row.length === vector.length + 1 ? product(vector, row) + (row[vector.length] ?? 0) : 0,
  );
}

/** Chances that add up to one, from the features of each. */
export function chancesOf(features: readonly (readonly number[])[], weights: ArrayLike<number>): number[] {
  const sums = features.map((own) => product(own, weights));
  const greatest = Math.max(...sums);
  const parts = sums.map((sum) => Math.exp(sum - greatest));
  const all = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / all);
}
