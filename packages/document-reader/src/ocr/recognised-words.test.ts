import { expect, test } from 'vitest';
import type { Box } from './box-geometry.ts';
import type { SeenLine } from './line-coverage.ts';
import { wordsOfLine } from './recognised-words.ts';

const box: Box = [
  [0, 0],
  [100, 0],
  [100, 10],
  [0, 10],
];
/** A line of 100 pixels in which the page reader read these words. */
const seen = (...texts: string[]): SeenLine => ({
  ...{ box, covered: 1, confidence: 90, place: { left: 0, top: 0, right: 100, bottom: 10 } },
  words: texts.map((text) => ({ text, confidence: 90, place: { left: 0, top: 0, right: 100, bottom: 10 } })),
});
/** A reading of the recogniser, with its letters evenly along the line. */
const recognised = (text: string, score = 0.9) => ({
  ...{ text, score },
  places: [...text].map((_, index) => (index + 0.5) / text.length),
});
const textsOf = (text: string, ...model: string[]): string[] =>
  wordsOfLine(recognised(text), seen(...model)).map((word) => word.text);

test('spaces that the recogniser dropped are taken from the page reader, where both read the same letters', () => {
  expect(textsOf('Totaldue12.00', 'Total', 'due', '12.00')).toEqual(['Total', 'due', '12.00']);
  expect(textsOf('Total due', 'Totaldue')).toEqual(['Total', 'due']);
  expect(textsOf('Totaldue', 'Summe', 'offen')).toEqual(['Totaldue']);
});

test('a letter that one reader lost moves the space by one place', () => {
  expect(textsOf('Tctaldue', 'Tcotal', 'due')).toEqual(['Tctal', 'due']);
});

test('each word has its part of the line, and the confidence of the line', () => {
  const [first, second] = wordsOfLine(recognised('ab cd', 0.87), seen());
  expect(first).toMatchObject({
    text: 'ab',
    confidence: 87,
    place: { left: 0, right: 40, top: 0, bottom: 10 },
  });
  expect(second).toMatchObject({ text: 'cd', confidence: 87, place: { left: 60, right: 100 } });
});
