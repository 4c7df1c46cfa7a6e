import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { isIsoDay } from '../../../kernel/contract/dates.ts';

const MONTHS: Record<string, number> = {};
const MONTH_WORDS = [
  'january jan januar janvier janv januari jänner enero ene gennaio gen',
  'february feb februar février févr fevrier fév februari febrero febbraio',
  'march mar märz mars maart mrz mrt marzo',
  'april apr avril avr abril abr aprile',
  'may mai mei mayo maggio mag',
  'june jun juni juin junio giugno giu',
  'july jul juli juillet juil julio luglio lug',
  'august aug août aout augustus agosto ago',
  'september sep sept septembre septiembre settembre set',
  'october oct oktober okt octobre octubre ottobre ott',
  'november nov novembre noviembre',
  'december dec dezember dez décembre decembre déc diciembre dic dicembre',
];
for (const [index, words] of MONTH_WORDS.entries())
  for (const word of words.split(' ')) MONTHS[word] = index + 1;
const MONTH = Object.keys(MONTHS)
  .sort((a, b) => b.length - a.length)
  .join('|');

const DATE_FORMS: readonly [
  RegExp,
  (match: RegExpExecArray, dayFirst: boolean) => [number, number, number],
][] = [
  [/\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b/, (m) => [Number(m[1]), Number(m[2]), Number(m[3])]],
  [
    new RegExp(
      `\\b(\\d{1,2})(?:st|nd|rd|th|er|\\.)?\\s*(?:day of\\s+|of\\s+|de\\s+|di\\s+|[-/.])?(${MONTH})\\.?,?(?:\\s+del?\\s+|\\s*[-/.,]?\\s*)(\\d{4}|\\d{2})(?![\\d:])`,
      'i',
    ),
    (m) => [year(m[3]), MONTHS[(m[2] ?? '').toLowerCase()] ?? 0, Number(m[1])],
  ],
  [
    new RegExp(`\\b(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?\\s?,?\\s*(\\d{4})(?!\\d)`, 'i'),
    (m) => [year(m[3]), MONTHS[(m[1] ?? '').toLowerCase()] ?? 0, Number(m[2])],
  ],
  [
    /(?<![\d./-])(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4}(?!\d(?!\d?:\d\d))|\d{2}(?!\d))/,
    (m, dayFirst) => {
      const [first, second] = [Number(m[1]), Number(m[2])];
      const swap = second > 12 || (!dayFirst && first <= 12);
      return [year(m[3]), swap ? first : second, swap ? second : first];
    },
  ],
];

function year(text: string | undefined): number {
  const value = Number(text);
  return (text ?? '').length === 2 ? (value > 70 ? 1900 : 2000) + value : value;
}

/** A date as printed and as ISO `YYYY-MM-DD`. `dayFirst` settles 03/04/2026. Undefined when there is none. */
export function findDate(text: string, dayFirst = true): { printed: string; iso: string } | undefined {
  let best: { printed: string; iso: string; index: number } | undefined;
  for (const [pattern, order] of DATE_FORMS) {
    const match = pattern.exec(text);
    if (match === null || (best !== undefined && best.index <= match.index)) continue;
    const [y, m, d] = order(match, dayFirst);
    const date = new Date(Date.UTC(y, m - 1, d));
    if (y < 1900 || y > 2199 || date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) continue;
    best = { printed: match[0].trim(), iso: date.toISOString().slice(0, 10), index: match.index };
  }
  return best;
}

/** 2026-04-02 → 2 April 2026; what is no such day, as it is: an automation may call anything a date. */
export function readableDay(iso: string | undefined): string {
  if (iso === undefined || !isIsoDay(iso)) return iso ?? '';
  return LONG_DAY.format(new Date(`${iso}T00:00:00Z`));
}

