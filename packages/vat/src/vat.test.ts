import { expect, test } from 'vitest';
import { includedVat, vatFor } from './vat.ts';

const german = {
  country: 'DE',
  rates: new Map([
    ['DE', 19],
    ['FR', 20],
    ['NO', 25],
  ]),
};
const british = { country: 'GB', rates: new Map([['GB', 20]]) };

test('the buyer’s country and VAT number decide whose VAT is in a price, and at which rate', () => {
  for (const [terms, country, numberOf, kind, of, percent] of [
    [german, undefined, undefined, 'standard', 'DE', 19],
    [german, 'DE', 'DE', 'standard', 'DE', 19],
    [german, 'AT', 'AT', 'reverse_charge', 'AT', 0],
    [german, 'AT', 'FR', 'standard', 'DE', 19],
    [german, 'AT', undefined, 'standard', 'DE', 19],
    [german, 'FR', undefined, 'standard', 'FR', 20],
    [german, 'FR', 'FR', 'reverse_charge', 'FR', 0],
    [german, 'US', undefined, 'none', 'US', 0],
    [german, 'GB', 'GB', 'none', 'GB', 0],
    [german, 'NO', undefined, 'standard', 'NO', 25],
    [british, 'GB', undefined, 'standard', 'GB', 20],
    [british, 'DE', 'DE', 'none', 'DE', 0],
  ] as const)
    expect(vatFor(terms, { country, numberOf }), `${terms.country} to ${country}, ${numberOf}`).toEqual({
      kind,
      country: of,
      percent,
    });
});

test('the VAT in a price is rounded to a penny, also for refunds', () => {
  expect(includedVat(4900, { percent: 20 })).toBe(817);
  expect(includedVat(1500, { percent: 19 })).toBe(239);
  expect(includedVat(-1500, { percent: 19 })).toBe(-239);
  expect(includedVat(1500, { percent: 0 })).toBe(0);
  expect(Object.is(includedVat(-1, { percent: 20 }), 0)).toBe(true);
});
