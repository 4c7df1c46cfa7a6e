import { type Labelled, momentsOf, solve } from './least-squares.ts';

const FOLDS = 5;
const RIDGES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1];

/** What was learned of labelled vectors. */
export interface LearnedLabels {
  /** For each label a weight for each number of a vector, and one that is added. */
  readonly rows: readonly Float32Array[];
  /** What rows that were learned without an example's fold say of it: for each example a number for each label. */
  readonly unseen: readonly (readonly number[])[];
  readonly ridge: number;
  /** Share of the examples whose own label has the greatest number, each unseen. */
  readonly right: number;
}

/** The fold of each example: a run of a label's examples, as neighbours in the file are said in one voice. */
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

/** Learns which vectors have which label; how much it holds back is chosen on folds that were not learned from. */
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
