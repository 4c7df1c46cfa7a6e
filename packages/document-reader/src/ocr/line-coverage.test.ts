import { expect, test } from 'vitest';
import type { Box } from './box-geometry.ts';
import { compareWithSeen, meanConfidence, shareOf } from './line-coverage.ts';
import type { ReadWord } from './page-reading.ts';

const box = (left: number, top: number, right: number, bottom: number): Box => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
];
const word = (text: string, left: number, right: number, top: number, confidence = 80): ReadWord => ({
  text,
  confidence,
  place: { left, top, right, bottom: top + 20 },
});
/** The page is twice as large as its source. */
const page = { fromSource: ([x, y]: readonly [number, number]) => [x * 2, y * 2] as const };

test('words are matched with the lines that were seen; words outside of all lines are stray', () => {
  const { seen, stray } = compareWithSeen([box(0, 0, 100, 10), box(0, 50, 100, 60)], page, [
    { words: [word('due', 60, 100, 0), word('Total', 0, 50, 0), word('stamp', 300, 350, 300)] },
  ]);
  expect(seen.map(({ words }) => words.map(({ text }) => text))).toEqual([['Total', 'due'], []]);
  expect(seen.map(({ covered }) => covered)).toEqual([0.45, 0]);
  expect(stray.map(({ text }) => text)).toEqual(['stamp']);
});

test('a word counts to the line that holds most of it, if that is a third', () => {
  const lines = [box(0, 0, 100, 10), box(0, 10, 100, 20)];
  const homeOf = (top: number): number =>
    compareWithSeen(lines, page, [{ words: [word('x', 0, 40, top)] }]).seen.findIndex(
      ({ words }) => words.length > 0,
    );
  expect([2, 12, 33, 34].map(homeOf)).toEqual([0, 1, 1, -1]);
});

test('words that overlap cover their place once', () => {
  const { seen } = compareWithSeen([box(0, 0, 100, 10)], page, [
    { words: [word('Tota', 0, 100, 0), word('total', 50, 150, 0)] },
  ]);
  expect(seen[0]?.covered).toBe(0.75);
});

test('a long word has more weight in the confidence, and a long line in the share that was read', () => {
  expect(meanConfidence([word('a', 0, 10, 0, 0), word('bcd', 20, 50, 0, 100)])).toBe(75);
  expect(meanConfidence([])).toBe(0);
  const { seen } = compareWithSeen([box(0, 0, 300, 10), box(0, 20, 100, 30)], page, [
    { words: [word('long', 0, 500, 0)] },
  ]);
  expect(shareOf(seen, ({ words }) => words.length > 0)).toBe(0.75);
  expect(shareOf([], () => false)).toBe(1);
});
