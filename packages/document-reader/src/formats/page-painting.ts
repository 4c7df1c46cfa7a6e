import { OPS, type PDFPageProxy, Util } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { blankPicture, greyOf, type Picture, readingSize, sampleAt } from '../ocr/picture.ts';

/** A page's pictures painted onto white paper, as the page is shown. */
export interface PaintedPage {
  /** Undefined if the page shows no picture. */
  readonly picture: Picture | undefined;
  /** Share of the page that pictures cover, 0 to 1; overlaps count twice. */
  readonly covered: number;
  /** How many numbers the page's lines and shapes have. A letter that is drawn as a shape has some tens. */
  readonly outlines: number;
  /** Number of pictures that were too large to read. */
  readonly leftOut: number;
}

type Matrix = readonly [number, number, number, number, number, number];

/** A picture from pdf.js; `kind` is 1 (one bit for each pixel), 2 (RGB) or 3 (RGBA). */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data?: Uint8Array | Uint8ClampedArray | string;
}

/** A picture and its place: the matrix maps the unit square to the page. */
interface Placed {
  readonly pixels: Pixels;
  readonly matrix: Matrix;
  /** The grey of a mask's ink; undefined for other pictures. */
  readonly ink: number | undefined;
}

const OBJECT_MS = 30_000;
const MAX_PICTURES = 4000;

/**
 * Paints the pictures of a page by their matrices, without a canvas. A scan that was cut into strips becomes whole, and a
 * background with a layer of print becomes one picture.
 *
 * @throws Error if pdf.js cannot read the page's operators
 */
export async function paintPage(page: PDFPageProxy): Promise<PaintedPage> {
  const { result: operators, leftOut } = await listeningForGiants(() => page.getOperatorList());
  const view = page.getViewport({ scale: 1 });
  const { placed, outlines } = await collect(page, operators, view.transform as unknown as Matrix);
  if (placed.length === 0) return { picture: undefined, covered: 0, outlines, leftOut };
  const areaOf = ({ matrix: [a, b, c, d] }: Placed): number => Math.abs(a * d - b * c);
  const paper = view.width * view.height;
  // The paper is as fine as the finest picture that covers a good part of it.
  const large = placed.filter((image) => areaOf(image) > 0.005 * paper);
  const finest = Math.max(
    1,
    ...(large.length > 0 ? large : placed).map((image) =>
      Math.sqrt((image.pixels.width * image.pixels.height) / Math.max(1e-6, areaOf(image))),
    ),
  );
  const size = readingSize({
    width: Math.max(1, Math.round(view.width * finest)),
    height: Math.max(1, Math.round(view.height * finest)),
  });
  const picture = blankPicture(size.width, size.height);
  const scale = size.width / view.width;
  for (const image of placed) paint(picture, image, scale);
  const covered = placed.reduce((sum, image) => sum + areaOf(image), 0) / paper;
  return { picture, covered, outlines, leftOut };
}

/** Counts the pictures over the limit of pdf.js, which reports them only in a warning. */
async function listeningForGiants<T>(work: () => Promise<T>): Promise<{ result: T; leftOut: number }> {
  const { warn, log } = console;
  let leftOut = 0;
  const listen = (text: unknown): void => {
    if (/exceeded maximum allowed size/i.test(String(text))) leftOut += 1;
  };
  Object.assign(console, { warn: listen, log: listen });
  try {
    return { result: await work(), leftOut };
  } finally {
    Object.assign(console, { warn, log });
  }
}

interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

interface State {
  readonly matrix: Matrix;
  readonly ink: number;
}

/** The size of a path, the argument of an operator that draws one. */
function sizeOfPath(args: unknown): number {
  const [, paths] = args as [number, (ArrayLike<number> | null)[] | undefined];
  return paths?.[0]?.length ?? 1;
}

