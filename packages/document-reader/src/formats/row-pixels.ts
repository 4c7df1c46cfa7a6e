import { constants, createInflate } from 'node:zlib';
import type { Picture, Size } from '../ocr/picture.ts';

/** How the samples of a pixel lie in a row. */
export interface SampleLayout {
  /** 1 grey, 2 grey and opacity, 3 RGB, 4 RGB and opacity. */
  readonly channels: 1 | 2 | 3 | 4;
  /** Bits of each sample. */
  readonly bits: number;
  /** The grey of each number, if a sample is the number of a colour. */
  readonly palette?: Uint8Array;
  /** Whether each row begins with the number of its PNG filter (PNG specification, section 9). */
  readonly isFiltered: boolean;
  /** Whether the rows come in the seven passes of Adam7. */
  readonly isInterlaced?: boolean;
}

/** The first column and row of each pass of Adam7, and the steps between them (PNG specification, section 8.2). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const ONE_PASS = [[0, 0, 1, 1]] as const;

/** One row of samples and the place of its pixels in the picture. */
interface PixelRow {
  readonly bytes: Uint8Array;
  /** The row above in the same pass; all zero above the first one. */
  readonly above: Uint8Array;
  readonly count: number;
  /** Index of the first pixel, and the distance to the next one. */
  readonly first: number;
  readonly step: number;
}

/**
 * Decompresses zlib data row by row, so that only the grey picture and two rows are in memory. Rows that are missing at
 * the end stay white.
 *
 * @param parts the compressed data
 * @throws Error if not one row can be decompressed
 */
export async function inflateGrey(
  parts: Iterable<Uint8Array>,
  size: Size,
  layout: SampleLayout,
): Promise<Picture> {
  const picture = { ...size, data: new Uint8Array(size.width * size.height).fill(255) };
  const take = rowTaker(picture, layout);
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  for (const part of parts) inflate.write(part);
  inflate.end();
  let rows = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Uint8Array>) {
      const taken = take(chunk);
      rows += taken.rows;
      if (taken.isLast) break;
    }
  } catch (error) {
    if (rows === 0) throw error;
  }
  if (rows === 0) throw new Error('the picture has no row of pixels');
  return picture;
}

/** Paints decompressed bytes as they come, and counts the rows that each piece completes. */
function rowTaker(
  picture: Picture,
  layout: SampleLayout,
): (chunk: Uint8Array) => { rows: number; isLast: boolean } {
  const rows = pixelRows(picture, layout);
  const distance = Math.max(1, (layout.channels * layout.bits) >> 3);
  let row = rows.next().value;
  let filled = 0;
  return (chunk) => {
    let done = 0;
    for (let at = 0; at < chunk.length && row !== undefined; ) {
      const taken = Math.min(row.bytes.length - filled, chunk.length - at);
      row.bytes.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < row.bytes.length) break;
      if (layout.isFiltered) unfilter(row, distance);
      paintRow(picture.data, row, layout);
      row = rows.next().value;
      filled = 0;
      done += 1;
    }
    return { rows: done, isLast: row === undefined };
  };
}

/** Each row in the order of the file; its bytes are to be filled before the next one is asked for. */
function* pixelRows(
  { width, height }: Size,
  { channels, bits, isFiltered, isInterlaced = false }: SampleLayout,
): Generator<PixelRow, undefined> {
  for (const [left, top, across, down] of isInterlaced ? ADAM7 : ONE_PASS) {
    const count = Math.ceil((width - left) / across);
    const length = Math.ceil((count * channels * bits) / 8) + (isFiltered ? 1 : 0);
    let above = new Uint8Array(length);
    let bytes = new Uint8Array(length);
    for (let y = top; y < height && count > 0; y += down) {
      yield { bytes, above, count, first: y * width + left, step: across };
      [above, bytes] = [bytes, above];
    }
  }
  return undefined;
}

type Predictor = (left: number, up: number, corner: number) => number;

/** What each filter adds to a byte, by its number (PNG specification, section 9.2). */
const PREDICTORS: readonly (Predictor | undefined)[] = [
  undefined,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
];

/** Undoes the filter of a row. Its first byte is the filter's number. */
function unfilter({ bytes, above }: PixelRow, distance: number): void {
  const predict = PREDICTORS[bytes[0] ?? 0];
  if (predict === undefined) return;
  for (let at = 1; at < bytes.length; at += 1) {
    const before = at - distance;
    const left = before > 0 ? (bytes[before] ?? 0) : 0;
    const corner = before > 0 ? (above[before] ?? 0) : 0;
    bytes[at] = ((bytes[at] ?? 0) + predict(left, above[at] ?? 0, corner)) & 255;
  }
}

/** The neighbour that is nearest to left + up - corner (PNG specification, section 9.4). */
function paeth(left: number, up: number, corner: number): number {
  const [byLeft, byUp, byCorner] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ];
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

function paintRow(data: Uint8Array, { bytes, count, first, step }: PixelRow, layout: SampleLayout): void {
  const { channels, bits, palette, isFiltered } = layout;
  const start = isFiltered ? 1 : 0;
  const most = 2 ** Math.min(bits, 8) - 1;
  // Of 16 bits the first 8 suffice.
  const sample = (index: number): number =>
    bits === 8
      ? (bytes[start + index] ?? 0)
      : bits === 16
        ? (bytes[start + 2 * index] ?? 0)
        : ((bytes[start + ((index * bits) >> 3)] ?? 0) >> (8 - bits - ((index * bits) & 7))) & most;
  const hasOpacity = channels === 2 || channels === 4;
  for (let pixel = 0; pixel < count; pixel += 1) {
    const at = pixel * channels;
    const own = sample(at);
    const grey =
      channels >= 3
        ? (own * 77 + sample(at + 1) * 150 + sample(at + 2) * 29) >> 8
        : (palette?.[own] ?? (bits < 8 ? (own * 255) / most : own));
    const opacity = hasOpacity ? sample(at + channels - 1) : 255;
    data[first + pixel * step] = opacity === 255 ? grey : 255 - (((255 - grey) * opacity) >> 8);
  }
}
