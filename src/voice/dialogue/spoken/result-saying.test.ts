import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sayResult } from './result-saying.server.ts';

test.each([
  [{ stock: 'forty two boxes' }, 'Stock: forty two boxes.'],
  ['{"stock":"forty two boxes"}', 'Stock: forty two boxes.'],
  [{ result: { id: 'o-1', deliveryDate: 'Friday', paid: true } }, 'Delivery date: Friday. Paid: yes.'],
  [
    [
      { name: 'Blue kite', price: '£9' },
      { name: 'Red kite', price: '£11' },
    ],
    'I found 2: Blue kite, price £9 and Red kite, price £11.',
  ],
  [{ data: ['Monday', 'Tuesday', 'Friday'] }, 'I found 3: Monday; Tuesday and Friday.'],
  [[1, 2, 3, 4, 5, 6, 7], 'I found 7: 1; 2; 3; 4; 5; and 2 more.'],
  [[], 'I found nothing.'],
  ['From nine to five.', 'From nine to five.'],
  [{ open: false, hours: null }, 'Open: no.'],
  [{ success: true }, 'That is done.'],
  [true, 'Yes.'],
  [undefined, 'That is done.'],
  ['{not json', '{not json.'],
])('%j is said as a sentence', (result, said) => {
  expect(sayResult(result)).toBe(said);
});

test('no result that a server can send breaks the call, is silent, or is read out for minutes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (result) => {
      const said = sayResult(result);
      expect(said.length).toBeGreaterThan(0);
      expect(said.length).toBeLessThan(405);
    }),
    { seed: 582 },
  );
});
