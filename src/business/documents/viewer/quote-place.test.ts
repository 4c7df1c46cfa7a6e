import { expect, test } from 'vitest';
import type { Block } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { findInBlocks, MOST_FOUND } from './document-find.web.ts';
import { placeQuote } from './quote-place.web.ts';
import { wordBoxes } from './word-boxes.web.ts';

test('a quote is found in the texts of a page, with any white space, hyphens and letter forms', () => {
  const texts = ['Total due ', '£1,', '238.40', 'Rech-', 'nung ﬁnal'];
  expect(placeQuote(texts, '£1,238.40')).toEqual([
    { item: 1, start: 0, end: 3 },
    { item: 2, start: 0, end: 6 },
  ]);
  expect(placeQuote(texts, 'Rechnung final')).toEqual([
    { item: 3, start: 0, end: 4 },
    { item: 4, start: 0, end: 9 },
  ]);
  expect(placeQuote(texts, 'Café')).toEqual([]);
  expect(placeQuote(texts, ' ')).toEqual([]);
});

test('of two equal quotes, the one after the same words counts', () => {
  claims('These words could not be placed on the page’s picture, so they are marked in the text.');
  const texts = ['Net 10.00', 'VAT 10.00'];
  expect(placeQuote(texts, '10.00', 'Net 10.00\nVAT ')).toEqual([{ item: 1, start: 4, end: 9 }]);
  expect(placeQuote(texts, '10.00', 'Net ')).toEqual([{ item: 0, start: 4, end: 9 }]);
});

test('a long quote that is drawn in another order is placed by its beginning and its end', () => {
  const [first, second] = [
    'alpha beta gamma delta epsilon zeta eta theta',
    'iota kappa lambda mu nu xi omicron pi rho',
  ];
  const runs = placeQuote([second ?? '', first ?? ''], `${first} ${second}`);
  expect(runs.map(({ item }) => item)).toEqual([1, 0]);
});

test('the words of a quote that was read from a picture get boxes line by line', () => {
  const block: Block = {
    id: 'b1',
    type: 'para',
    text: 'Total due 12.40',
    words: [
      [0, 5, 1000, 2000, 800, 200, 97],
      [6, 9, 1900, 2010, 500, 200, 95],
      [10, 15, 1000, 2400, 900, 200, 91],
    ],
  };
  const cite = { block: 'b1', quote: 'Total due 12.40', start: 0, end: 15 };
  expect(wordBoxes(block, cite)).toEqual([
    { left: 10, top: 20, width: 14, height: expect.closeTo(2.1) },
    { left: 10, top: 24, width: 9, height: 2 },
  ]);
  expect(wordBoxes(undefined, cite)).toEqual([]);
});

test('a search finds every place, ignoring accents and case, and its quotes are there', () => {
  const blocks: Block[] = [
    { id: 'b1', type: 'para', page: 1, text: 'Die Prüfung der PRUFUNG\nbeginnt' },
    { id: 'b2', type: 'para', page: 2, text: 'keine' },
  ];
  const found = findInBlocks(blocks, 'prufung ');
  expect(found.map(({ quote }) => quote)).toEqual(['Prüfung', 'PRUFUNG']);
  expect(findInBlocks(blocks, 'PRUFUNG beginnt')).toMatchObject([{ page: 1, quote: 'PRUFUNG\nbeginnt' }]);
  expect(findInBlocks(blocks, '(.*')).toEqual([]);
  expect(findInBlocks([{ id: 'b1', type: 'para', text: 'aa '.repeat(600) }], 'aa')).toHaveLength(MOST_FOUND);
});
