/**
 * Makes shop receipts as tills in nine countries print them, in twenty layouts, each with its correct fields.
 * They are lines, to be read as text or drawn (`drawReceipt` of make-scans.ts). All shops, people and figures
 * are invented. The two halves share neither words of a list nor shops: rules that are tuned on one are
 * judged by the other.
 */
import type { InvoiceLanguage } from './make-invoices.fixture.ts';
import { seeded } from './make-scans.fixture.ts';
import { type ReceiptWords, TILLS } from './receipt-words.fixture.ts';

/** Ways to combine the parts of a receipt. */
export const RECEIPT_LAYOUTS = 20;
export type ReceiptHalf = 'tuned' | 'unseen';

/** A receipt with its correct fields. */
export interface MadeReceipt {
  readonly name: string;
  readonly language: InvoiceLanguage;
  /** Lines as a till prints them, of a fixed width. */
  readonly lines: readonly string[];
  /** Correct values by the report's key: ISO dates, decimal amounts; several where each is right. */
  readonly truth: Readonly<Record<'supplier' | 'issue_date' | 'total', readonly string[]>>;
}

/** Number of countries with a till. */
export const RECEIPT_TILLS: number = TILLS.length;

/** The content of one receipt. */
interface Sale {
  readonly words: ReceiptWords;
  readonly random: () => number;
  readonly width: number;
  readonly layout: number;
  /** One word of a list, from this half's share of it. */
  readonly say: <T>(list: readonly T[]) => T;
  readonly date: Date;
  readonly goods: readonly Good[];
  /** Amounts paid, in hundredths. */
  readonly sums: Sums;
}

interface Good {
  readonly name: string;
  readonly count: number;
  /** Price of one, in hundredths. */
  readonly price: number;
}

interface Sums {
  readonly goods: number;
  readonly discount: number;
  readonly service: number;
  readonly tax: number;
  readonly total: number;
  /** The amount paid in cash, where it is rounded. */
  readonly paid: number;
}

/**
 * The receipt for a seed, at the till of a country (0 to RECEIPT_TILLS - 1); the seed also chooses the
 * layout, in turn.
 */
export function makeReceipt(seed: number, till: number, half: ReceiptHalf): MadeReceipt {
  const random = seeded(seed * 31 + till * 7919 + (half === 'tuned' ? 0 : 500_000));
  const words = TILLS[till % TILLS.length] as ReceiptWords;
  const parity = half === 'tuned' ? 0 : 1;
  const say = <T>(list: readonly T[]): T => {
    const own = list.length < 2 ? list : list.filter((_, index) => index % 2 === parity);
    return own[Math.floor(random() * own.length)] as T;
  };
  const layout = seed % RECEIPT_LAYOUTS;
  const goods = Array.from({ length: 1 + Math.floor(random() * 7) }, () => ({
    name: say(words.goods),
    count: random() < 0.7 ? 1 : 2 + Math.floor(random() * 3),
    price: 45 + Math.floor(random() * (random() < 0.15 ? 9000 : 1400)),
  }));
  const date = new Date(
    Date.UTC(2019 + Math.floor(random() * 7), Math.floor(random() * 12), 1 + Math.floor(random() * 28)),
  );
  const sale: Sale = {
    words,
    random,
    say,
    layout,
    date,
    goods,
    width: 32 + (layout % 4) * 4,
    sums: sumsOf(words, goods, layout),
  };
  const shop = say(words.shops);
  const when = dateText(sale, say(words.dates));
  const top = layout % 5 < 3;
  const lines = [
    ...head(sale, shop),
    '',
    ...(top ? dated(sale, when) : []),
    ...items(sale),
    rule(sale),
    ...sumLines(sale),
    ...payment(sale),
    '',
    ...(top ? [] : dated(sale, when)),
    ...foot(sale),
  ];
  const rounds = sale.sums.paid !== sale.sums.total;
  return {
    name: `receipt-${words.country}-${half}-${seed}`,
    language: words.language,
    lines,
    truth: {
      supplier: shop.filter((name) => name !== undefined),
      issue_date: [date.toISOString().slice(0, 10)],
      // Both are printed, and people call both the total.
      total: [(sale.sums.paid / 100).toFixed(2), ...(rounds ? [(sale.sums.total / 100).toFixed(2)] : [])],
    },
  };
}

