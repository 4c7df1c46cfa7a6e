import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Row } from '../contract/extracted-document.ts';
import type { PageLines } from '../layout/page-paragraphs.ts';
import { pageRows } from '../layout/page-rows.ts';
import type { PagePainter } from '../ocr/glyph-painting.ts';
import type { OcrSession, PictureOutcome } from '../ocr/ocr-session.ts';
import { skippedReason } from '../ocr/ocr-warnings.ts';
import type { Picture } from '../ocr/picture.ts';
import type { TextOfPicture } from '../ocr/picture-page.ts';
import { type PaintedPage, paintPage } from './page-painting.ts';

/** A page with fewer characters is a scan, or empty (docs/contracts/documents.md §2.5). */
const SCAN_CHARACTERS = 20;
/** A page with fewer characters is short: a scan with a stamp or a page number, or a title page. */
const SHORT = 250;
/** Share of the page that its pictures must cover to be read: on a page without text, and on one with little text. */
const LEAST_COVERED = 0.02;
const MOSTLY_COVERED = 0.5;
/** Shapes with this many numbers may be letters, beside a picture or a few letters of a font. */
const DRAWN_LETTERS = 2000;
/** Least confidence of a reading that replaces letters without sense. */
const CLEARLY_READ = 60;

/** What the text layer of a page says. */
export interface ReadPage {
  readonly lines: PageLines;
  readonly rows: readonly Row[];
  /** Number of characters in the text layer. */
  readonly characters: number;
  /** Whether its letters make no sense, so that only its picture says what it reads. */
  readonly nonsense: boolean;
}

interface Pictures {
  readonly read: TextOfPicture[];
  readonly skipped: { page: number; reason: string }[];
  readonly blank: number[];
  /** Pages without sense that could not be read from their pictures. */
  readonly nonsense: number[];
}

/**
 * Reads the pages whose text layer is missing, makes no sense, or is so short that a picture may hold more text.
 *
 * @param openPainter opens the file with a program that draws letters
 */
export async function readPictures(
  document: PDFDocumentProxy,
  pages: readonly ReadPage[],
  session: OcrSession,
  openPainter: () => Promise<PagePainter | undefined>,
): Promise<Pictures> {
  const wanted = pages.filter(
    ({ characters, lines, nonsense }) => nonsense || (characters < SHORT && lines.form.length === 0),
  );
  const of = Math.min(wanted.length, session.maxPages);
  const result: Pictures = { read: [], skipped: [], blank: [], nonsense: [] };
  let painter: Promise<PagePainter | undefined> | undefined;
  const draw = async (number: number): Promise<Picture | undefined> => {
    painter ??= openPainter();
    return (await painter)?.paint(number);
  };
  let done = 0;
  for (const page of wanted) {
    const from = { document, session, draw, progress: { done, of } };
    done += (await (page.nonsense ? addLetters(result, page, from) : addPicture(result, page, from))) ? 1 : 0;
  }
  (await painter)?.close();
  return result;
}

/** What a page is read with. */
interface PageSource {
  readonly document: PDFDocumentProxy;
  readonly session: OcrSession;
  /** Draws a whole page, letters and shapes included; undefined if that cannot be done. */
  readonly draw: (number: number) => Promise<Picture | undefined>;
  readonly progress: { readonly done: number; readonly of: number };
}

/** Reads the picture of a page. @returns whether the OCR ran, as only such pages count against the limit */
async function addPicture(
  result: Pictures,
  { lines: { page: number }, characters }: ReadPage,
  source: PageSource,
): Promise<boolean> {
  const outcome =
    source.progress.done < source.session.maxPages
      ? await readPicture({ number, characters }, source)
      : ({ outcome: 'limit' } as const);
  if (outcome === undefined) return false;
  if (outcome.outcome === 'text') result.read.push(outcome);
  else if (outcome.outcome === 'blank') result.blank.push(number);
  else if (characters < SCAN_CHARACTERS)
    result.skipped.push({ page: number, reason: skippedReason(outcome.outcome) });
  return WORK.has(outcome.outcome);
}

/** Reads a page from a picture of its letters. @returns whether the OCR ran */
async function addLetters(
  result: Pictures,
  { lines: { page: number } }: ReadPage,
  source: PageSource,
): Promise<boolean> {
  const read = await readLetters(number, source);
  if (read === undefined) result.nonsense.push(number);
  else result.read.push(read);
  return source.progress.done < source.session.maxPages;
}