const LONG_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

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
/** Codes that are words or marks elsewhere, or seldom: they count beside a figure only. */
const CODES_BESIDE_FIGURES = new Set(
  'AED SAR QAR KWD OMR JOD EGP ILS TRY RON BGN ISK RSD UAH CNY TWD KRW THB VND IDR PHP LKR PKR BDT MXN COP CLP ARS UYU NGN KES GHS TZS UGX XOF XAF MAD TND'.split(
    ' ',
  ),
);
const SIGN = '(?:US\\$|[AC]\\$|S\\$|£|€|\\$|₹|¥|RM|Rs\\.?|Fr\\.?|zł|kr|[A-Z]{3})';
/** 12,34,567: groups of two before the last one of three, as in India. */
const INDIAN = /^\d{1,2}(?:,\d{2})+,\d{3}(?!\d)/;
/** Figures with or without groups of thousands, and at most two decimals. */
const FIGURES =
  "\\d{1,2}(?:,\\d{2})+,\\d{3}(?:\\.\\d{1,2})?|\\d{1,3}(?:[ ,.'’\\u202f]\\d{3})+(?:[.,]\\d{1,2})?|\\d+(?:[.,]\\d{1,2})?";
const AMOUNT = new RegExp(
  `(?<![\\d.,/-])(-|−|\\()?\\s?(?:(?<![A-Za-z])(${SIGN})\\s?)?(-|−)?(${FIGURES})(?!\\d|[.,]\\d|[-/.]\\d|\\s?%)(-(?![\\d\\p{L}]))?\\)?(?:\\s?(${SIGN})(?!\\p{L}))?`,
  'gu',
);

/** An amount of money as printed, its value as a decimal string, and its currency where it is printed. */
export interface Amount {
  readonly printed: string;
  readonly value: string;
  readonly currency: string | undefined;
  /** Where it begins in the text. */
  readonly index: number;
}

/**
 * The amounts in a text, English and continental. A bare whole number counts only with a
 * currency next to it.
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

/** ISO 4217 code of a sign or code. */
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

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g;

/** IBANs whose check digits hold (ISO 13616), as printed and compact. */
export function findIbans(text: string): { printed: string; compact: string }[] {
  const found: { printed: string; compact: string }[] = [];
  for (const [printed] of text.matchAll(IBAN)) {
    // The pattern may run into the words that follow: the longest start that checks is the number.
    for (let end = printed.length; end >= 15; end -= 1) {
      const part = printed.slice(0, end).trimEnd();
      const compact = part.replace(/ /g, '');
      if (compact.length >= 15 && compact.length <= 34 && checksOut(compact)) {
        found.push({ printed: part, compact });
        break;
      }
    }
  }
  return found;
}

function checksOut(iban: string): boolean {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

const EMAIL = /[\p{L}\d][\p{L}\d._%+-]{0,63}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){0,4}\.\p{L}{2,24}/gu;
const PHONE =
  /(?<![\d/.-])(?:\+\d{1,3}[ .-]?(?:\(0\)[ .-]?)?\d{1,5}|\(?0\d{2,5}\)?)(?:[ .-]\d{2,5}){1,4}(?![\d/])/g;

/** E-mail addresses. */
export function findEmails(text: string): string[] {
  return [...text.matchAll(EMAIL)].map(([address]) => address);
}

/** Telephone numbers with a country code, checked by that country's rules, or with a leading 0, in groups; as printed. */
export function findPhones(text: string): string[] {
  // An account's digits look like a number too.
  const bare = findIbans(text).reduce(
    (rest, { printed }) => rest.replace(printed, '#'.repeat(printed.length)),
    text,
  );
  return (
    [...bare.matchAll(PHONE)]
      // The last groups of a longer number are none, those of a card say.
      .filter(({ index }) => !/\d{3} $/.test(bare.slice(Math.max(0, index - 4), index)))
      .map(([number]) => number.trim())
      .filter((number) => {
        if (number.startsWith('+'))
          return parsePhoneNumberFromString(number.replace('(0)', ''))?.isValid() === true;
        const digits = number.replace(/\D/g, '').length;
        return digits >= 9 && digits <= 15 && findDate(number) === undefined;
      })
  );
}