function sumsOf(words: ReceiptWords, goods: readonly Good[], layout: number): Sums {
  const sum = goods.reduce((cents, { count, price }) => cents + count * price, 0);
  const discount = layout % 7 === 2 ? Math.round(sum * 0.1) : 0;
  const service = layout % 7 === 5 ? Math.round((sum - discount) * 0.1) : 0;
  const rate = (words.rates[0] ?? 0) / 100;
  const base = sum - discount + service;
  const tax = words.addsTax ? Math.round(base * rate) : Math.round((base * rate) / (1 + rate));
  const total = words.addsTax ? base + tax : base;
  const paid = isCash(layout) && words.rounds > 1 ? Math.round(total / words.rounds) * words.rounds : total;
  return { goods: sum, discount, service, tax, total, paid };
}

const isCash = (layout: number): boolean => layout % 3 !== 1;

function amount({ words: { decimal } }: Sale, cents: number): string {
  return (cents / 100).toFixed(2).replace('.', decimal);
}

/** Left and right part of a line. */
function row({ width }: Sale, left: string, right: string): string {
  return left + ' '.repeat(Math.max(2, width - left.length - right.length)) + right;
}

function centred({ width }: Sale, text: string): string {
  return ' '.repeat(Math.max(0, Math.floor((width - text.length) / 2))) + text;
}

function rule({ width, layout }: Sale): string {
  return layout % 6 === 1 ? '' : (layout % 2 === 0 ? '-' : '=').repeat(width);
}

function head(sale: Sale, [brand, company]: readonly [string, string?]): string[] {
  const { words, say, layout } = sale;
  const address = [say(words.streets), say(words.towns)];
  const below = [...(company === undefined ? [] : [company]), ...address];
  const style = layout % 6;
  if (style === 1) return [say(words.titles), brand, ...below, words.taxNumber];
  if (style === 2) return [`*** ${brand} ***`, ...below, words.phone].map((line) => centred(sale, line));
  if (style === 3)
    return [words.welcome, brand, ...below, words.phone, words.taxNumber, say(words.titles)].map((line) =>
      centred(sale, line),
    );
  if (style === 4) return [brand, ...below, words.phone, words.taxNumber, '', say(words.titles)];
  if (style === 5) return [brand, [...below].join(', '), say(words.titles)];
  return [brand, ...below, words.taxNumber].map((line) => centred(sale, line));
}

const two = (value: number): string => String(value).padStart(2, '0');
const DAYS: Readonly<Record<InvoiceLanguage, string>> = {
  ...{ en: 'Sun Mon Tue Wed Thu Fri Sat', de: 'So Mo Di Mi Do Fr Sa', fr: 'dim lun mar mer jeu ven sam' },
  ...{ nl: 'zo ma di wo do vr za', es: 'dom lun mar mié jue vie sáb', it: 'dom lun mar mer gio ven sab' },
};

function dateText({ words: { language }, date }: Sale, form: string): string {
  const [day, month, year] = [date.getUTCDate(), date.getUTCMonth(), date.getUTCFullYear()];
  const name = (style: 'long' | 'short'): string =>
    new Intl.DateTimeFormat(language, { month: style, timeZone: 'UTC' }).format(date);
  return form
    .replace('month', name('long'))
    .replace('Mon', name('short').slice(0, 3))
    .replace('yyyy', String(year))
    .replace('yy', two(year % 100))
    .replace('dd', two(day))
    .replace('mm', two(month + 1))
    .replace('Day', DAYS[language].split(' ')[date.getUTCDay()] ?? '');
}

function dated(sale: Sale, when: string): string[] {
  const { words, say, random, layout } = sale;
  const time = `${two(8 + Math.floor(random() * 12))}:${two(Math.floor(random() * 60))}`;
  const number = `${say(words.number)} ${1000 + Math.floor(random() * 98_000)}`;
  const style = layout % 4;
  if (style === 0) return [row(sale, when, time), words.till, number];
  if (style === 1) return [`${say(words.date)} ${when} ${time}`, number];
  if (style === 2) return [number, words.till, `${when} ${time}`];
  return [row(sale, number, when), row(sale, words.till, time)];
}

function items(sale: Sale): string[] {
  const { words, goods, layout, random } = sale;
  const style = layout % 5;
  const code = words.rates.length > 1 && layout % 2 === 0 ? ' A' : '';
  const lines = goods.flatMap(({ name, count, price }) => {
    const [each, sum] = [amount(sale, price), amount(sale, price * count)];
    if (style === 1) return [...(count > 1 ? [`  ${count} x ${each}`] : []), row(sale, name, sum + code)];
    if (style === 2) return [row(sale, `${count} ${name}`, sum + code)];
    if (style === 3) return [name, row(sale, `   ${count} X ${each}`, sum + code)];
    if (style === 4)
      return [String(4_000_000_000_000 + Math.floor(random() * 9e11)), row(sale, name, sum + code)];
    return [row(sale, count > 1 ? `${name} x${count}` : name, sum + code)];
  });
  return style === 2 ? [words.columns, ...lines] : lines;
}

