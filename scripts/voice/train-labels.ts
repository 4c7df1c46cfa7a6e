import { type Labelled, momentsOf, solve } from './least-squares.ts';

const FOLDS = 5;
const RIDGES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1];

/** What was learned from labelled vectors. */
export interface LearnedLabels {
  /** For each label one weight for each number of a vector, and an intercept. */
  readonly rows: readonly Float32Array[];
  /** For each example a number for each label, from rows that were learned without the example's fold. */
  readonly unseen: readonly (readonly number[])[];
  readonly ridge: number;
  /** Share of the examples whose own label has the highest number, all unseen. */
  readonly right: number;
}

/**
 * The fold of each example: a run of one label's examples, because neighbours in the file have a similar
 * style.
 */
export function foldsOf(labels: readonly number[]): number[] {
  const sizes = new Map<number, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  const places = new Map<number, number>();
  return labels.map((label) => {
    const place = places.get(label) ?? 0;
    places.set(label, place + 1);
    return Math.floor((FOLDS * place) / (sizes.get(label) ?? 1));
  });
}

/**
 * Learns which vectors have which label; how strongly weights are kept small is chosen on folds not used for
 * learning.
 */
export function learnLabels(given: Labelled): LearnedLabels {
  const folds = foldsOf(given.labels);
  const moments = Array.from({ length: FOLDS }, (_, fold) => momentsOf(given, (at) => folds[at] === fold));
  const tried = RIDGES.map((ridge) => {
    const solved = moments.map(({ square, rights }) => solve(square, ridge, rights));
    const unseen = given.vectors.map((vector, at) => scoresIn(solved[folds[at] ?? 0] ?? [], vector));
    const right = unseen.filter((scores, at) => greatestIn(scores) === given.labels[at]).length;
    return { ridge, unseen, right: right / Math.max(1, given.labels.length) };
  });
  const [best] = tried.sort((one, other) => other.right - one.right);
  if (best === undefined) throw new Error('There is nothing to learn from.');
  const { square, rights } = momentsOf(given, () => false);
  return { ...best, rows: solve(square, best.ridge, rights).map((row) => Float32Array.from(row)) };
}

function scoresIn(rows: readonly Float64Array[], vector: ArrayLike<number>): number[] {
  return rows.map((row) => {
    let sum = row[vector.length] ?? 0;
    for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) * (row[at] ?? 0);
    return sum;
  });
}

const greatestIn = (numbers: readonly number[]): number => numbers.indexOf(Math.max(...numbers));
