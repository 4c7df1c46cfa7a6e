/** Currencies whose smallest unit is the unit itself, as Stripe counts them. */
const WHOLE = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/i;

/** Decimal places between a currency (ISO 4217, in either case) and its smallest unit: 2, or 0 as for yen. */
export const placesOf = (currency: string): number => (WHOLE.test(currency) ? 0 : 2);

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
