import { type Box, medianOf } from './box-geometry.ts';
import { guessLanguage } from './language-guess.ts';
import { compareWithSeen, meanConfidence, type SeenLine, shareOf } from './line-coverage.ts';
import { orderLines } from './line-order.ts';
import { cutLine, LINE_MARGIN } from './line-recognition.ts';
import type { Language, OcrEngines } from './ocr-engines.ts';
import { findDirection, type PageBefore } from './page-direction.ts';
import type { PageReader, ReadLine, ReadWord } from './page-reading.ts';
import { measurePose, type StraightPage, straighten, type Turn } from './page-straightening.ts';
import { type Picture, withMargin } from './picture.ts';
import { blurPicture, levelPicture } from './picture-levelling.ts';
import { wordsOfLine } from './recognised-words.ts';

/** If less than this share of the seen text was read, the page is blurred and read again. */
const COVERED_PAGE = 0.8;
/** A line counts as read if words cover this much of it … */
const COVERED_LINE = 0.6;
/** A line that all readers together cover less than this counts as unread. */
const PARTLY_COVERED = 0.3;
/** … with this confidence; below it, the line recogniser tries. */
const CONFIDENT = 70;
/** With this confidence, and if nearly all of it is covered, a line of a receipt is not read again. */
const SURE = 93;
/** Radius of the blur, pixels; in measurements it made pages of faint, noisy print readable. */
const BLUR = 1.2;
/** Readings of the line recogniser with a lower probability are discarded. */
const LEAST_SCORE = 0.5;
/** Words where the detector saw no text are kept from this confidence on. */
const STRAY = 75;
/** A text narrower than this many line heights is from a receipt, a label or a card. */
const NARROW = 28;

/** Greatest width of a line of figures, in line heights; a wider line holds words, which the recogniser would misread. */
const LONGEST_FIGURES = 10;

/** Letters with accents, which the line recogniser does not know. */
const ACCENTS = /[À-ÖØ-öø-ÿœ]/g;
const MANY_ACCENTS = 4;

/** The result of reading a page from its picture. */
export interface RecognisedPage {
  readonly straight: StraightPage;
  /** Lines in reading order; places in pixels of the straightened page. */
  readonly lines: readonly ReadLine[];
  readonly turn: Turn;
  /** Undefined if it could be one of several. */
  readonly language: Language | undefined;
  /** Degrees by which its lines fell to the right. */
  readonly skew: number;
  /** Number of lines that the detector saw, and of those that no reader could read. */
  readonly seen: number;
  readonly unread: number;
  /** Share of the seen text, by length, that was read. */
  readonly coverage: number;
  /** Mean confidence of the words that were kept, weighted by their length, 0 to 100. */
  readonly confidence: number;
  /** Number of words from each reader. */
  readonly words: { readonly page: number; readonly line: number };
}

/**
 * Reads a page or a photo from its picture. The detector finds the lines, and the page is turned, straightened and
 * levelled. The page reader reads it, and then reads lines that it missed one by one. The line recogniser tries the
 * rest, and lines that it cannot read count as unread.
 *
 * @param before the page before it in the document: its direction and its language are tried first
 * @returns undefined if the detector sees no text at all
 */
export async function recognisePage(
  engines: OcrEngines,
  source: Picture,
  before?: PageBefore,
): Promise<RecognisedPage | undefined> {
  const levelled = source.isDrawn ? source : levelPicture(source);
  let boxes = await engines.detect(source);
  // Very faint print shows only on the levelled picture.
  if (boxes.length === 0) boxes = await engines.detect(levelled);
  if (boxes.length === 0) return undefined;
  const { turn, languages } = await findDirection(engines, levelled, boxes, before);
  const pose = measurePose(boxes, turn, source);
  const straight = straighten(levelled, pose);
  const read = await readCovered(engines, languages, straight, boxes);
  const { language } = read;
  // The recogniser knows no accents, so in German and French it may read only figures.
  const figuresOnly =
    language === 'deu' || language === 'fra' || (textOf(read).match(ACCENTS)?.length ?? 0) >= MANY_ACCENTS;
  const everyLine = isNarrow(read.seen) && !figuresOnly;
  const poor = read.seen.filter((line) => (everyLine ? !isSure(line) : !isRead(line)));
  const alone =
    everyLine || poor.length === 0
      ? new Map<SeenLine, readonly ReadWord[]>()
      : readAlone(
          await engines.pageReader(asReaders(language, languages)),
          { picture: levelled, turn },
          poor,
        );
  const left = poor.filter((line) => !alone.has(line) && !(figuresOnly && isLong(line)));
  const filled = await readLines(engines, { picture: source, turn }, left, figuresOnly);
  const page = { straight, turn, language, skew: (pose.skew * 180) / Math.PI };
  return assemble(page, read, { alone, filled }, everyLine);
}

/** The readers for the rest of a page: one language takes a third of the time of three. */
function asReaders(language: Language | undefined, languages: readonly Language[]): readonly Language[] {
  return language === undefined ? languages : [language];
}

function isLong({ place: { left, right, top, bottom } }: SeenLine): boolean {
  return right - left > LONGEST_FIGURES * Math.max(1, bottom - top);
}

interface PageReading {
  readonly lines: readonly ReadLine[];
  readonly seen: readonly SeenLine[];
  readonly stray: readonly ReadWord[];
}

