import { expect, test } from 'vitest';
import { createCiter } from './quote-finding.ts';
import type { Block } from './report.contract.ts';

const blocks: Block[] = [
  { id: 'b1', type: 'para', page: 1, text: 'Invoice 12 of 120 pages' },
  { id: 'b2', type: 'para', page: 1, text: 'Total due\n  £120.00' },
  { id: 'b3', type: 'para', page: 2, text: 'Deposit £120.00 paid' },
];
const citer = createCiter(blocks);

test('a quote is found if the white space differs, and cited as the document prints it', () => {
  expect(citer.find('Total due £120.00', 1)).toEqual({
    block: 'b2',
    page: 1,
    quote: 'Total due\n  £120.00',
    start: 0,
    end: 19,
  });
});

test('a number is not found inside a longer one', () => {
  expect(citer.find('12', 1)?.start).toBe(8);
  expect(citer.find('2', 1)).toBeUndefined();
});

test('among several places the one beside a given word counts, else the first; other pages do not count', () => {
  expect(citer.find('£120.00', undefined)?.block).toBe('b2');
  expect(citer.find('£120.00', undefined, 'deposit')?.block).toBe('b3');
  expect(citer.find('£120.00', undefined, 'nowhere')?.block).toBe('b2');
  expect(citer.find('Deposit', 1)).toBeUndefined();
  expect(citer.find('  ', 1)).toBeUndefined();
});

test('a quote ends after 2,000 characters', () => {
  const long: Block = { id: 'b1', type: 'para', text: 'x'.repeat(3000) };
  expect(createCiter([long]).at(long, 500, 3000)).toMatchObject({ start: 500, end: 2500 });
});
