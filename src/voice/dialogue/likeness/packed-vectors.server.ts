import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const MOST = 127;

/** The digest of the texts that a file of vectors or weights was made from. */
export const digestOf = (texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\n')).digest('hex');

/** Numbers as a line of text: the value of one step, and a byte for each number. */
export function packNumbers(numbers: Float32Array): string {
  const step = Math.max(...numbers.map(Math.abs)) / MOST || 1;
  const bytes = Int8Array.from(numbers, (one) => Math.round(one / step));
  return `${step.toPrecision(6)} ${Buffer.from(bytes.buffer).toString('base64')}`;
}

/** Such a line, ready for comparison: thousands are read at a first question, in some milliseconds. */
export interface PackedVector {
  readonly step: number;
  /** Steps of each number, -127 to 127. */
  readonly steps: Int8Array;
}

/** Reads a line of numbers; each is at most half a step off. */
export function readPacked(line: string): PackedVector {
  const [step = '', base64 = ''] = line.split(' ');
  const bytes = Buffer.from(base64, 'base64');
  return { step: Number(step), steps: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** The numbers of a line. */
export const unpacked = ({ step, steps }: PackedVector): Float32Array =>
  Float32Array.from(steps, (one) => one * step);

/** Scales a vector back to length one, which packing changes a little. */
export function ofLengthOne(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((one) => one / length);
}

/**
 * The lines of a generated file, whose first line is the digest of what it was made from.
 *
 * @throws Error where the digest differs
 */
export function readGenerated(file: string, digest: string): string[] {
  const [made, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  if (made !== digest)
    throw new Error(`${file} is of other examples: node scripts/voice/train-understanding.ts`);
  return lines;
}

/** Product of two vectors, which is their likeness where both are of length one. */
export function product(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
