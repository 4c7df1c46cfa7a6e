import { cardinal, NUMBER, quantity } from './number-words.ts';
import { type ReadingRule, rule } from './reading-rule.ts';

interface Currency {
  readonly one: string;
  readonly many: string;
  /** Of currencies whose parts people name. */
  readonly part?: string;
  readonly parts?: string;
}

const POUND = { one: 'pound', many: 'pounds', part: 'penny', parts: 'pence' };
const EURO = { one: 'euro', many: 'euros', part: 'cent', parts: 'cents' };
const DOLLAR = { one: 'dollar', many: 'dollars', part: 'cent', parts: 'cents' };
const of = (kind: string, currency: Currency): Currency => ({
  ...currency,
  one: `${kind} ${currency.one}`,
  many: `${kind} ${currency.many}`,
});
const YEN = { one: 'yen', many: 'yen', part: 'sen', parts: 'sen' };
const RUPEE = { one: 'rupee', many: 'rupees', part: 'paisa', parts: 'paise' };
const FRANC = { one: 'franc', many: 'francs', part: 'centime', parts: 'centimes' };
const ZLOTY = { one: 'zloty', many: 'zloty', part: 'grosh', parts: 'groshy' };
/** A currency by the name that it has in English: krona and kronor. */
function named(code: string): Currency {
  const name = (count: number): string =>
    new Intl.NumberFormat('en', {
      style: 'currency',
      currency: code,
      currencyDisplay: 'name',
      maximumFractionDigits: 0,
    })
      .formatToParts(count)
      .find(({ type }) => type === 'currency')?.value ?? code;
  return { one: name(1), many: name(2) };
}

/** Signs of `Intl.NumberFormat` in English for further currencies. */
const FURTHER: Readonly<Record<string, string>> = {
  R$: 'BRL',
  MX$: 'MXN',
  NZ$: 'NZD',
  HK$: 'HKD',
  NT$: 'TWD',
  'CN¥': 'CNY',
  '₩': 'KRW',
  '₪': 'ILS',
  '₫': 'VND',
  '₱': 'PHP',
  FCFA: 'XAF',
  'F CFA': 'XOF',
  CFPF: 'XPF',
};
const CURRENCIES: Readonly<Record<string, Currency>> = {
  '£': POUND,
  GBP: POUND,
  '€': EURO,
  EUR: EURO,
  $: DOLLAR,
  USD: of('US', DOLLAR),
  US$: of('US', DOLLAR),
  CA$: of('Canadian', DOLLAR),
  CAD: of('Canadian', DOLLAR),
  A$: of('Australian', DOLLAR),
  AU$: of('Australian', DOLLAR),
  AUD: of('Australian', DOLLAR),
  '¥': YEN,
  JPY: YEN,
  '₹': RUPEE,
  INR: RUPEE,
  CHF: of('Swiss', FRANC),
  zł: ZLOTY,
  PLN: ZLOTY,
};
const SIGN = String.raw`[A-Z]{3}¤|${Object.keys(FURTHER).join('|').replaceAll('$', String.raw`\$`).replace('F CFA', 'F CFA¤?')}|US\$|CA\$|AU\$|A\$|£|€|\$|¥|₹|GBP|EUR|USD|CAD|AUD|JPY|INR|CHF|PLN`;
const AFTER = String.raw`£|€|\$|GBP\b|EUR\b|USD\b|CAD\b|AUD\b|JPY\b|INR\b|CHF\b|PLN\b|zł`;
/** Numbers with a comma before the cents, as on the Continent. */
const CONTINENTAL = String.raw`\d{1,3}(?:\.\d{3})+,\d\d(?!\d)|\d+,\d\d(?!\d)`;
const AMOUNT = `(?:${CONTINENTAL}|${NUMBER})`;
const MANY: Readonly<Record<string, string>> = {
  k: 'thousand',
  m: 'million',
  mn: 'million',
  mio: 'million',
  b: 'billion',
  bn: 'billion',
  tn: 'trillion',
};
const SCALE = String.raw`(?:\s?(k|mn?|bn?|tn|mio|thousand|million|billion|trillion)\b)?`;
const PERIODS: Readonly<Record<string, string>> = {
  h: 'an hour',
  hr: 'an hour',
  hour: 'an hour',
  day: 'a day',
  night: 'a night',
  wk: 'a week',
  week: 'a week',
  mo: 'a month',
  mth: 'a month',
  month: 'a month',
  pm: 'a month',
  pcm: 'per calendar month',
  yr: 'a year',
  year: 'a year',
  pa: 'a year',
  annum: 'a year',
  min: 'a minute',
  minute: 'a minute',
  kg: 'a kilogram',
  m: 'a metre',
  sqm: 'a square metre',
  mile: 'a mile',
  l: 'a litre',
  litre: 'a litre',
  user: 'per user',
  seat: 'per seat',
  person: 'per person',
  pp: 'per person',
  head: 'per head',
  each: 'each',
};
const PERIOD = String.raw`(?:\s?\/\s?(${Object.keys(PERIODS).join('|')})\b|\s?(pm|pcm|pa|pp)\b(?!\.))?`;

