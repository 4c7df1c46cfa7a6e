import { expect, test } from 'vitest';
import { readCard } from './test-cards.ts';

const NOW = new Date('2026-06-15T12:00:00Z');
const read = (expiry: string) =>
  readCard(
    { email: 'a@customers.example', number: '4242 4242 4242 4242', expiry, cvc: '123', name: 'Ada Byron' },
    NOW,
  );

test.each([
  ['12 / 30', 12, 2030],
  ['1230', 12, 2030],
  ['12 30', 12, 2030],
  ['122030', 12, 2030],
  ['6/2031', 6, 2031],
  ['06/26', 6, 2026],
])(
  'an expiry date is read with and without the stroke, which numeric keypads lack: %j',
  (text, month, year) => {
    expect(read(text)).toMatchObject({ card: { exp_month: month, exp_year: year } });
  },
);

test.each(['', '13/30', '00/30', '123', '1', '12/3', 'ab/cd', '05/26'])(
  'what is no date to come is refused beside the field: %j',
  (text) => {
    expect(read(text)).toMatchObject({ errors: { expiry: expect.any(String) } });
  },
);