/** Follows the page's matrices and collects every picture with the matrix that places it. */
async function collect(
  page: PDFPageProxy,
  { fnArray, argsArray }: Operators,
  base: Matrix,
): Promise<{ placed: Placed[]; outlines: number }> {
  const placed: Placed[] = [];
  const stack: State[] = [];
  let state: State = { matrix: base, ink: 0 };
  let outlines = 0;
  for (const [index, operator] of fnArray.entries()) {
    const args = (argsArray[index] ?? []) as unknown[];
    state = follow(operator, args, state, stack);
    if (operator === OPS.constructPath) outlines += sizeOfPath(args);
    if (operator === OPS.shadingFill) outlines += 1;
    if (placed.length < MAX_PICTURES) placed.push(...(await picturesOf(page, operator, args, state)));
  }
  return { placed, outlines };
}

/** The state after an operator; `stack` holds the saved states. */
function follow(operator: number, args: readonly unknown[], state: State, stack: State[]): State {
  switch (operator) {
    case OPS.save:
      stack.push(state);
      return state;
    case OPS.paintFormXObjectBegin:
      stack.push(state);
      return Array.isArray(args[0]) ? { ...state, matrix: times(state.matrix, args[0]) } : state;
    case OPS.restore:
    case OPS.paintFormXObjectEnd:
      return stack.pop() ?? state;
    case OPS.transform:
      return { ...state, matrix: times(state.matrix, args) };
    case OPS.setFillRGBColor:
      return { ...state, ink: inkOf(args) };
    default:
      return state;
  }
}

async function picturesOf(
  page: PDFPageProxy,
  operator: number,
  args: readonly unknown[],
  { matrix, ink }: State,
): Promise<Placed[]> {
  const at = (pixels: Pixels | undefined, own: Matrix, mask: boolean): Placed[] =>
    pixels === undefined ? [] : [{ pixels, matrix: own, ink: mask ? ink : undefined }];
  switch (operator) {
    case OPS.paintImageXObject:
      return at(await objectOf(page, args[0]), matrix, false);
    case OPS.paintInlineImageXObject:
      return at(args[0] as Pixels, matrix, false);
    case OPS.paintImageMaskXObject:
      return at(await maskOf(page, args[0]), matrix, true);
    case OPS.paintImageXObjectRepeat:
    case OPS.paintImageMaskXObjectRepeat:
      return repeats(page, operator, args, { matrix, ink });
    case OPS.paintInlineImageXObjectGroup:
    case OPS.paintImageMaskXObjectGroup:
      return groups(page, operator, args, { matrix, ink });
    default:
      return [];
  }
}

/** Collects one picture that stands at several places: strips or letters of equal size. */
async function repeats(
  page: PDFPageProxy,
  operator: number,
  args: readonly unknown[],
  { matrix, ink }: State,
): Promise<Placed[]> {
  const isMask = operator === OPS.paintImageMaskXObjectRepeat;
  const pixels = isMask ? await maskOf(page, args[0]) : await objectOf(page, args[0]);
  const [a, b, c, d] = isMask
    ? [args[1], args[2], args[3], args[4]].map(Number)
    : [Number(args[1]), 0, 0, Number(args[2])];
  const positions = (isMask ? args[5] : args[3]) as ArrayLike<number>;
  const placed: Placed[] = [];
  for (let at = 0; at + 1 < positions.length && pixels !== undefined; at += 2) {
    const own = times(matrix, [a, b, c, d, positions[at], positions[at + 1]]);
    placed.push({ pixels, matrix: own, ink: isMask ? ink : undefined });
  }
  return placed;
}

