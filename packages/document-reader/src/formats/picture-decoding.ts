import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { imageSize } from 'image-size';
import type { IFD } from 'utif2';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import {
  greyOf,
  mirror,
  type Picture,
  readingSize,
  releaseMemory,
  resize,
  type Size,
  turnQuarters,
} from '../ocr/picture.ts';
import { decodeJpeg } from './jpeg-pixels.ts';
import { decodePng } from './png-pixels.ts';

/** Kinds of pictures that are read, by the file extension from the type detection. */
export const PICTURE_KINDS = ['jpg', 'png', 'apng', 'webp', 'gif', 'tif'] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

/**
 * Most pixels that fit into the reader's memory. A JPEG is decoded as a whole with two bytes for each sample, a TIFF with
 * all its samples, a PNG to grey alone; photon makes copies with four bytes for each pixel and never gives them back.
 */
const MOST_PIXELS: Readonly<Record<PictureKind, number>> = {
  jpg: 64_000_000,
  png: 120_000_000,
  apng: 120_000_000,
  tif: 64_000_000,
  webp: 12_000_000,
  gif: 12_000_000,
};

/** A picture file, whose pages are decoded one by one when they are read. */
export interface PictureFile {
  readonly pages: number;
  /** Whether the file ends in the middle of its picture. */
  readonly isCutOff: boolean;
  /** The page in grey, upright by its EXIF tag, reduced to the largest size for reading. `page` counts from 0. */
  decode(page: number): Promise<Picture>;
}

/**
 * Opens a picture file.
 *
 * @throws UnreadableDocument `too_large` before decoding; `corrupt`, also later by `decode`
 */
export async function openPicture(bytes: Buffer, kind: PictureKind): Promise<PictureFile> {
  return orDamaged(async () => {
    if (kind === 'tif') return openTiff(bytes);
    const { width, height, orientation = 1 } = imageSize(bytes);
    refuseGiant({ width, height }, MOST_PIXELS[kind]);
    const decode = DECODERS[kind];
    return {
      pages: 1,
      isCutOff: isCutOff(bytes, kind),
      decode: () => orDamaged(async () => uprightBy(orientation, fitToRead(await decode(bytes)))),
    };
  });
}

/** The bytes that end a JPEG and a PNG; bytes after them do not matter. */
const ENDS: Partial<Record<PictureKind, Buffer>> = {
  jpg: Buffer.from([0xff, 0xd9]),
  png: Buffer.from('IEND'),
};

function isCutOff(bytes: Buffer, kind: PictureKind): boolean {
  const end = ENDS[kind];
  return end !== undefined && !bytes.includes(end, 4);
}

async function orDamaged<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    const damaged = new UnreadableDocument(
      'corrupt',
      'This picture is damaged and cannot be read. Save it again as JPEG or PNG and upload the new copy.',
    );
    damaged.cause = error;
    throw damaged;
  }
}

function refuseGiant({ width, height }: Size, most: number): void {
  if (width * height <= most) return;
  throw new UnreadableDocument(
    'too_large',
    `This picture has ${width} × ${height} pixels, more than the ${most / 1e6} million that can be read. Save it smaller and upload that.`,
  );
}

/** The picture in the size for reading; a larger one is given up. */
function fitToRead(picture: Picture): Picture {
  const read = resize(picture, readingSize(picture));
  if (read !== picture) releaseMemory(picture.data);
  return read;
}

const DECODERS: Readonly<Record<Exclude<PictureKind, 'tif'>, (bytes: Buffer) => Promise<Picture>>> = {
  jpg: decodeJpeg,
  png: decodePng,
  apng: decodePng,
  webp: decodeByPhoton,
  gif: decodeByPhoton,
};

let photon: Promise<typeof import('@cf-wasm/photon/others')> | undefined;

/** Pixels of a WebP or of the first frame of a GIF. */
async function decodeByPhoton(bytes: Buffer): Promise<Picture> {
  photon ??= loadPhoton();
  const { PhotonImage } = await photon;
  const image = PhotonImage.new_from_byteslice(bytes);
  const size = { width: image.get_width(), height: image.get_height() };
  const picture = greyOf(image.get_raw_pixels(), size, 4);
  image.free();
  return picture;
}

async function loadPhoton(): Promise<typeof import('@cf-wasm/photon/others')> {
  const library = await import('@cf-wasm/photon/others');
  const code = readFileSync(fileURLToPath(import.meta.resolve('@cf-wasm/photon/photon.wasm')));
  await library.initPhoton({ module_or_path: new WebAssembly.Module(code) });
  return library;
}

/** Opens a TIFF, which may hold several pages from a scanner or a fax. */
async function openTiff(bytes: Buffer): Promise<PictureFile> {
  const { default: tiff } = await import('utif2');
  const number = (value: unknown): number => Number(Array.isArray(value) ? value[0] : value);
  // Directories without a width hold no picture; reduced copies (NewSubfileType 1) are not pages.
  const pages = tiff
    .decode(bytes)
    .filter((page) => page.t256 !== undefined && number(page.t254 ?? 0) !== 1)
    .map((page) => ({ page, size: { width: number(page.t256), height: number(page.t257) } }));
  for (const { size } of pages) refuseGiant(size, MOST_PIXELS.tif);
  if (pages.length === 0) throw new Error('the TIFF holds no picture');
  return {
    pages: pages.length,
    isCutOff: false,
    decode: (index) =>
      orDamaged(async () => {
        const found = pages[index];
        if (found === undefined) throw new Error(`the TIFF has no page ${index}`);
        tiff.decodeImage(bytes, found.page);
        const picture = greyOfTiff(tiff.toRGBA8, found.page, found.size);
        releaseMemory(found.page.data);
        found.page.data = new Uint8Array(0);
        return uprightBy(number(found.page.t274 ?? 1), fitToRead(picture));
      }),
  };
}

/** Rows of a TIFF that become colours at a time, so that the colours of the whole picture are never in memory. */
const TIFF_ROWS = 256;

function greyOfTiff(toRgba: (page: IFD) => Uint8Array, page: IFD, { width, height }: Size): Picture {
  const { data: samples } = page;
  const rowBytes = samples.length / height;
  if (!Number.isInteger(rowBytes)) return greyOf(toRgba(page), { width, height }, 4);
  const data = new Uint8Array(width * height);
  for (let top = 0; top < height; top += TIFF_ROWS) {
    const size = { width, height: Math.min(TIFF_ROWS, height - top) };
    const part = samples.subarray(top * rowBytes, (top + size.height) * rowBytes);
    data.set(greyOf(toRgba({ ...page, ...size, data: part }), size, 4).data, top * width);
  }
  return { width, height, data };
}

/** Turns and mirrors a picture by its EXIF orientation, 1 to 8. */
function uprightBy(orientation: number, picture: Picture): Picture {
  const quarters = ([0, 0, 0, 2, 2, 1, 1, 3, 3] as const)[orientation] ?? 0;
  const turned = turnQuarters(picture, quarters);
  return [2, 4, 5, 7].includes(orientation) ? mirror(turned) : turned;
}