/** Reads a page from a picture of its letters; undefined if that is not clear. */
async function readLetters(number: number, source: PageSource): Promise<TextOfPicture | undefined> {
  const { session, progress } = source;
  const outcome =
    session.recall(number) ??
    (progress.done < session.maxPages ? await readDrawing(number, source) : undefined);
  return outcome?.outcome === 'text' && outcome.reading.confidence >= CLEARLY_READ ? outcome : undefined;
}

/** Reads a page as it is drawn; undefined if it cannot be drawn. */
async function readDrawing(number: number, source: PageSource): Promise<PictureOutcome | undefined> {
  const picture = await source.draw(number);
  if (picture === undefined) return undefined;
  return readPixels(picture, { number, page: await source.document.getPage(number) }, source);
}

function readPixels(
  picture: Picture,
  { number, page }: { number: number; page: PDFPageProxy },
  { session, progress }: PageSource,
): Promise<PictureOutcome> {
  return session.read(picture, { number, width: page.getViewport({ scale: 1 }).width }, progress);
}

/** Outcomes for which the OCR ran; other outcomes do not count against the limit. */
const WORK: ReadonlySet<string> = new Set(['text', 'unreadable', 'no_text']);

/** Reads a page from its picture or its shapes; undefined if the page has only its text layer. */
async function readPicture(
  { number, characters }: { number: number; characters: number },
  source: PageSource,
): Promise<PictureOutcome | { outcome: 'giant' | 'shapes' } | undefined> {
  const { document, session } = source;
  const kept = session.recall(number);
  if (kept !== undefined) return kept;
  const page = await document.getPage(number);
  const painted = await paintPage(page).finally(() => page.cleanup());
  const { picture, covered, outlines, leftOut } = await withinLimits(painted, document, number);
  const isScan = characters < SCAN_CHARACTERS;
  const isEmpty = picture === undefined || isTooSmall(covered, isScan);
  if (isEmpty && leftOut > 0) return { outcome: 'giant' };
  const isBare = isEmpty && characters === 0;
  if (isScan && covered < MOSTLY_COVERED && outlines >= (isBare ? 1 : DRAWN_LETTERS)) {
    const drawn = (await readDrawing(number, source)) ?? { outcome: 'shapes' };
    if (isBare || drawn.outcome === 'text') return drawn;
  }
  if (isEmpty) return nothingOn(characters);
  return readPixels(picture, { number, page }, source);
}

/** Whether the pictures of a page cover too little of it to hold its text. */
function isTooSmall(covered: number, isScan: boolean): boolean {
  return covered < (isScan ? LEAST_COVERED : MOSTLY_COVERED);
}

/** The outcome of a page without a picture: it has letters of its own, or is blank. */
function nothingOn(characters: number): { outcome: 'blank' } | undefined {
  return characters > 0 ? undefined : { outcome: 'blank' };
}

/** The painted page; one with giant pictures is painted again from a copy in which they are reduced. */
async function withinLimits(
  painted: PaintedPage,
  document: PDFDocumentProxy,
  number: number,
): Promise<PaintedPage> {
  return painted.leftOut === 0 ? painted : ((await paintReduced(document, number)) ?? painted);
}

/** Paints a page with giant pictures from a copy in which they are reduced; undefined if there can be none. */
async function paintReduced(document: PDFDocumentProxy, number: number): Promise<PaintedPage | undefined> {
  const { openReducedPage } = await import('./giant-pictures.ts');
  const copy = await openReducedPage(document, number);
  if (copy === undefined) return undefined;
  try {
    return await paintPage(await copy.getPage(1));
  } finally {
    await copy.loadingTask.destroy();
  }
}

/** Adds the text of pictures to the pages, and drops a hidden text layer that repeats it. */
export function withPictures(pages: readonly ReadPage[], read: readonly TextOfPicture[]): ReadPage[] {
  const byPage = new Map(read.map((text) => [text.reading.page, text]));
  return pages.map((page) => {
    const text = byPage.get(page.lines.page);
    if (text === undefined) return page;
    const seen = bare(text.lines.map((line) => line.text).join(''));
    const own = page.nonsense ? [] : page.lines.lines.filter((line) => !seen.includes(bare(line.text)));
    return {
      ...page,
      lines: { ...page.lines, lines: [...own, ...text.lines] },
      rows: [...(own.length > 0 ? page.rows : []), ...pageRows(page.lines.page, text.runs, [])],
    };
  });
}

/** Only letters and digits: OCR text has other spaces than the text layer. */
function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