/** Collects several small pictures of one operator. */
async function groups(
  page: PDFPageProxy,
  operator: number,
  args: readonly unknown[],
  { matrix, ink }: State,
): Promise<Placed[]> {
  if (operator === OPS.paintImageMaskXObjectGroup) {
    const images = args[0] as readonly (Pixels & { transform: readonly number[] })[];
    const placed: Placed[] = [];
    for (const image of images) {
      const pixels = await maskOf(page, image);
      if (pixels !== undefined) placed.push({ pixels, matrix: times(matrix, image.transform), ink });
    }
    return placed;
  }
  // One large picture holds the small ones; `map` says which part of it goes where.
  const sheet = args[0] as Pixels;
  const map = args[1] as readonly {
    transform: readonly number[];
    x: number;
    y: number;
    w: number;
    h: number;
  }[];
  return map.map(({ transform, x, y, w, h }) => ({
    pixels: partOf(sheet, { x, y, w, h }),
    matrix: times(matrix, transform),
    ink: undefined,
  }));
}

function partOf(sheet: Pixels, { x, y, w, h }: { x: number; y: number; w: number; h: number }): Pixels {
  const { data, width, kind } = sheet;
  if (data === undefined || typeof data === 'string' || kind === 1) return sheet;
  const channels = kind === 3 ? 4 : 3;
  const part = new Uint8Array(w * h * channels);
  for (let row = 0; row < h; row += 1) {
    const from = ((y + row) * width + x) * channels;
    part.set(data.subarray(from, from + w * channels), row * w * channels);
  }
  return { width: w, height: h, data: part, ...(kind === undefined ? {} : { kind }) };
}

async function maskOf(page: PDFPageProxy, image: unknown): Promise<Pixels | undefined> {
  const mask = image as Pixels | undefined;
  if (mask === undefined) return undefined;
  return typeof mask.data === 'string' ? { ...(await objectOf(page, mask.data)), ...sizeOf(mask) } : mask;
}

function sizeOf({ width, height }: Pixels): Pixels {
  return { width, height };
}

/** A picture that pdf.js stores under a name; undefined if it could not be decoded. */
function objectOf(page: PDFPageProxy, name: unknown): Promise<Pixels | undefined> {
  if (typeof name !== 'string') return Promise.resolve(name as Pixels | undefined);
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => {
    const late = setTimeout(resolve, OBJECT_MS, undefined);
    objects.get(name, (found: unknown) => {
      clearTimeout(late);
      resolve((found as Pixels | null) ?? undefined);
    });
  });
}

function times(outer: Matrix, inner: readonly unknown[]): Matrix {
  return Util.transform([...outer], inner.map(Number)) as unknown as Matrix;
}

/** Grey of a fill colour; pdf.js gives it as `#rrggbb` or as three numbers. */
function inkOf(args: readonly unknown[]): number {
  const [first] = args;
  const [red, green, blue] =
    typeof first === 'string'
      ? [1, 3, 5].map((at) => Number.parseInt(first.slice(at, at + 2), 16))
      : args.slice(0, 3).map(Number);
  return ((red ?? 0) * 77 + (green ?? 0) * 150 + (blue ?? 0) * 29) >> 8;
}

/** Paints one picture by its matrix; a picture's first row lies at the top of the unit square. */
function paint(paper: Picture, { pixels, matrix, ink }: Placed, scale: number): void {
  const layer = layerOf(pixels, ink);
  const [a, b, c, d, e, f] = matrix.map((value) => value * scale) as unknown as Matrix;
  const area = a * d - b * c;
  if (layer === undefined || area === 0) return;
  const [xs, ys] = [
    [e, e + a, e + c, e + a + c],
    [f, f + b, f + d, f + b + d],
  ];
  const right = Math.min(paper.width, Math.ceil(Math.max(...xs)));
  const bottom = Math.min(paper.height, Math.ceil(Math.max(...ys)));
  // If the paper is much coarser than the picture, each pixel is the mean of several points.
  const coarse = Math.sqrt((pixels.width * pixels.height) / Math.abs(area));
  const points = Math.max(1, Math.min(4, Math.round(coarse)));
  const top = Math.max(0, Math.floor(Math.min(...ys)));
  const left = Math.max(0, Math.floor(Math.min(...xs)));
  if (b === 0 && c === 0 && points === 1 && layer.opacity === undefined) {
    // A picture without rotation, like nearly every scan and photo: its columns are those of the paper.
    const columns = Float64Array.from(
      { length: Math.max(0, right - left) },
      (_, x) => (((left + x + 0.5 - e) * d) / area) * pixels.width,
    );
    const rowAt = (y: number): number => (1 - ((y + 0.5 - f) * a) / area) * pixels.height;
    paintStraight(paper, layer.grey, { left, top, bottom, columns, rowAt });
    return;
  }
  const toPicture = (x: number, y: number): [number, number] => [
    (((x - e) * d - (y - f) * c) / area) * pixels.width,
    (1 - ((y - f) * a - (x - e) * b) / area) * pixels.height,
  ];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = y * paper.width + x;
      paper.data[at] = blend(paper.data[at] ?? 255, layer, points, (u, v) => toPicture(x + u, y + v));
    }
  }
}

