import { cleanText, type PageFromPicture, type Row } from '../contract/extracted-document.ts';
import type { BlockWord } from '../contract/report.contract.ts';
import type { Line, PageLines } from '../layout/page-paragraphs.ts';
import { pageRows, type TextRun } from '../layout/page-rows.ts';
import { extentOf, medianOf } from './box-geometry.ts';
import { placeOf } from './line-order.ts';
import type { ReadLine, ReadWord } from './page-reading.ts';
import type { RecognisedPage } from './page-recognition.ts';
import type { Size } from './picture.ts';

/** A gap wider than this many line heights separates two cells of a table. */
const CELL_GAP = 1.8;
/** Lines whose height differs less from the page's median have the same size, as boxes are inexact. */
const SAME_SIZE = 0.28;
/** Ratio of a font's size to the height of its print. */
const SIZE_OF_HEIGHT = 1.15;
/** Distance between the lines of a paragraph, in font sizes. */
const LEADING = 1.5;
/** Word boxes are in ten-thousandths of the page's width and height. */
const FRACTIONS = 10_000;

/** The text of a page's picture in the form of a text layer: points, y upwards. */
export interface TextOfPicture {
  readonly lines: Line[];
  readonly runs: TextRun[];
  readonly reading: PageFromPicture;
}

/** The printed rows of a picture. */
export const rowsOf = ({ reading, runs }: TextOfPicture): Row[] => pageRows(reading.page, runs, []);

/** A picture's lines as those of a page. */
export function pageLines({ lines, reading: { page } }: TextOfPicture): PageLines {
  return { page, height: Math.max(0, ...lines.map(({ y, size }) => y + size)), lines, form: [] };
}

/**
 * Gives a recognised page the form of a printed one, so that both become paragraphs and rows in the same way.
 *
 * @param source size of the picture that was read, pixels
 * @param width width of the page, points
 */
export function textOfPicture(
  page: RecognisedPage,
  source: Size,
  { number, width }: { number: number; width: number },
): TextOfPicture {
  const points = width / source.width / page.straight.scale;
  const height = page.straight.picture.height;
  const placed = page.lines.map((line) => ({ line, place: placeOf(line) }));
  const heights = placed.map(({ place }) => (place.bottom - place.top) * points * SIZE_OF_HEIGHT);
  const body = bodySize(
    heights,
    placed.map(({ place }) => place.bottom * points),
  );
  const lines: Line[] = [];
  const runs: TextRun[] = [];
  for (const [index, { line, place }] of placed.entries()) {
    const own = heights[index] ?? body;
    const size = Math.abs(own / medianOf(heights, body) - 1) < SAME_SIZE ? body : own;
    const y = (height - place.bottom) * points;
    const shape = lineOf(line, { page, source, unit: size / points });
    if (shape.text === '') continue;
    lines.push({ ...shape, x: place.left * points, y, size });
    runs.push(
      ...line.words.map((word) => ({
        text: cleanText(word.text),
        x: word.place.left * points,
        y,
        width: (word.place.right - word.place.left) * points,
        size,
        endOfLine: false,
      })),
    );
  }
  return { lines, runs, reading: readingOf(page, number) };
}

/** The size of most lines, from their height, but not smaller than their distance suggests. */
function bodySize(heights: readonly number[], bottoms: readonly number[]): number {
  const middle = medianOf(heights, 10);
  const steps = bottoms
    .slice(1)
    .map((bottom, index) => bottom - (bottoms[index] ?? bottom))
    .filter((step) => step > middle * 0.8 && step < middle * 2.2);
  return Math.max(middle, medianOf(steps, 0) / LEADING);
}

function lineOf(
  { words }: ReadLine,
  { page, source, unit }: { page: RecognisedPage; source: Size; unit: number },
): Pick<Line, 'text' | 'tabular' | 'words'> {
  let text = '';
  let tabular = false;
  let last: ReadWord | undefined;
  const placed: BlockWord[] = [];
  for (const word of words) {
    const clean = cleanText(word.text).trim();
    if (clean === '') continue;
    const wide = last !== undefined && word.place.left - last.place.right > unit * CELL_GAP;
    if (last !== undefined) text += wide ? '  ' : ' ';
    tabular ||= wide;
    placed.push([text.length, text.length + clean.length, ...boxOf(word, page, source)]);
    text += clean;
    last = word;
  }
  return { text, tabular, words: placed };
}

/** Left, top, width, height in ten-thousandths of the picture as it is shown; confidence in per cent. */
function boxOf(
  { place, confidence }: ReadWord,
  { straight }: RecognisedPage,
  source: Size,
): [number, number, number, number, number] {
  const { left, top, right, bottom } = extentOf(
    (
      [
        [place.left, place.top],
        [place.right, place.top],
        [place.right, place.bottom],
        [place.left, place.bottom],
      ] as const
    ).map((corner) => straight.toSource(corner)),
  );
  const part = (value: number, whole: number): number =>
    Math.max(0, Math.min(FRACTIONS, Math.round((value / whole) * FRACTIONS)));
  const [x, y] = [part(left, source.width), part(top, source.height)];
  return [
    x,
    y,
    part(right, source.width) - x,
    part(bottom, source.height) - y,
    Math.max(0, Math.min(100, Math.round(confidence))),
  ];
}

function readingOf(page: RecognisedPage, number: number): PageFromPicture {
  const { words, turn, skew, confidence, coverage } = page;
  return {
    page: number,
    reader: words.line === 0 ? 'page' : words.page === 0 ? 'line' : 'both',
    turned: turn,
    skew: Math.round(skew * 10) / 10,
    confidence: Math.round(confidence),
    linesSeen: page.seen,
    linesUnread: page.unread,
    coverage: Math.round(coverage * 1000) / 1000,
  };
}
