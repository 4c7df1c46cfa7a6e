import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Row } from '../contract/extracted-document.ts';
import type { PageLines } from '../layout/page-paragraphs.ts';
import { pageRows } from '../layout/page-rows.ts';
import type { PagePainter } from '../ocr/glyph-painting.ts';
import type { OcrSession, PictureOutcome } from '../ocr/ocr-session.ts';
import { skippedReason } from '../ocr/ocr-warnings.ts';
import type { TextOfPicture } from '../ocr/picture-page.ts';
import { type PaintedPage, paintPage } from './page-painting.ts';

/** A page with fewer characters is a scan, or empty (docs/contracts/documents.md §2.5). */
const SCAN_CHARACTERS = 20;
/** A page with fewer characters is short: a scan with a stamp or a page number, or a title page. */
const SHORT = 250;
/** Share of the page that its pictures must cover to be read: on a page without text, and on one with little text. */
const LEAST_COVERED = 0.02;
const MOSTLY_COVERED = 0.5;
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
  let painter: PagePainter | undefined;
  let done = 0;
  for (const page of wanted) {
    if (page.nonsense) painter ??= done < session.maxPages ? await openPainter() : undefined;
    const from = { document, session, painter, progress: { done, of } };
    done += (await (page.nonsense ? addLetters(result, page, from) : addPicture(result, page, from))) ? 1 : 0;
  }
  painter?.close();
  return result;
}

/** What a page is read with. */
interface PageSource {
  readonly document: PDFDocumentProxy;
  readonly session: OcrSession;
  readonly painter: PagePainter | undefined;
  readonly progress: { readonly done: number; readonly of: number };
}

/** Reads the picture of a page. @returns whether the OCR ran, as only such pages count against the limit */
async function addPicture(
  result: Pictures,
  { lines: { page: number }, characters }: ReadPage,
  { document, session, progress }: PageSource,
): Promise<boolean> {
  const outcome =
    progress.done < session.maxPages
      ? await readPicture(document, { number, characters }, session, progress)
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
  { document, session, painter, progress }: PageSource,
): Promise<boolean> {
  const read = await readLetters(painter, { document, number }, session, progress);
  if (read === undefined) result.nonsense.push(number);
  else result.read.push(read);
  return progress.done < session.maxPages;
}

/** Reads a page from a picture of its letters; undefined if that is not clear. */
async function readLetters(
  painter: PagePainter | undefined,
  { document, number }: { document: PDFDocumentProxy; number: number },
  session: OcrSession,
  progress: PageSource['progress'],
): Promise<TextOfPicture | undefined> {
  let outcome = session.recall(number);
  if (outcome === undefined && progress.done < session.maxPages) {
    const picture = await painter?.paint(number);
    if (picture === undefined) return undefined;
    const { width } = (await document.getPage(number)).getViewport({ scale: 1 });
    outcome = await session.read(picture, { number, width }, progress);
  }
  return outcome?.outcome === 'text' && outcome.reading.confidence >= CLEARLY_READ ? outcome : undefined;
}

/** Outcomes for which the OCR ran; other outcomes do not count against the limit. */
const WORK: ReadonlySet<string> = new Set(['text', 'unreadable', 'no_text']);

/** Reads a page from its picture; undefined if the page has only its text layer. */
async function readPicture(
  document: PDFDocumentProxy,
  { number, characters }: { number: number; characters: number },
  session: OcrSession,
  progress: PageSource['progress'],
): Promise<PictureOutcome | { outcome: 'giant' | 'shapes' } | undefined> {
  const kept = session.recall(number);
  if (kept !== undefined) return kept;
  const page = await document.getPage(number);
  const painted = await paintPage(page).finally(() => page.cleanup());
  const { picture, covered, hasShapes, leftOut } =
    painted.leftOut === 0 ? painted : ((await paintReduced(document, number)) ?? painted);
  if (picture === undefined || covered < (characters < SCAN_CHARACTERS ? LEAST_COVERED : MOSTLY_COVERED)) {
    if (leftOut > 0) return { outcome: 'giant' };
    if (characters > 0) return undefined;
    return { outcome: hasShapes ? 'shapes' : 'blank' };
  }
  const { width } = page.getViewport({ scale: 1 });
  return session.read(picture, { number, width }, progress);
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