/** How an unrotated picture is painted: the rows and the first column on the paper, and which places they show. */
interface Straight {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  /** The horizontal place in the picture for each column of the paper. */
  readonly columns: Float64Array;
  rowAt(y: number): number;
}

function paintStraight(paper: Picture, grey: Picture, { left, top, bottom, columns, rowAt }: Straight): void {
  for (let y = top; y < bottom; y += 1) {
    const row = rowAt(y);
    if (row < 0 || row >= grey.height) continue;
    const start = y * paper.width + left;
    for (let x = 0; x < columns.length; x += 1) {
      const column = columns[x] ?? 0;
      if (column < 0 || column >= grey.width) continue;
      paper.data[start + x] = sampleAt(grey, column - 0.5, row - 0.5);
    }
  }
}

/** A pixel of paper under a layer: the mean of `points` × `points` places in the pixel. */
function blend(
  paper: number,
  { grey, opacity }: Layer,
  points: number,
  placeOf: (u: number, v: number) => [number, number],
): number {
  let sum = 0;
  let covered = 0;
  for (let point = 0; point < points * points; point += 1) {
    const [x, y] = placeOf(((point % points) + 0.5) / points, (Math.floor(point / points) + 0.5) / points);
    if (x < 0 || y < 0 || x >= grey.width || y >= grey.height) continue;
    const own = opacity === undefined ? 1 : sampleAt(opacity, x - 0.5, y - 0.5) / 255;
    sum += sampleAt(grey, x - 0.5, y - 0.5) * own;
    covered += own;
  }
  const all = points * points;
  return paper * (1 - covered / all) + sum / all;
}

/** A picture as grey, with its opacity if it is transparent. */
interface Layer {
  readonly grey: Picture;
  readonly opacity?: Picture;
}

/** The layer of a picture; undefined if pdf.js gave no pixels. */
function layerOf({ width, height, data, kind }: Pixels, ink: number | undefined): Layer | undefined {
  if (data === undefined || typeof data === 'string') return undefined;
  const size = { width, height };
  if (ink !== undefined) {
    const opacity = bitsOf(data, size, 255, 0);
    return { grey: { ...size, data: new Uint8Array(width * height).fill(ink) }, opacity };
  }
  if (kind === 1) return { grey: bitsOf(data, size, 0, 255) };
  if (kind === 3) {
    const opacity = new Uint8Array(width * height);
    for (let at = 0; at < opacity.length; at += 1) opacity[at] = data[at * 4 + 3] ?? 255;
    return { grey: greyOf(data, size, 4), opacity: { ...size, data: opacity } };
  }
  return { grey: greyOf(data, size, 3) };
}

/** One byte for each pixel from one bit for each pixel; rows begin at whole bytes. */
function bitsOf(
  data: Uint8Array | Uint8ClampedArray,
  { width, height }: { width: number; height: number },
  ofZero: number,
  ofOne: number,
): Picture {
  const out = new Uint8Array(width * height);
  const rowBytes = (width + 7) >> 3;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const bit = ((data[y * rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
      out[y * width + x] = bit === 1 ? ofOne : ofZero;
    }
  }
  return { width, height, data: out };
}
