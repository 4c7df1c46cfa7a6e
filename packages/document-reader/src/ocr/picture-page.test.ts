import { expect, test } from 'vitest';
import type { ReadLine } from './page-reading.ts';
import type { RecognisedPage } from './page-recognition.ts';
import { blankPicture } from './picture.ts';
import { textOfPicture } from './picture-page.ts';

const line = (top: number, ...words: (readonly [text: string, left: number, right: number])[]): ReadLine => ({
  words: words.map(([text, left, right]) => ({
    ...{ text, confidence: 88 },
    place: { left, top, right, bottom: top + 20 },
  })),
});

/** A page that was read at the size of its picture, 1000 by 2000 pixels. */
function pageOf(lines: readonly ReadLine[]): RecognisedPage {
  const reading = { turn: 0, skew: 0, language: 'eng', confidence: 88, coverage: 1 } as const;
  return {
    ...reading,
    ...{ lines, seen: lines.length, unread: 0, words: { page: 3, line: 0 } },
    straight: { picture: blankPicture(1000, 2000), scale: 1, toSource: (at) => at, fromSource: (at) => at },
  };
}
const read = (...lines: ReadLine[]) =>
  textOfPicture(pageOf(lines), { width: 1000, height: 2000 }, { number: 2, width: 500 });

test('places become points with the foot of the page as 0', () => {
  const { runs, lines } = read(line(100, ['Total', 200, 260], ['due', 270, 300]));
  expect(runs.map(({ text, x, y, width }) => ({ text, x, y, width }))).toEqual([
    { text: 'Total', x: 100, y: 940, width: 30 },
    { text: 'due', x: 135, y: 940, width: 15 },
  ]);
  expect(lines.map(({ text, tabular, x }) => ({ text, tabular, x }))).toEqual([
    { text: 'Total due', tabular: false, x: 100 },
  ]);
});

test('a wide gap separates the cells of a table, and each word keeps its place in the text and its box', () => {
  const [only] = read(line(100, ['Milk', 100, 160], ['0.95', 800, 860])).lines;
  expect(only).toMatchObject({ text: 'Milk  0.95', tabular: true });
  // Ten-thousandths of the page: left, top, width, height; then the confidence.
  expect(only?.words).toEqual([
    [0, 4, 1000, 500, 600, 100, 88],
    [6, 10, 8000, 500, 600, 100, 88],
  ]);
});

test('a line of blanks is left out, and the reading names its reader', () => {
  const { lines, reading } = read(line(100, [' ', 0, 10]), line(200, ['Milk', 0, 60]));
  expect(lines.map(({ text }) => text)).toEqual(['Milk']);
  expect(reading).toMatchObject({ page: 2, reader: 'page', turned: 0, confidence: 88, coverage: 1 });
});
