import { formatMoney, placesOf } from './money.ts';

/** An amount in a currency's smallest unit as a decimal number: `49.00`, or `5000` of yen. */
export const decimalMoney = (amount: number, currency: string): string =>
  (amount / 10 ** placesOf(currency)).toFixed(placesOf(currency));

/** The amount of a decimal number, with a point or a comma, in the smallest unit; undefined for other words. */
export function readMoney(words: string, currency: string): number | undefined {
  const places = placesOf(currency);
  const [, whole, part = ''] = /^(\d{1,10})(?:[.,](\d{1,2}))?$/.exec(words.trim()) ?? [];
  if (whole === undefined || part.length > places) return undefined;
  return Number(whole + part.padEnd(places, '0'));
}

/** `£20`, or `£15 and €49`: amounts of two currencies are never added. Empty without any amount. */
export function sumMoney(amounts: readonly { readonly amount: number; readonly currency: string }[]): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of amounts)
    sums.set(currency.toUpperCase(), (sums.get(currency.toUpperCase()) ?? 0) + amount);
  return [...sums].map(([currency, sum]) => formatMoney(sum, currency)).join(' and ');
}
