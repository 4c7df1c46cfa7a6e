import { deflateSync } from 'node:zlib';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import {
  concatTransformationMatrix,
  degrees,
  drawObject,
  PDFDocument,
  type PDFName,
  type PDFPage,
  type PDFRef,
  popGraphicsState,
  pushGraphicsState,
} from 'pdf-lib';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import type { Block, PageOcr } from '../contract/report.contract.ts';
import { openPicture, PICTURE_KINDS, type PictureKind } from '../formats/picture-decoding.ts';
import type { Picture } from '../ocr/picture.ts';
import { GlyphlessText, type PlacedWord } from './glyphless-text.ts';

/** What is known of the words of a document. */
export interface ReadScan {
  readonly blocks: readonly Pick<Block, 'page' | 'text' | 'words'>[];
  readonly pagesOcr: readonly Pick<PageOcr, 'page' | 'turned' | 'skew'>[];
}

/** Width of A4, points: a picture does not say how large it is on paper. */
const PAGE_WIDTH = 595;
/** Larger pictures keep no colours: they are stored in grey, in the size in which they were read. */
const MOST_COLOUR_PIXELS = 12_000_000;
/** Boxes of words are in ten-thousandths of the page (`report.contract.ts`). */
const FRACTIONS = 10_000;
/** A slant that nobody sees stays, degrees. */
const LEAST_SKEW = 0.3;
/** Greatest slant that is straightened, degrees; more would cut off the corners. */
const MOST_SKEW = 20;

/**
 * A scan as a PDF whose words can be searched and selected: they stand behind the pictures, at their places. Pages are turned
 * upright and straightened. A PDF keeps everything else that it holds; a picture becomes a page of a new PDF.
 *
 * @throws UnreadableDocument for a locked or damaged file, and for one that is neither a PDF nor a picture
 */
export async function writeSearchablePdf(bytes: Buffer, scan: ReadScan): Promise<Uint8Array> {
  const kind = (await fileTypeFromBuffer(bytes))?.ext;
  const isPicture = (PICTURE_KINDS as readonly (string | undefined)[]).includes(kind);
  const pdf = isPicture ? await asPdf(bytes, kind as PictureKind) : await openAsIs(bytes);
  const text = new GlyphlessText(pdf.context);
  const pages = pdf.getPages();
  const words = wordsByPage(scan.blocks);
  for (const reading of scan.pagesOcr) {
    const page = pages[reading.page - 1];
    if (page !== undefined) addWords(page, words.get(reading.page) ?? [], reading, text);
  }
  text.finish();
  return pdf.save({ useObjectStreams: true, addDefaultPage: false, updateFieldAppearances: false });
}

async function openAsIs(bytes: Buffer): Promise<PDFDocument> {
  const header = bytes.subarray(0, 1024).indexOf('%PDF-');
  if (header < 0)
    throw new UnreadableDocument('unsupported', 'Only a PDF or a picture can become a searchable PDF.');
  const pdf = await PDFDocument.load(bytes.subarray(header), {
    updateMetadata: false,
    ignoreEncryption: true,
  }).catch((cause: unknown) => {
    const damaged = new UnreadableDocument('corrupt', 'This PDF is damaged, so no words can be added to it.');
    damaged.cause = cause;
    throw damaged;
  });
  if (pdf.isEncrypted)
    throw new UnreadableDocument('password_required', 'This PDF is locked, so no words can be added to it.');
  return pdf;
}

type Word = readonly [text: string, x: number, y: number, width: number, height: number];

function wordsByPage(blocks: ReadScan['blocks']): Map<number, Word[]> {
  const words = new Map<number, Word[]>();
  for (const { page, text, words: placed = [] } of blocks) {
    if (page === undefined) continue;
    const own = words.get(page) ?? [];
    for (const [start, end, x, y, width, height] of placed)
      own.push([text.slice(start, end), x / FRACTIONS, y / FRACTIONS, width / FRACTIONS, height / FRACTIONS]);
    words.set(page, own);
  }
  return words;
}

/** The page as it is shown: its visible box, and the quarters by which viewers turn it clockwise. */
interface Shown {
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly rotate: 0 | 90 | 180 | 270;
}

function addWords(
  page: PDFPage,
  words: readonly Word[],
  { turned, skew }: Pick<PageOcr, 'turned' | 'skew'>,
  text: GlyphlessText,
): void {
  const shown = shownOf(page);
  const slant = Math.abs(skew) >= LEAST_SKEW && Math.abs(skew) <= MOST_SKEW ? skew : 0;
  const placed = words.map((word) => placeWord(word, { shown, turned, skew }));
  const { context } = page.doc;
  const names = new Map<PDFRef, PDFName>();
  const useFont = (ref: PDFRef): PDFName => {
    const known = names.get(ref);
    if (known !== undefined) return known;
    const name = page.node.newFontDictionary('Words', ref);
    names.set(ref, name);
    return name;
  };
  // The content may lack a `Q`; the inner pair closes what it leaves open as far as viewers do.
  const before = `q ${straightening(shown, slant)} q`;
  const after = `Q ${text.operators(placed, useFont)} Q`;
  page.node.normalize();
  page.node.wrapContentStreams(
    context.register(context.stream(before)),
    context.register(context.flateStream(after)),
  );
  page.setRotation(degrees((shown.rotate - turned + 360) % 360));
}

function shownOf(page: PDFPage): Shown {
  const rotate = (((Math.round(page.getRotation().angle / 90) * 90) % 360) + 360) % 360;
  return { box: page.getCropBox(), rotate: rotate as Shown['rotate'] };
}

