import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { imageSize } from 'image-size';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import {
  greyOf,
  mirror,
  type Picture,
  readingSize,
  resize,
  type Size,
  turnQuarters,
} from '../ocr/picture.ts';

/** Kinds of pictures that are read, by the file extension from the type detection. */
export const PICTURE_KINDS = ['jpg', 'png', 'apng', 'webp', 'gif', 'tif'] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

/** Most pixels that fit into the reader's memory: with pdf.js or utif2, and with photon, which makes a copy. */
const MOST_PIXELS = 25_000_000;
const MOST_FOR_PHOTON = 12_000_000;

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
    const byPdf = kind === 'jpg' || kind === 'png' || kind === 'apng';
    refuseGiant({ width, height }, byPdf ? MOST_PIXELS : MOST_FOR_PHOTON);
    const decode = byPdf ? decodeByPdf : decodeByPhoton;
    return {
      pages: 1,
      isCutOff: isCutOff(bytes, kind),
      decode: () => orDamaged(async () => uprightBy(orientation, fitToRead(await decode(bytes, kind)))),
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

function fitToRead(picture: Picture): Picture {
  return resize(picture, readingSize(picture));
}

/** Pixels of a JPEG or a PNG by pdf.js, which needs the least memory of all tried decoders. */
async function decodeByPdf(bytes: Buffer, kind: PictureKind): Promise<Picture> {
  const { PDFDocument } = await import('pdf-lib');
  const { openPdf } = await import('./pdf-opening.ts');
  const { paintPage } = await import('./page-painting.ts');
  const file = await PDFDocument.create();
  // The buffer of a small file is part of a larger one, which pdf-lib ignores.
  const own = new Uint8Array(bytes);
  const image = await (kind === 'jpg' ? file.embedJpg(own) : file.embedPng(own));
  file.addPage([image.width, image.height]).drawImage(image);
  const document = await openPdf(new Uint8Array(await file.save()));
  const { picture } = await paintPage(await document.getPage(1));
  if (picture === undefined) throw new Error('the picture gave no pixels');
  await document.loadingTask.destroy();
  return picture;
}

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
  for (const { size } of pages) refuseGiant(size, MOST_PIXELS);
  if (pages.length === 0) throw new Error('the TIFF holds no picture');
  return {
    pages: pages.length,
    isCutOff: false,
    decode: (index) =>
      orDamaged(async () => {
        const found = pages[index];
        if (found === undefined) throw new Error(`the TIFF has no page ${index}`);
        tiff.decodeImage(bytes, found.page);
        const picture = greyOf(tiff.toRGBA8(found.page), found.size, 4);
        found.page.data = new Uint8Array(0);
        return uprightBy(number(found.page.t274 ?? 1), fitToRead(picture));
      }),
  };
}

/** Turns and mirrors a picture by its EXIF orientation, 1 to 8. */
function uprightBy(orientation: number, picture: Picture): Picture {
  const quarters = ([0, 0, 0, 2, 2, 1, 1, 3, 3] as const)[orientation] ?? 0;
  const turned = turnQuarters(picture, quarters);
  return [2, 4, 5, 7].includes(orientation) ? mirror(turned) : turned;
}
