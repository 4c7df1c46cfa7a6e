import { chancesOf } from '../../src/voice/dialogue/likeness/trained-weights.server.ts';

/** A symmetric matrix of this size, row by row. */
export interface Square {
  readonly side: number;
  readonly cells: Float64Array;
}

/**
 * Solves `(square + ridge on the diagonal) x = right` by the Cholesky decomposition.
 *
 * @param rights several right sides; returns their solutions
 * @throws Error when the matrix is not positive definite
 */
export function solve(
  { side, cells }: Square,
  ridge: number,
  rights: readonly Float64Array[],
): Float64Array[] {
  const factor = factorOf({ side, cells }, ridge);
  return rights.map((right) => {
    const found = Float64Array.from(right);
    for (let row = 0; row < side; row++) {
      let sum = at(found, row);
      for (let place = 0; place < row; place++) sum -= at(factor, row * side + place) * at(found, place);
      found[row] = sum / at(factor, row * side + row);
    }
    for (let row = side - 1; row >= 0; row--) {
      let sum = at(found, row);
      for (let place = row + 1; place < side; place++)
        sum -= at(factor, place * side + row) * at(found, place);
      found[row] = sum / at(factor, row * side + row);
    }
    return found;
  });
}

function factorOf({ side, cells }: Square, ridge: number): Float64Array {
  const factor = new Float64Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < row; column++)
      factor[row * side + column] =
        (at(cells, row * side + column) - overlap(factor, side, row, column)) /
        at(factor, column * side + column);
    const left = at(cells, row * side + row) + ridge - overlap(factor, side, row, row);
    if (!(left > 0)) throw new Error('The matrix is not positive definite.');
    factor[row * side + row] = Math.sqrt(left);
  }
  return factor;
}

/** Product of two rows of a factor, up to the length of the second. */
function overlap(factor: Float64Array, side: number, row: number, column: number): number {
  let sum = 0;
  for (let place = 0; place < column; place++)
    sum += at(factor, row * side + place) * at(factor, column * side + place);
  return sum;
}

/** A cell that exists. */
const at = (cells: Float64Array, place: number): number => cells[place] ?? 0;

function add(cells: Float64Array | undefined, place: number, value: number): void {
  if (cells !== undefined) cells[place] = at(cells, place) + value;
}

/** Vectors, and the index of each one's label. */
export interface Labelled {
  readonly vectors: readonly ArrayLike<number>[];
  readonly labels: readonly number[];
  /** The number of labels. */
  readonly count: number;
}

/**
 * The sums over vectors that least squares need: each label has the same weight, however many examples it
 * has.
 */
export interface Moments {
  readonly square: Square;
  readonly rights: readonly Float64Array[];
}

/** @param leftOut examples that are not learned from */
export function momentsOf(
  { vectors, labels, count }: Labelled,
  leftOut: (place: number) => boolean,
): Moments {
  const side = (vectors[0]?.length ?? 0) + 1;
  const cells = new Float64Array(side * side);
  const rights = Array.from({ length: count }, () => new Float64Array(side));
  const used = [...labels.entries()].filter(([place]) => !leftOut(place));
  const sizes = new Float64Array(count);
  for (const [, label] of used) add(sizes, label, 1);
  for (const [place, label] of used) {
    // One more number, always one, whose weight is the intercept.
    const vector = Float64Array.from({ length: side }, (_, column) => vectors[place]?.[column] ?? 1);
    const weighed = vector.map((one) => one / at(sizes, label));
    for (let row = 0; row < side; row++) add(rights[label], row, at(weighed, row));
    addProduct(cells, weighed, vector);
  }
  return { square: { side, cells: mirrored(cells, side) }, rights };
}

/** Adds the products of two vectors' numbers, on and below the diagonal. */
function addProduct(cells: Float64Array, one: Float64Array, other: Float64Array): void {
  const side = one.length;
  for (let row = 0; row < side; row++)
    for (let column = 0; column <= row; column++)
      add(cells, row * side + column, at(one, row) * at(other, column));
}

function mirrored(cells: Float64Array, side: number): Float64Array {
  for (let row = 0; row < side; row++)
    for (let column = row + 1; column < side; column++)
      cells[row * side + column] = cells[column * side + row] ?? 0;
  return cells;
}

/** A choice among candidates: the features of each, and which one was right. */
export interface Choice {
  readonly features: readonly (readonly number[])[];
  readonly right: number;
}

const ROUNDS = 40;
/** Keeps weights small for which the examples give no evidence. */
const HELD_BACK = 0.01;
const LONGEST_STEP = 4;

/** The weights of features that make the right candidates most likely, by Newton's method. */
export function fitChoices(choices: readonly Choice[]): number[] {
  const side = choices[0]?.features[0]?.length ?? 0;
  const weights = new Float64Array(side);
  for (let round = 0; round < ROUNDS; round++) {
    const { slope, curve } = slopeAt(choices, weights);
    const [step = new Float64Array(side)] = solve({ side, cells: curve }, HELD_BACK, [slope]);
    const length = Math.hypot(...step);
    const scale = length > LONGEST_STEP ? LONGEST_STEP / length : 1;
    for (let place = 0; place < side; place++) add(weights, place, scale * at(step, place));
    if (length < 1e-6) break;
  }
  return [...weights];
}

function slopeAt(
  choices: readonly Choice[],
  weights: Float64Array,
): { slope: Float64Array; curve: Float64Array } {
  const side = weights.length;
  const slope = weights.map((one) => -HELD_BACK * one);
  const curve = new Float64Array(side * side);
  for (const { features, right } of choices) {
    const chances = chancesOf(features, weights);
    const mean = weights.map((_, place) =>
      features.reduce((sum, own, which) => sum + (chances[which] ?? 0) * (own[place] ?? 0), 0),
    );
    for (let place = 0; place < side; place++)
      add(slope, place, (features[right]?.[place] ?? 0) - at(mean, place));
    for (const [which, own] of features.entries()) {
      const away = mean.map((one, place) => (own[place] ?? 0) - one);
      addProduct(
        curve,
        away.map((one) => one * (chances[which] ?? 0)),
        away,
      );
    }
  }
  return { slope, curve: mirrored(curve, side) };
}
