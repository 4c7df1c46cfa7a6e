import type { InferenceSession } from 'onnxruntime-web/wasm';
import { type Box, type Point, sidesOf } from './box-geometry.ts';
import type { Turn } from './page-straightening.ts';
import { type Picture, resize, sampleAt } from './picture.ts';
import type { MakeTensor } from './text-detection.ts';

/** Height of the lines that the recogniser reads, pixels. */
const LINE_HEIGHT = 48;
const MAX_WIDTH = 3200;
/** White margin that the page reader needs around a line, pixels; it takes print at the edge for a frame. */
export const LINE_MARGIN = 8;

/** A line as the recogniser read it. */
export interface RecognisedLine {
  readonly text: string;
  /** Mean probability of the characters, 0 to 1. */
  readonly score: number;
  /** The place of each character along the line, 0 to 1. */
  readonly places: readonly number[];
}

/** Height over width from which a box on an upright page is text that runs down, not a single figure. */
const COLUMN = 3;

/** Cuts a line out of a picture of a turned page, upright and 48 pixels high. */
export function cutLine(picture: Picture, box: Box, turn: Turn): Picture {
  const corners = firstCornerFirst(box, turn);
  const { width, height } = sidesOf(corners);
  const wanted = Math.round(((width / Math.max(1, height)) * LINE_HEIGHT) / 8) * 8;
  const length = Math.min(MAX_WIDTH, Math.max(32, wanted));
  // Larger print is cut at its own size and then reduced, so that every pixel counts.
  const times = Math.max(1, Math.min(8, Math.round(height / LINE_HEIGHT)));
  return resize(cut(picture, corners, length * times, LINE_HEIGHT * times), {
    width: length,
    height: LINE_HEIGHT,
  });
}

/** The corners in the order of somebody who reads the line. */
function firstCornerFirst(box: Box, turn: Turn): Box {
  const [a, b, c, d] = box;
  const { width, height } = sidesOf(box);
  const sideways = turn % 180 === 0 ? height > COLUMN * width : width <= COLUMN * height;
  const turned: Box = sideways ? [b, c, d, a] : box;
  const [topLeft, topRight, bottomRight, bottomLeft] = turned;
  return turn >= 180 ? [bottomRight, bottomLeft, topLeft, topRight] : turned;
}

function cut(picture: Picture, corners: Box, width: number, height: number): Picture {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const [leftX, leftY] = between(corners[0], corners[3], (y + 0.5) / height);
    const [rightX, rightY] = between(corners[1], corners[2], (y + 0.5) / height);
    for (let x = 0; x < width; x += 1) {
      const share = (x + 0.5) / width;
      const fromX = leftX + (rightX - leftX) * share;
      const fromY = leftY + (rightY - leftY) * share;
      data[y * width + x] = sampleAt(picture, fromX - 0.5, fromY - 0.5);
    }
  }
  return { width, height, data };
}

function between(a: Point, b: Point, share: number): Point {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
}

/**
 * Reads lines with PP-OCRv4's recogniser: Latin letters without accents, digits, signs, Chinese.
 *
 * @param alphabet characters by the model's classes; the first is CTC's blank
 * @returns one reading for each line, in the same order
 */
export async function recogniseLines(
  session: InferenceSession,
  makeTensor: MakeTensor,
  alphabet: readonly string[],
  lines: readonly Picture[],
): Promise<RecognisedLine[]> {
  const read: RecognisedLine[] = [];
  // One line at a time: batches need more memory, and on one thread their padding makes them slower.
  for (const line of lines) {
    const input = makeTensor(asInput(line), [1, 3, LINE_HEIGHT, line.width]);
    const outputs = await session.run({ [session.inputNames[0] ?? 'x']: input });
    const output = outputs[session.outputNames[0] ?? ''];
    const [, steps = 0, classes = 1] = output?.dims ?? [];
    read.push(decode((await output?.getData()) as Float32Array, { steps, classes }, alphabet));
    output?.dispose();
    input.dispose();
  }
  return read;
}

function asInput({ data }: Picture): Float32Array {
  const input = new Float32Array(data.length * 3);
  for (let at = 0; at < data.length; at += 1) input[at] = (data[at] ?? 0) / 127.5 - 1;
  input.copyWithin(data.length, 0, data.length);
  input.copyWithin(2 * data.length, 0, data.length);
  return input;
}

/** Greedy CTC: takes the most likely class of each step, and drops repeats and blanks. */
function decode(
  likelihood: Float32Array,
  { steps, classes }: { steps: number; classes: number },
  alphabet: readonly string[],
): RecognisedLine {
  let text = '';
  let sum = 0;
  let last = 0;
  const places: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    let best = 0;
    for (let index = 1, at = step * classes; index < classes; index += 1) {
      if ((likelihood[at + index] ?? 0) > (likelihood[at + best] ?? 0)) best = index;
    }
    if (best !== 0 && best !== last) {
      text += alphabet[best] ?? '';
      sum += likelihood[step * classes + best] ?? 0;
      places.push((step + 0.5) / steps);
    }
    last = best;
  }
  return { text, score: places.length === 0 ? 0 : sum / places.length, places };
}