/**
 * The matrix that turns the content about the middle of the page, so that its lines are level. Lines fell to the right by
 * `skew` degrees.
 */
function straightening({ box }: Shown, skew: number): string {
  if (skew === 0) return '';
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const [cos, sin] = [Math.cos((skew * Math.PI) / 180), Math.sin((skew * Math.PI) / 180)];
  const matrix = [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y];
  return `${matrix.map((part) => part.toFixed(6)).join(' ')} cm`;
}

/** Where a word stands in the page's user space, before the page is straightened. */
function placeWord(
  [text, x, y, width, height]: Word,
  { shown, turned, skew }: { shown: Shown; turned: PageOcr['turned']; skew: number },
): PlacedWord {
  const corners = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ].map(([fx = 0, fy = 0]) => toUserSpace(shown, fx, fy));
  const [left, right] = [Math.min(...corners.map(([ux]) => ux)), Math.max(...corners.map(([ux]) => ux))];
  const [bottom, top] = [Math.min(...corners.map(([, uy]) => uy)), Math.max(...corners.map(([, uy]) => uy))];
  // The page lies turned clockwise.
  const quarters = ((shown.rotate - turned + 360) / 90) % 4;
  const slant = (-skew * Math.PI) / 180;
  const angle = (quarters * Math.PI) / 2 + slant;
  // The box encloses the slanted word: its own length and height follow from those of the box.
  const [across, up] = quarters % 2 === 0 ? [right - left, top - bottom] : [top - bottom, right - left];
  const [cos, sin] = [Math.cos(slant), Math.abs(Math.sin(slant))];
  const spread = cos * cos - sin * sin;
  const own = spread > 0.5 ? (across * cos - up * sin) / spread : across;
  const tall = spread > 0.5 ? (up * cos - across * sin) / spread : up;
  const [length, size] = own > 0 && tall > 0 ? [own, tall] : [across, up];
  const middle = [(left + right) / 2, (bottom + top) / 2] as const;
  const [dx, dy] = [-length / 2, -size / 2];
  return {
    text,
    x: middle[0] + Math.cos(angle) * dx - Math.sin(angle) * dy,
    y: middle[1] + Math.sin(angle) * dx + Math.cos(angle) * dy,
    angle,
    width: length,
    height: size,
  };
}

/** A place of the shown page, in parts of its width and height from the top left, in the page's user space. */
function toUserSpace({ box, rotate }: Shown, fx: number, fy: number): [number, number] {
  const [across, up] = (
    {
      0: [fx, 1 - fy],
      90: [fy, fx],
      180: [1 - fx, fy],
      270: [1 - fy, 1 - fx],
    } as const
  )[rotate];
  return [box.x + across * box.width, box.y + up * box.height];
}

/** A picture file as a PDF with a page for each of its pages. */
async function asPdf(bytes: Buffer, kind: PictureKind): Promise<PDFDocument> {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  if (kind === 'jpg' || ((kind === 'png' || kind === 'apng') && isSmall(bytes))) {
    const image = kind === 'jpg' ? await pdf.embedJpg(bytes) : await pdf.embedPng(bytes);
    const { orientation = 1 } = imageSize(bytes);
    addPicture(pdf, { ref: image.ref, width: image.width, height: image.height }, orientation);
    return pdf;
  }
  const file = await openPicture(bytes, kind);
  for (let number = 0; number < file.pages; number += 1) {
    const picture = await file.decode(number);
    addPicture(pdf, { ref: embedGrey(pdf, picture), width: picture.width, height: picture.height }, 1);
  }
  return pdf;
}

function isSmall(bytes: Buffer): boolean {
  const { width, height } = imageSize(bytes);
  return width * height <= MOST_COLOUR_PIXELS;
}

function embedGrey(pdf: PDFDocument, { width, height, data }: Picture): PDFRef {
  const packed = deflateSync(data, { level: 6 });
  const image = pdf.context.stream(packed, {
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    ColorSpace: 'DeviceGray',
    BitsPerComponent: 8,
    Filter: 'FlateDecode',
  });
  return pdf.context.register(image);
}

interface EmbeddedPicture {
  readonly ref: PDFRef;
  readonly width: number;
  readonly height: number;
}

/**
 * How the unit square of a picture is laid on a page of width 1 and height 1, by EXIF orientation 1 to 8: where its right and
 * its top go, and its lower left corner.
 */
const LAID: readonly (readonly [number, number, number, number, number, number])[] = [
  [1, 0, 0, 1, 0, 0],
  [1, 0, 0, 1, 0, 0],
  [-1, 0, 0, 1, 1, 0],
  [-1, 0, 0, -1, 1, 1],
  [1, 0, 0, -1, 0, 1],
  [0, -1, -1, 0, 1, 1],
  [0, -1, 1, 0, 0, 1],
  [0, 1, 1, 0, 0, 0],
  [0, 1, -1, 0, 1, 0],
];

/** Adds a page that shows the picture upright by its EXIF orientation. */
function addPicture(pdf: PDFDocument, { ref, width, height }: EmbeddedPicture, orientation: number): void {
  const isSideways = orientation >= 5;
  const ratio = isSideways ? width / height : height / width;
  const size = [PAGE_WIDTH, PAGE_WIDTH * ratio] as const;
  const page = pdf.addPage([...size]);
  const [a, b, c, d, e, f] = LAID[orientation] ?? [1, 0, 0, 1, 0, 0];
  const name = page.node.newXObject('Scan', ref);
  page.pushOperators(
    pushGraphicsState(),
    concatTransformationMatrix(a * size[0], b * size[1], c * size[0], d * size[1], e * size[0], f * size[1]),
    drawObject(name),
    popGraphicsState(),
  );
}