function isRead({ covered, confidence }: SeenLine): boolean {
  return covered >= COVERED_LINE && confidence >= CONFIDENT;
}

/** Whether the page reader is so sure of a receipt's line that no other reader has to try. */
function isSure({ covered, confidence }: SeenLine): boolean {
  return covered >= COVERED_PAGE && confidence >= SURE;
}

/** The text on the lines that the detector saw. */
function textOf({ seen }: PageReading): string {
  return seen.flatMap(({ words }) => words.map(({ text }) => text)).join(' ');
}

/**
 * The page reader's words. It reads again in another language if the whole page says otherwise than the sampled lines,
 * and from a blurred picture if the words cover too little.
 */
async function readCovered(
  engines: OcrEngines,
  languages: readonly Language[],
  { picture, fromSource }: StraightPage,
  boxes: readonly Box[],
): Promise<PageReading & { readonly language: Language | undefined }> {
  const attempt = async (from: Picture, among: readonly Language[]): Promise<PageReading> => {
    const lines = (await engines.pageReader(among)).read(from, 'page');
    return { lines, ...compareWithSeen(boxes, { fromSource }, lines) };
  };
  const covered = ({ seen }: PageReading): number => shareOf(seen, (line) => line.covered >= COVERED_LINE);
  const taken = languages.length === 1 ? languages[0] : undefined;
  let read = await attempt(picture, languages);
  const language = guessLanguage(textOf(read)) ?? taken;
  if (taken !== undefined && language !== undefined && language !== taken)
    read = await attempt(picture, [language]);
  if (covered(read) >= COVERED_PAGE) return { ...read, language };
  const blurred = await attempt(blurPicture(picture, BLUR), asReaders(language, languages));
  return { ...(covered(blurred) > covered(read) ? blurred : read), language };
}

function isNarrow(seen: readonly SeenLine[]): boolean {
  const height = medianOf(
    seen.map(({ place }) => place.bottom - place.top),
    1,
  );
  const left = Math.min(...seen.map(({ place }) => place.left));
  const right = Math.max(...seen.map(({ place }) => place.right));
  return (right - left) / height < NARROW;
}

/** Reads lines that the page reader missed, one at a time. */
function readAlone(
  reader: PageReader,
  { picture, turn }: { picture: Picture; turn: Turn },
  lines: readonly SeenLine[],
): Map<SeenLine, readonly ReadWord[]> {
  const read = new Map<SeenLine, readonly ReadWord[]>();
  for (const line of lines) {
    const cut = cutLine(picture, line.box, turn);
    const words = reader.read(withMargin(cut, LINE_MARGIN), 'line').flatMap((one) => one.words);
    if (meanConfidence(words) < CONFIDENT) continue;
    const { left, right, top, bottom } = line.place;
    const across = (x: number): number => left + ((x - LINE_MARGIN) / cut.width) * (right - left);
    read.set(
      line,
      words.map(({ text, confidence, place }) => ({
        text,
        confidence,
        place: { left: across(place.left), right: across(place.right), top, bottom },
      })),
    );
  }
  return read;
}

/** Lets the line recogniser read lines; returns the words of each line that it could read. */
async function readLines(
  engines: OcrEngines,
  { picture, turn }: { picture: Picture; turn: Turn },
  lines: readonly SeenLine[],
  figuresOnly: boolean,
): Promise<Map<SeenLine, readonly ReadWord[]>> {
  const read = await engines.recognise(lines.map(({ box }) => cutLine(picture, box, turn)));
  const words = new Map<SeenLine, readonly ReadWord[]>();
  for (const [index, line] of lines.entries()) {
    const { text = '', score = 0, places = [] } = read[index] ?? {};
    if (score < LEAST_SCORE || text.trim() === '' || (figuresOnly && /\p{L}/u.test(text))) continue;
    words.set(line, wordsOfLine({ text, score, places }, line));
  }
  return words;
}

/** The words of lines that were read one by one. */
type LineWords = ReadonlyMap<SeenLine, readonly ReadWord[]>;

function assemble(
  page: Pick<RecognisedPage, 'straight' | 'turn' | 'language' | 'skew'>,
  read: PageReading,
  { alone, filled }: { alone: LineWords; filled: LineWords },
  byRows: boolean,
): RecognisedPage {
  const again = new Map([...alone, ...filled]);
  const replaced = new Set([...again.keys()].flatMap(({ words }) => words));
  const stray = new Set(read.stray.filter(({ confidence }) => confidence < STRAY));
  const kept = read.lines
    .map(({ words }) => ({ words: words.filter((word) => !replaced.has(word) && !stray.has(word)) }))
    .filter(({ words }) => words.length > 0);
  const added = [...again.values()].map((words) => ({ words }));
  const lines = orderLines(kept, added, byRows);
  const words = lines.flatMap((line) => line.words);
  const isUnread = (line: SeenLine): boolean => !again.has(line) && line.covered < PARTLY_COVERED;
  const lineWords = [...filled.values()].reduce((sum, found) => sum + found.length, 0);
  return {
    ...page,
    lines,
    seen: read.seen.length,
    unread: read.seen.filter(isUnread).length,
    coverage: shareOf(read.seen, (line) => !isUnread(line)),
    confidence: meanConfidence(words),
    words: { page: words.length - lineWords, line: lineWords },
  };
}
