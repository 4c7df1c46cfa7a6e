const CURRENCY_SIGNS: Record<string, string> = {
  '£': 'GBP',
  '€': 'EUR',
  $: 'USD',
  '₹': 'INR',
  '¥': 'JPY',
  RM: 'MYR',
  Rs: 'INR',
  'Rs.': 'INR',
  US$: 'USD',
  A$: 'AUD',
  C$: 'CAD',
  S$: 'SGD',
  Fr: 'CHF',
  'Fr.': 'CHF',
  Euro: 'EUR',
  EURO: 'EUR',
  zł: 'PLN',
  kr: 'SEK',
};
const CURRENCY_CODES = [
  'GBP',
  'EUR',
  'USD',
  'CHF',
  'INR',
  'AUD',
  'CAD',
  'SEK',
  'NOK',
  'DKK',
  'PLN',
  'JPY',
  'NZD',
  'MYR',
  'SGD',
  'HKD',
  'CZK',
  'HUF',
  'ZAR',
  'BRL',
];
/** Codes that are rare, or that are words or marks elsewhere: they count only beside a figure. */
const CODES_BESIDE_FIGURES = new Set(
  'AED SAR QAR KWD OMR JOD EGP ILS TRY RON BGN ISK RSD UAH CNY TWD KRW THB VND IDR PHP LKR PKR BDT MXN COP CLP ARS UYU NGN KES GHS TZS UGX XOF XAF MAD TND'.split(
    ' ',
  ),
);
const SIGN = '(?:US\\$|[AC]\\$|S\\$|£|€|\\$|₹|¥|RM|Rs\\.?|Fr\\.?|zł|kr|[A-Z]{3})';
/** 12,34,567: groups of two digits before the last group of three, as in India. */
const INDIAN = /^\d{1,2}(?:,\d{2})+,\d{3}(?!\d)/;
/** Figures with or without groups of thousands, and with at most two decimals. */
const FIGURES =
  "\\d{1,2}(?:,\\d{2})+,\\d{3}(?:\\.\\d{1,2})?|\\d{1,3}(?:[ ,.'’\\u202f]\\d{3})+(?:[.,]\\d{1,2})?|\\d+(?:[.,]\\d{1,2})?";
const AMOUNT = new RegExp(
  `(?<![\\d.,/-])(-|−|\\()?\\s?(?:(?<![A-Za-z])(${SIGN})\\s?)?(-|−)?(${FIGURES})(?!\\d|[.,]\\d|[-/.]\\d|\\s?%)(-(?![\\d\\p{L}]))?\\)?(?:\\s?(${SIGN})(?!\\p{L}))?`,
  'gu',
);

/** An amount of money as printed, its value as a decimal string, and its currency if it is printed. */
export interface Amount {
  readonly printed: string;
  readonly value: string;
  readonly currency: string | undefined;
  /** Its place in the text. */
  readonly index: number;
}

/**
 * The amounts in a text, in English and continental notation. A whole number counts only with a currency beside it.
 */
export function findAmounts(text: string): Amount[] {
  const amounts: Amount[] = [];
  for (const match of text.matchAll(AMOUNT)) {
    const [whole, minus, before, minusAfter, digits = '', minusBehind, after] = match;
    const currency = currencyOf(before) ?? currencyOf(after);
    const decimals = /[.,]\d{2}$/.test(digits);
    if (currency === undefined && !decimals) continue;
    const value = Number(
      (INDIAN.test(digits) ? digits.replaceAll(',', '') : digits)
        .replace(/[ '’\u202f]/g, '')
        .replace(/[.,](?=\d{3}(\D|$))/g, '')
        .replace(',', '.'),
    );
    if (!Number.isFinite(value)) continue;
    const negative = Boolean(minus) || minusAfter !== undefined || minusBehind !== undefined;
    const printed = whole.trim();
    amounts.push({
      printed,
      value: (negative ? -value : value).toFixed(2),
      currency,
      index: match.index + whole.indexOf(printed),
    });
  }
  return amounts;
}

/** The ISO 4217 code of a sign or code. */
export function currencyOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isCode = CURRENCY_CODES.includes(text) || CODES_BESIDE_FIGURES.has(text);
  return CURRENCY_SIGNS[text] ?? (isCode ? text : undefined);
}

const OTHER_CODE = `(?:${[...CODES_BESIDE_FIGURES].join('|')})`;
const BESIDE_FIGURES = `\\b${OTHER_CODE}(?=\\s?-?\\d)|(?<=\\d[.,]\\d\\d\\s?)${OTHER_CODE}\\b`;

/** The currency that the document names most often. */
export function mainCurrency(text: string): { code: string; printed: string } | undefined {
  const counts = new Map<string, { count: number; printed: string }>();
  const pattern = new RegExp(
    `${BESIDE_FIGURES}|[£€₹]|(?<![A-Z])\\$|\\b(?:${CURRENCY_CODES.join('|')}|Euro|EURO)\\b|(?<![A-Za-z])(?:RM|Rs\\.?)(?=\\s?-?\\d)`,
    'g',
  );
  for (const [printed] of text.matchAll(pattern)) {
    const code = currencyOf(printed);
    if (code === undefined) continue;
    const known = counts.get(code);
    counts.set(code, { count: (known?.count ?? 0) + 1, printed: known?.printed ?? printed });
  }
  const [best] = [...counts].sort((a, b) => b[1].count - a[1].count);
  return best === undefined ? undefined : { code: best[0], printed: best[1].printed };
}