function money(sale: Sale, cents: number): string {
  const { currency, language } = sale.words;
  const plain = amount(sale, cents);
  const way = sale.layout % 4;
  if (way === 1)
    return language === 'en' || currency === 'CHF'
      ? `${currency}${currency.length > 1 ? ' ' : ''}${plain}`
      : `${plain} ${currency === 'EUR' ? '€' : currency}`;
  if (way === 3) return currency.length > 1 ? `${currency}  ${plain}` : plain;
  return plain;
}

/** The labelled total: on its own line below its label, with the number of goods, or plain. */
function totalLines(sale: Sale): string[] {
  const { words, say, sums, layout, goods } = sale;
  const label = say(words.total);
  if (layout % 10 === 6) return [label, row(sale, '', money(sale, sums.total))];
  if (layout % 10 === 7)
    return [row(sale, `${label} (${goods.length} ${words.items})`, money(sale, sums.total))];
  return [row(sale, label, money(sale, sums.total))];
}

function sumLines(sale: Sale): string[] {
  const { words, say, sums, layout } = sale;
  const [tax, net] = [amount(sale, sums.tax), amount(sale, sums.total - sums.tax)];
  const parts = [
    ...(sums.discount > 0 ? [row(sale, words.discount, `-${amount(sale, sums.discount)}`)] : []),
    ...(sums.service > 0 ? [row(sale, words.service, amount(sale, sums.service))] : []),
  ];
  const isBroken = parts.length > 0 || words.addsTax || layout % 3 === 0;
  const before = [...(isBroken ? [row(sale, say(words.subtotal), amount(sale, sums.goods))] : []), ...parts];
  if (words.addsTax) before.push(row(sale, say(words.tax), tax));
  else if (layout % 8 === 4) before.push(row(sale, words.net, net), row(sale, say(words.tax), tax));
  const rounding = sums.paid - sums.total;
  const rounded =
    rounding === 0
      ? []
      : [
          row(sale, words.rounding, amount(sale, rounding)),
          row(sale, say(words.toPay), money(sale, sums.paid)),
        ];
  return [
    ...before,
    ...totalLines(sale),
    ...rounded,
    ...(layout % 8 === 4 || words.addsTax ? [] : taxTable(sale)),
  ];
}

function taxTable(sale: Sale): string[] {
  const { words, sums, layout, say } = sale;
  const [tax, net, total] = [
    amount(sale, sums.tax),
    amount(sale, sums.total - sums.tax),
    amount(sale, sums.total),
  ];
  const rate = `${words.rates[0]?.toFixed(layout % 2 === 0 ? 0 : 2).replace('.', words.decimal)}%`;
  if (layout % 4 === 0)
    return [
      '',
      row(sale, `${say(words.tax)}    ${words.net}`, say(words.total)),
      row(sale, `A ${rate}  ${tax}  ${net}`, total),
    ];
  if (layout % 4 === 1) return [row(sale, `${words.taxIncluded} ${rate}`, tax)];
  if (layout % 4 === 2) return [`${words.taxIncluded}: ${tax}`];
  return [];
}

function payment(sale: Sale): string[] {
  const { words, say, sums, layout, random } = sale;
  if (!isCash(layout)) {
    const slip =
      layout % 2 === 0
        ? []
        : [
            '',
            words.slip[0] ?? '',
            row(sale, words.slip.at(-1) ?? '', money(sale, sums.paid)),
            ...words.slip.slice(1, -1),
          ];
    return [row(sale, say(words.card), money(sale, sums.paid)), ...slip];
  }
  if (layout % 4 === 3) return [];
  const given = Math.ceil((sums.paid + Math.floor(random() * 900)) / 500) * 500;
  return [
    row(sale, say(words.cash), money(sale, given)),
    row(sale, say(words.change), money(sale, given - sums.paid)),
  ];
}

function foot(sale: Sale): string[] {
  const { words, say, layout, date, sums } = sale;
  const saved = layout % 5 === 2 ? [row(sale, words.saved, amount(sale, Math.round(sums.goods * 0.31)))] : [];
  const later = new Date(date.getTime() + 28 * 86_400_000);
  const until =
    layout % 4 === 2
      ? [`${say(words.until)} ${dateText({ ...sale, date: later }, words.dates[0] ?? '')}`]
      : [];
  return [...saved, centred(sale, say(words.thanks)), ...until];
}
