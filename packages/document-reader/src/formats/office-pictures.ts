import { unzipSync } from 'fflate';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { type ExtractedDocument, UnreadableDocument } from '../contract/extracted-document.ts';
import type { Block } from '../contract/report.contract.ts';
import type { OcrSession, PictureOutcome } from '../ocr/ocr-session.ts';
import type { PictureKind } from './picture-decoding.ts';

/** Where packed Office files and OpenDocument files keep their pictures. */
const PICTURES = /^(?:(?:word|ppt|xl)\/media|Pictures)\/[^/]+$/;
/** A larger picture, in bytes, would not fit into the reader's memory beside the file. */
const MAX_PICTURE = 48 * 1024 * 1024;
/** A picture of fewer pixels on one side is a logo, a bullet or a signature. */
const LEAST_SIDE = 160;
/** Most pictures of one file that are read; each takes seconds. */
const MOST_PICTURES = 20;
/** Width of the text on A4, points: the file says only in its drawing how large a picture is. */
const TEXT_WIDTH = 450;

/** The texts of a file's pictures, and the warnings about them. */
type TextsOfPictures = Pick<ExtractedDocument, 'rows' | 'warnings'> & {
  readonly blocks: readonly Omit<Block, 'id'>[];
};

/** A picture with text, as the session read it. */
type Read = Extract<PictureOutcome, { outcome: 'text' }>;

/**
 * Reads the pictures inside a packed Office file, in the order of their names. Their texts have no pages, as the file
 * has none. Small pictures are passed over.
 */
export async function readOfficePictures(bytes: Buffer, session: OcrSession): Promise<TextsOfPictures> {
  const pictures: { readonly name: string; readonly kind: PictureKind }[] = [];
  let unread = 0;
  for (const name of picturesIn(bytes)) {
    const picture = partOf(bytes, name);
    const kind = picture && (await kindOf(picture));
    if (picture === undefined || kind === 'other') unread += 1;
    else if (kind !== undefined && isLarge(picture)) pictures.push({ name, kind });
  }
  const chosen = pictures.slice(0, Math.min(MOST_PICTURES, session.maxPages));
  unread += pictures.length - chosen.length;
  const texts: Read[] = [];
  for (const [index, { name, kind }] of chosen.entries()) {
    // Unpacked again, so that one picture is in memory, and not all of them.
    const picture = partOf(bytes, name);
    const outcome =
      picture && (await readPicture(picture, kind, session, { done: index, of: chosen.length }));
    if (outcome?.outcome === 'text') texts.push(outcome);
    else if (outcome === undefined || outcome.outcome === 'unreadable') unread += 1;
  }
  return { ...(await withoutPages(texts)), warnings: warningsOf(texts.length, unread) };
}

function picturesIn(bytes: Buffer): string[] {
  const names: string[] = [];
  try {
    unzipSync(bytes, { filter: ({ name }) => PICTURES.test(name) && names.push(name) < 0 });
  } catch {
    // The parser has read this file: it may repair an archive that this reader cannot open.
  }
  return names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** One part; undefined where it is too large or damaged. */
function partOf(bytes: Buffer, wanted: string): Buffer | undefined {
  try {
    const parts = unzipSync(bytes, {
      filter: ({ name, originalSize }) => name === wanted && originalSize <= MAX_PICTURE,
    });
    return parts[wanted] && Buffer.from(parts[wanted]);
  } catch {
    return undefined;
  }
}

/** The kind of a picture that can be read; `other` for a drawing that cannot; undefined for a sound or a film. */
async function kindOf(picture: Buffer): Promise<PictureKind | 'other' | undefined> {
  const { PICTURE_KINDS } = await import('./picture-decoding.ts');
  const found = await fileTypeFromBuffer(picture);
  if (found === undefined || !found.mime.startsWith('image/')) return undefined;
  return PICTURE_KINDS.find((kind) => kind === found.ext) ?? 'other';
}

function isLarge(picture: Buffer): boolean {
  try {
    const { width, height } = imageSize(picture);
    return Math.min(width, height) >= LEAST_SIDE;
  } catch {
    return true;
  }
}

/** @returns undefined for a damaged picture */
async function readPicture(
  picture: Buffer,
  kind: PictureKind,
  session: OcrSession,
  progress: { done: number; of: number },
): Promise<PictureOutcome | undefined> {
  const number = progress.done + 1;
  const { openPicture } = await import('./picture-decoding.ts');
  try {
    return (
      session.recall(number) ??
      (await session.read(
        await (await openPicture(picture, kind)).decode(0),
        { number, width: TEXT_WIDTH },
        progress,
      ))
    );
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    return undefined;
  }
}

async function withoutPages(texts: readonly Read[]): Promise<Omit<TextsOfPictures, 'warnings'>> {
  if (texts.length === 0) return { blocks: [], rows: [] };
  const { pageLines, rowsOf } = await import('../ocr/picture-page.ts');
  const { paragraphsOf } = await import('../layout/page-paragraphs.ts');
  return {
    // Each picture by itself: what two of them repeat is no running header.
    blocks: texts.flatMap((text) =>
      paragraphsOf([pageLines(text)]).map(({ page: _, words: __, ...block }) => block),
    ),
    rows: texts.flatMap(rowsOf).map(({ y: _, ...row }) => ({ ...row, page: undefined })),
  };
}

function warningsOf(read: number, unread: number): ExtractedDocument['warnings'] {
  const pictures = (count: number): string => (count === 1 ? 'One picture' : `${count} pictures`);
  return [
    ...(read === 0
      ? []
      : [
          {
            code: 'ocr',
            text: `${pictures(read)} in this file ${read === 1 ? 'was' : 'were'} read: compare names and figures with the original.`,
          },
        ]),
    ...(unread === 0
      ? []
      : [
          {
            code: 'pictures_unread',
            text: `${pictures(unread)} in this file could not be read. To have one read, upload it by itself.`,
          },
        ]),
  ];
}
