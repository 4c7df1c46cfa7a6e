/** Currencies whose smallest unit is the unit itself, as Stripe counts them. */
const WHOLE = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/i;

/** Decimal places between a currency (ISO 4217, in either case) and its smallest unit: 2, or 0 as for yen. */
export const placesOf = (currency: string): number => (WHOLE.test(currency) ? 0 : 2);

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

/**
 * An amount in a currency's smallest unit for English readers: `£15`, `€15.50`, `¥5,000`, `CHF 49`.
 *
 * @param sign `code` has no signs, as `EUR 15.50`
 */
export function formatMoney(amount: number, currency: string, sign: 'symbol' | 'code' = 'symbol'): string {
  const places = placesOf(currency);
  const unit = 10 ** places;
  const digits = amount % unit === 0 ? 0 : places;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: sign,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / unit);
}

/** What people call a currency: `pounds`, `euros`, `yen`, `francs`. */
export function currencyWord(currency: string): string {
  const name = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'name' })
    .formatToParts(2)
    .find(({ type }) => type === 'currency')?.value;
  return (name ?? currency).split(' ').at(-1)?.toLowerCase() ?? currency;
}

/** `£20`, or `£15 and €49`: amounts of two currencies are never added. Empty without any amount. */
export function sumMoney(amounts: readonly { readonly amount: number; readonly currency: string }[]): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of amounts)
    sums.set(currency.toUpperCase(), (sums.get(currency.toUpperCase()) ?? 0) + amount);
  return [...sums].map(([currency, sum]) => formatMoney(sum, currency)).join(' and ');
}
