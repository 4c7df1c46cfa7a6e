import { expect, test } from 'vitest';
import { orderLines, placeOf } from './line-order.ts';
import type { ReadLine } from './page-reading.ts';

/** A line of words at a place; each word is 40 pixels wide. */
function line(text: string, left: number, top: number): ReadLine {
  return {
    words: text.split(' ').map((word, index) => ({
      text: word,
      confidence: 90,
      place: { left: left + index * 50, top, right: left + index * 50 + 40, bottom: top + 20 },
    })),
  };
}
const textsOf = (lines: readonly ReadLine[]): string[] =>
  lines.map(({ words }) => words.map(({ text }) => text).join(' '));

test('a line that only one reader saw follows the last one above it, in its own column', () => {
  const columns = [
    line('left one', 0, 0),
    line('left three', 0, 80),
    line('right one', 400, 0),
    line('right two', 400, 40),
  ];
  expect(textsOf(orderLines(columns, [line('left two', 0, 40)], false))).toEqual([
    ...['left one', 'left two', 'left three', 'right one', 'right two'],
  ]);
});

test('a line above all others comes first, and one without neighbours comes last', () => {
  expect(textsOf(orderLines([line('body', 0, 100)], [line('title', 0, 0)], false))).toEqual([
    'title',
    'body',
  ]);
  expect(textsOf(orderLines([], [line('alone', 0, 0)], false))).toEqual(['alone']);
});

test('words that stand on the row of a line join it from left to right', () => {
  const [joined, ...others] = orderLines([line('total due', 0, 0)], [line('12.00', 110, 3)], false);
  expect(textsOf([joined as ReadLine])).toEqual(['total due 12.00']);
  expect(others).toEqual([]);
  expect(placeOf(joined as ReadLine)).toEqual({ left: 0, top: 0, right: 150, bottom: 23 });
});

test('on a receipt all words of one row are one line, however far apart', () => {
  const rows = orderLines(
    [line('milk', 0, 0), line('bread', 0, 40)],
    [line('2.10', 600, 42), line('0.95', 600, 2)],
    true,
  );
  expect(textsOf(rows)).toEqual(['milk 0.95', 'bread 2.10']);
});
