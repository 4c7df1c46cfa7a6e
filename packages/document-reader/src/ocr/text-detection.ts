import type { InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import { type Box, cornersOf, type Point, smallestRectangle } from './box-geometry.ts';
import { type Picture, resize, type Size } from './picture.ts';

/** Creates a tensor of 32-bit floats. */
export type MakeTensor = (data: Float32Array, shape: readonly number[]) => Tensor;

/** Pixels of the detector's input: about 88 dpi of an A4 page. Its memory grows with them, 260 MB for a million. */
const DETECT_PIXELS = 860 * 860;
/** Number of strips in which a drawn page is looked at, as the memory is never given back. */
const STRIPS = 4;
/** Grey levels by which the pixels of a row of even paper differ. */
const EVEN = 6;
const MULTIPLE = 32;
/** Mean and deviation of the colours (blue, green, red) that the model was trained with. */
const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;
/** Post-processing of PP-OCR's detector (DB): pixels above `PIXEL` and boxes above `BOX` are text. */
const PIXEL = 0.3;
const BOX = 0.6;
/** How far a shrunken region is enlarged again: area × ratio ÷ perimeter. */
const GROW = 1.5;
const LEAST_SIDE = 3;
const MAX_BOXES = 3000;

/**
 * Finds the lines of text with PP-OCRv4's detector.
 *
 * @returns boxes in pixels of the picture, in no order
 */
export async function detectText(
  session: InferenceSession,
  makeTensor: MakeTensor,
  picture: Picture,
): Promise<Box[]> {
  const scale = Math.min(1, Math.sqrt(DETECT_PIXELS / (picture.width * picture.height)));
  const boxes: Box[] = [];
  for (const { top, strip } of stripsOf(picture)) {
    const move = ([x, y]: Point): Point => [x, y + top];
    for (const [a, b, c, d] of await detectAt(scale, session, makeTensor, strip))
      boxes.push([move(a), move(b), move(c), move(d)]);
  }
  return boxes;
}

/** A drawn page in strips that are cut where its paper is even, so that no line is cut; other pictures whole. */
function stripsOf(picture: Picture): { readonly top: number; readonly strip: Picture }[] {
  const { width, height, data } = picture;
  const isEven = (row: number): boolean => {
    const pixels = data.subarray(row * width, (row + 1) * width);
    const first = pixels[0] ?? 0;
    return pixels.every((grey) => Math.abs(grey - first) <= EVEN);
  };
  const cuts = [0];
  for (let number = 1; picture.isDrawn && number < STRIPS; number += 1) {
    const wanted = Math.round((number * height) / STRIPS);
    const most = height / STRIPS / 2;
    for (let away = 0; away < most; away += 1) {
      const row = isEven(wanted - away) ? wanted - away : isEven(wanted + away) ? wanted + away : undefined;
      if (row === undefined) continue;
      cuts.push(row);
      break;
    }
  }
  return cuts.map((top, index) => {
    const bottom = cuts[index + 1] ?? height;
    return { top, strip: { width, height: bottom - top, data: data.subarray(top * width, bottom * width) } };
  });
}

async function detectAt(
  scale: number,
  session: InferenceSession,
  makeTensor: MakeTensor,
  picture: Picture,
): Promise<Box[]> {
  const side = (length: number): number =>
    Math.max(MULTIPLE, Math.round((length * scale) / MULTIPLE) * MULTIPLE);
  const size = { width: side(picture.width), height: side(picture.height) };
  const input = makeTensor(asInput(resize(picture, size)), [1, 3, size.height, size.width]);
  const outputs = await session.run({ [session.inputNames[0] ?? 'x']: input });
  const output = outputs[session.outputNames[0] ?? ''];
  const likelihood = (await output?.getData()) as Float32Array;
  const boxes = boxesOf(likelihood, size);
  output?.dispose();
  input.dispose();
  const [across, down] = [picture.width / size.width, picture.height / size.height];
  const inside = ([x, y]: Point): Point => [
    Math.max(0, Math.min(picture.width - 1, x * across)),
    Math.max(0, Math.min(picture.height - 1, y * down)),
  ];
  return boxes.map(([a, b, c, d]) => [inside(a), inside(b), inside(c), inside(d)] as const);
}

function asInput({ data }: Picture): Float32Array {
  const input = new Float32Array(data.length * 3);
  for (const [channel, mean] of MEAN.entries()) {
    const deviation = DEVIATION[channel] ?? 1;
    const byGrey = Float32Array.from({ length: 256 }, (_, grey) => (grey / 255 - mean) / deviation);
    const from = channel * data.length;
    for (let at = 0; at < data.length; at += 1) input[from + at] = byGrey[data[at] ?? 0] ?? 0;
  }
  return input;
}

/** Connected regions of likely text: the smallest rectangle around each, enlarged again. */
function boxesOf(likelihood: Float32Array, size: Size): Box[] {
  const seen = new Uint8Array(likelihood.length);
  const boxes: Box[] = [];
  for (let start = 0; start < likelihood.length && boxes.length < MAX_BOXES; start += 1) {
    if (seen[start] === 1 || (likelihood[start] ?? 0) <= PIXEL) continue;
    const rectangle = smallestRectangle(edgesFrom(start, likelihood, size, seen));
    if (rectangle === undefined || Math.min(rectangle.width, rectangle.height) < LEAST_SIDE) continue;
    if (meanInside(likelihood, size, cornersOf(rectangle)) < BOX) continue;
    const { width, height } = rectangle;
    boxes.push(cornersOf(rectangle, (width * height * GROW) / (2 * (width + height))));
  }
  return boxes;
}

/** The leftmost and rightmost pixel of every row in the region of `start`, whose pixels are marked as seen. */
function edgesFrom(start: number, likelihood: Float32Array, size: Size, seen: Uint8Array): Point[] {
  const rows = new Map<number, [number, number]>();
  const stack = [start];
  seen[start] = 1;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const y = (at / size.width) | 0;
    const x = at - y * size.width;
    const edges = rows.get(y);
    if (edges === undefined) rows.set(y, [x, x]);
    else if (x < edges[0]) edges[0] = x;
    else if (x > edges[1]) edges[1] = x;
    // Row by row: the pixels above, beside and below.
    for (let row = Math.max(0, y - 1); row <= y + 1 && row < size.height; row += 1)
      takeUnseen(row * size.width, x, { likelihood, size, seen, stack });
  }
  return [...rows].flatMap(([y, [left, right]]): Point[] => [
    [left, y],
    [right, y],
  ]);
}

