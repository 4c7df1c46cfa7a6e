import { expect, test } from 'vitest';
import { decimalMoney, readMoney, sumMoney } from './amounts.ts';
import { currencyWord, formatMoney } from './money.ts';

const said = (amounts: readonly number[], currency: string): string[] =>
  amounts.map((amount) => formatMoney(amount, currency).replace(/\s/g, ' '));

test('an amount is written with the sign and the decimal places of its currency', () => {
  expect(said([1500, 1550, 5, 0, 129_900, -1234], 'GBP')).toEqual([
    '£15',
    '£15.50',
    '£0.05',
    '£0',
    '£1,299',
    '-£12.34',
  ]);
  expect(said([4900, 4950], 'eur')).toEqual(['€49', '€49.50']);
  expect(said([9950], 'USD')).toEqual(['$99.50']);
  expect(said([5000, 1], 'jpy')).toEqual(['¥5,000', '¥1']);
  expect(said([4900, 4905], 'CHF')).toEqual(['CHF 49', 'CHF 49.05']);
  expect(formatMoney(4950, 'eur', 'code').replace(/\s/g, ' ')).toBe('EUR 49.50');
});

test('what is typed and what machines read have as many places as the currency', () => {
  expect([decimalMoney(4900, 'eur'), decimalMoney(5000, 'JPY')]).toEqual(['49.00', '5000']);
  expect(['49', '49.5', '49,50', ' 49.50 '].map((words) => readMoney(words, 'CHF'))).toEqual([
    4900, 4950, 4950, 4950,
  ]);
  expect(['5000', '50.5', '-5', '', '1e3', '49.505'].map((words) => readMoney(words, 'jpy'))).toEqual([
    5000,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a currency has the name that people say', () => {
  expect(['GBP', 'eur', 'USD', 'JPY', 'CHF'].map(currencyWord)).toEqual([
    'pounds',
    'euros',
    'dollars',
    'yen',
    'francs',
  ]);
});

test('a sum is one for each currency', () => {
  const pound = (amount: number) => ({ amount, currency: 'gbp' });
  expect(sumMoney([])).toBe('');
  expect(sumMoney([pound(1500), { amount: 4900, currency: 'EUR' }, pound(500)])).toBe('£20 and €49');
});
