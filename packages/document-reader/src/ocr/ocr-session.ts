import type { PageFromPicture } from '../contract/extracted-document.ts';
import type { OcrEngines } from './ocr-engines.ts';
import type { PageBefore } from './page-direction.ts';
import type { Paper } from './paper-finding.ts';
import type { Picture } from './picture.ts';
import { type TextOfPicture, textOfPicture } from './picture-page.ts';

/** A page is blank if a smaller share of it is darker than its surroundings. */
const INK = 0.0008;
/** How much darker ink is than the paper around it, in grey levels. */
const CONTRAST = 40;
/** A reading with less confidence is not worth showing. */
const READABLE = 35;
/** A page counts as partly unread if a smaller share of its text was read. */
const WHOLE = 0.98;

/** The result of reading one page's picture. */
export type PictureOutcome =
  | ({ readonly outcome: 'text' } & TextOfPicture)
  | { readonly outcome: 'blank' | 'no_text' | 'unreadable' };

/** Reads the pictures of one document, up to a limit of pages. */
export interface OcrSession {
  readonly maxPages: number;
  /** The outcome of a page that an earlier reading of the document read; undefined for other pages. */
  recall(page: number): PictureOutcome | undefined;
  /**
   * @param page number from 1 and width in points
   * @param progress which of the document's pictures this is, and how many there are
   */
  read(
    picture: Picture,
    page: { number: number; width: number },
    progress: { done: number; of: number },
  ): Promise<PictureOutcome>;
  /** The papers that a picture shows on a darker ground; none if it shows one, or if they cannot be told from each other. */
  findPapers(picture: Picture): Promise<readonly Paper[]>;
}

/** How a reading goes on after an earlier one. */
export interface SessionOptions {
  /** Called after each page. */
  readonly onRead?: (page: number, outcome: PictureOutcome) => void;
  /** Outcomes of an earlier reading of the same document, by the page's number. */
  readonly kept?: ReadonlyMap<number, PictureOutcome>;
}

/**
 * Creates a session. It loads the engines with the first page, so documents without pictures do not wait for them.
 *
 * @param onPage called before each page
 */
export function createOcrSession(
  maxPages: number,
  onPage: (done: number, of: number) => void,
  { onRead = () => {}, kept = new Map() }: SessionOptions = {},
): OcrSession {
  let engines: Promise<OcrEngines> | undefined;
  let before: PageBefore | undefined;
  const recognise = async (
    picture: Picture,
    page: { number: number; width: number },
  ): Promise<PictureOutcome> => {
    engines ??= loadEngines();
    const { recognisePage } = await import('./page-recognition.ts');
    const read = await recognisePage(await engines, picture, before);
    if (read === undefined) return { outcome: isBlank(picture) ? 'blank' : 'no_text' };
    if (read.lines.length === 0 || read.confidence < READABLE) return { outcome: 'unreadable' };
    // A page that was hardly read says nothing about the next one.
    if (read.coverage >= WHOLE) before = { turn: read.turn, language: read.language };
    return { outcome: 'text', ...textOfPicture(read, picture, page) };
  };
  return {
    maxPages,
    recall: (page) => kept.get(page),
    async findPapers(picture) {
      if (maxPages === 0) return [];
      const { findPapers, papersWithText } = await import('./paper-finding.ts');
      const papers = findPapers(picture);
      if (papers.length < 2) return [];
      engines ??= loadEngines();
      const found = papersWithText(papers, await (await engines).detect(picture));
      return found.length < 2 ? [] : found;
    },
    async read(picture, page, { done, of }) {
      onPage(done, of);
      const outcome = await recognise(picture, page);
      onRead(page.number, outcome);
      return outcome;
    },
  };
}

const loadEngines = (): Promise<OcrEngines> =>
  import('./ocr-engines.ts').then(({ createOcrEngines }) => createOcrEngines());

/** Whether a page was only partly read. */
export function isPartlyRead({ coverage }: PageFromPicture): boolean {
  return coverage < WHOLE;
}

/** Whether a picture is paper without print: hardly any pixel is darker than its surroundings. */
function isBlank({ width, height, data }: Picture): boolean {
  const near = Math.max(4, Math.round(Math.min(width, height) / 100));
  let ink = 0;
  let count = 0;
  for (let y = near; y < height - near; y += 2) {
    for (let x = near; x < width - near; x += 2) {
      const at = y * width + x;
      const round = Math.max(
        data[at - near] ?? 0,
        data[at + near] ?? 0,
        data[at - near * width] ?? 0,
        data[at + near * width] ?? 0,
      );
      if (round - (data[at] ?? 0) > CONTRAST) ink += 1;
      count += 1;
    }
  }
  return count === 0 || ink / count < INK;
}