interface Region {
  readonly likelihood: Float32Array;
  readonly size: Size;
  readonly seen: Uint8Array;
  readonly stack: number[];
}

/** Pushes the likely, unseen pixels around `x` in a row onto the stack. */
function takeUnseen(row: number, x: number, { likelihood, size, seen, stack }: Region): void {
  const last = Math.min(size.width - 1, x + 1);
  for (let next = row + Math.max(0, x - 1); next <= row + last; next += 1) {
    if (seen[next] === 1 || (likelihood[next] ?? 0) <= PIXEL) continue;
    seen[next] = 1;
    stack.push(next);
  }
}

function meanInside(likelihood: Float32Array, size: Size, corners: Box): number {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const right = Math.min(size.width - 1, Math.ceil(Math.max(...xs)));
  const bottom = Math.min(size.height - 1, Math.ceil(Math.max(...ys)));
  let sum = 0;
  let count = 0;
  for (let y = Math.max(0, Math.floor(Math.min(...ys))); y <= bottom; y += 1) {
    for (let x = Math.max(0, Math.floor(Math.min(...xs))); x <= right; x += 1) {
      if (!isInside(corners, x, y)) continue;
      sum += likelihood[y * size.width + x] ?? 0;
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}

function isInside(corners: Box, x: number, y: number): boolean {
  return corners.every(([fromX, fromY], index) => {
    const [toX, toY] = corners[(index + 1) % 4] ?? corners[0];
    return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX) >= -1e-6;
  });
}