/** Money: signs and codes before and behind, pence, ranges, thousands and millions, and what it is for. */
export const MONEY_RULES: readonly ReadingRule[] = [
  rule(
    String.raw`([-−]\s?)?(${SIGN})\s?([-−])?(${AMOUNT})${SCALE}\s?[-–—]\s?(?:${SIGN})?\s?(${AMOUNT})${SCALE}${PERIOD}`,
    ([, , sign = '', , from = '', fromScale, to = '', toScale, period, short]) => {
      const currency = currencyOf(sign);
      const same = fromScale === undefined && !/[.,]\d\d$/.test(from);
      const first = same ? quantity(plain(from)) : sayMoney(from, currency, fromScale);
      return `${first} to ${sayMoney(to, currency, toScale)}${periodOf(period ?? short)}`;
    },
    'i',
  ),
  rule(
    String.raw`([-−]\s?)?(${SIGN})\s?([-−])?(${AMOUNT})${SCALE}${PERIOD}`,
    ([, before, sign = '', behind, amount = '', scale, period, short]) => {
      const minus = (before ?? behind) === undefined ? '' : 'minus ';
      return `${minus}${sayMoney(amount, currencyOf(sign), scale)}${periodOf(period ?? short)}`;
    },
    '',
  ),
  rule(
    String.raw`(${AMOUNT})${SCALE}\s?(${AFTER})${PERIOD}`,
    ([, amount = '', scale, sign = '', period, short]) =>
      `${sayMoney(amount, CURRENCIES[sign] ?? EURO, scale)}${periodOf(period ?? short)}`,
  ),
  rule(
    String.raw`(\d{1,2})p?\s?[-–]\s?(\d{1,2})p\b`,
    ([, from = '', to = '']) => `${cardinal(from)} to ${cardinal(to)} pence`,
  ),
  rule(String.raw`(${NUMBER})p\b(?!\.\w)${PERIOD}`, ([, pence = '', period, short]) => {
    const words = pence === '1' ? 'one penny' : `${quantity(pence)} pence`;
    return words + periodOf(period ?? short);
  }),
];

/** The currency of a sign, or of a code before `¤` (text-layout.ts). */
function currencyOf(sign: string): Currency {
  const code = sign.replace('¤', '');
  return CURRENCIES[code] ?? named(FURTHER[code] ?? code);
}

const periodOf = (short: string | undefined): string =>
  short === undefined ? '' : ` ${PERIODS[short.toLowerCase()] ?? ''}`;

/** `1.250,50` and `1,250.50` as `1250.50`. */
function plain(amount: string): string {
  return new RegExp(`^(?:${CONTINENTAL})$`).test(amount)
    ? amount.replaceAll('.', '').replace(',', '.')
    : amount.replaceAll(',', '');
}

function sayMoney(written: string, currency: Currency, scale: string | undefined): string {
  const amount = plain(written);
  if (scale !== undefined)
    return `${quantity(amount)} ${MANY[scale.toLowerCase()] ?? scale.toLowerCase()} ${currency.many}`;
  const [whole = '0', fraction] = amount.split('.');
  // More or fewer than two places are a rate, such as 1.5 or 0.125 dollars.
  if (fraction !== undefined && fraction.length !== 2) return `${quantity(amount)} ${currency.many}`;
  const parts = Number(fraction ?? 0);
  if (parts > 0 && currency.part === undefined) return `${quantity(amount)} ${currency.many}`;
  const cents = `${cardinal(parts)} ${parts === 1 ? currency.part : currency.parts}`;
  if (Number(whole) === 0 && parts > 0) return cents;
  const words = `${quantity(whole.replace(/^0+(?=\d)/, ''))} ${whole === '1' ? currency.one : currency.many}`;
  if (parts === 0) return words;
  return parts < 10 ? `${words} and ${cents}` : `${words} ${cardinal(parts)}`;
}
