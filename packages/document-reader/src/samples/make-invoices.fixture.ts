/**
 * Makes invoices with known fields: twenty layouts in six languages from a seed. All names, numbers and
 * accounts are invented. Rules are tuned on one range of seeds and judged on another (`npm run
 * bench:documents fields`).
 */
import { type InvoiceWords, WORDS } from './invoice-words.fixture.ts';
import { type PdfText, writePdf } from './write-pdf.fixture.ts';

export type InvoiceLanguage = 'en' | 'de' | 'fr' | 'nl' | 'es' | 'it';
export const INVOICE_LANGUAGES: readonly InvoiceLanguage[] = ['en', 'de', 'fr', 'nl', 'es', 'it'];
/** Number of layouts. */
export const INVOICE_LAYOUTS = 20;

/** An invoice and its correct fields, by the report's keys. */
export interface MadeInvoice {
  readonly name: string;
  readonly pdf: Buffer;
  readonly truth: Readonly<Record<string, readonly string[]>>;
  readonly items: readonly TrueItem[];
}

/** A line item with its correct values; price of one and amount as decimals. */
export interface TrueItem {
  readonly text: string;
  readonly quantity: number;
  readonly price: number | undefined;
  readonly amount: number;
}

interface Line {
  readonly text: string;
  readonly quantity: number;
  readonly price: number;
}

/** The content of an invoice for a seed. */
export interface InvoiceFacts {
  readonly words: InvoiceWords;
  readonly language: InvoiceLanguage;
  readonly number: string;
  readonly issued: Date;
  readonly due: Date;
  readonly supplier: string;
  readonly customer: string;
  readonly street: string;
  readonly town: string;
  readonly currency: string;
  readonly rate: number;
  readonly lines: readonly Line[];
  readonly net: number;
  readonly tax: number;
  readonly pick: <T>(from: readonly T[]) => T;
}

/** A generator of numbers from 0 to 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The invoice for a seed; the seed also chooses the layout, in turn. */
export function makeInvoice(seed: number, language: InvoiceLanguage): MadeInvoice {
  const facts = factsOf(seed, language);
  const layout = seed % INVOICE_LAYOUTS;
  return madeInvoice(`${language}-layout-${layout}-seed-${seed}.pdf`, facts, drawInvoice(facts, layout));
}

/** The PDF of a drawn page, with its correct fields. */
export function madeInvoice(name: string, facts: InvoiceFacts, page: readonly PdfText[]): MadeInvoice {
  return {
    name,
    pdf: writePdf([page.map((run) => ({ ...run, text: run.text.replaceAll('€', '\u0080') }))]),
    truth: {
      document_number: [facts.number],
      issue_date: [iso(facts.issued)],
      due_date: [iso(facts.due)],
      total: [decimal(facts.net + facts.tax)],
      net_total: [decimal(facts.net)],
      tax_total: [decimal(facts.tax)],
      // A layout that prints no currency has none to find.
      currency: page.some(({ text }) => /[£$€]|\b(?:GBP|USD|EUR)\b/.test(text)) ? [facts.currency] : [],
      supplier: [facts.supplier],
      customer: [facts.customer],
    },
    items: facts.lines.map(({ text, quantity, price }) => ({
      text,
      quantity,
      price: price / 100,
      amount: (price * quantity) / 100,
    })),
  };
}

/** The invented facts for a seed. */
export function factsOf(seed: number, language: InvoiceLanguage): InvoiceFacts {
  const next = random(seed * 7919 + language.charCodeAt(0) * 104729);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const words = WORDS[language];
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const issued = new Date(Date.UTC(whole(2021, 2026), whole(0, 11), whole(1, 28)));
  const due = new Date(issued.getTime() + pick([8, 14, 21, 30, 45]) * 86_400_000);
  const year = issued.getUTCFullYear();
  const serial = String(whole(100, 99_999));
  const number = pick([
    serial.padStart(5, '1'),
    `${pick(['RE', 'INV', 'F', 'FA', 'R'])}-${serial}`,
    `${year}/${serial}`,
    `${year}-${serial}`,
    `${pick(['A', 'BX'])}${serial}${whole(10, 99)}`,
  ]);
  const lines = Array.from({ length: whole(2, 5) }, () => ({
    text: pick(words.goods),
    quantity: whole(1, 12),
    price: whole(150, 89_999),
  }));
  const net = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const rate = pick(words.rates);
  const [supplier, customer] = [pick(words.companies.slice(0, 6)), pick(words.companies.slice(6))];
  return {
    words,
    language,
    number,
    issued,
    due,
    supplier,
    customer,
    street: `${pick(words.streets)} ${whole(1, 190)}`,
    town: pick(words.towns),
    currency: language === 'en' ? pick(['GBP', 'USD']) : 'EUR',
    rate,
    lines,
    net,
    tax: Math.round((net * rate) / 100),
    pick,
  };
}

const iso = (date: Date): string => date.toISOString().slice(0, 10);
const decimal = (cents: number): string => (cents / 100).toFixed(2);

function dateText({ words, language, currency, pick }: InvoiceFacts, date: Date, how: number): string {
  const [d, m, y] = [date.getUTCDate(), date.getUTCMonth(), date.getUTCFullYear()];
  const two = (value: number): string => String(value).padStart(2, '0');
  if (how === 1)
    return `${d}${language === 'de' ? '.' : ''} ${language === 'es' ? 'de ' : ''}${words.months[m]} ${language === 'es' ? 'de ' : ''}${y}`;
  if (how === 2) return iso(date);
  if (language === 'en' && currency === 'USD') return `${words.months[m]} ${d}, ${y}`;
  const mark = language === 'de' ? '.' : pick(language === 'nl' ? ['-', '/'] : ['/', '.']);
  return [two(d), two(m + 1), how === 3 ? String(y).slice(2) : y].join(mark);
}

/** Cents in a printed form: without currency, with the sign, with the code, or with the sign in front. */
export function moneyText({ language, currency }: InvoiceFacts, cents: number, how: number): string {
  const locale = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR', nl: 'nl-NL', es: 'de-DE', it: 'it-IT' }[language];
  const figures = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    .format(cents / 100)
    .replace(/[\u202f\u00a0]/g, ' ');
  const sign = { GBP: '£', USD: '$', EUR: '€' }[currency] ?? currency;
  if (how === 0) return figures;
  if (how === 1) return language === 'en' ? `${sign}${figures}` : `${figures} ${sign}`;
  if (how === 2) return `${figures} ${currency}`;
  return language === 'en' || language === 'nl' ? `${sign} ${figures}` : `${figures} ${currency}`;
}

/**
 * Features of a layout, each chosen by the layout's number, so that the twenty layouts differ in several ways
 * at once.
 */
function drawInvoice(facts: InvoiceFacts, layout: number): PdfText[] {
  const runs: PdfText[] = [];
  const put = (x: number, y: number, text: string, size = 10): void => {
    runs.push({ x, y, size, text });
  };
  const right = (x: number, y: number, text: string, size = 10): void =>
    put(x - text.length * size * 0.5, y, text, size);
  drawParties(facts, layout, put);
  drawHead(facts, layout, put);
  const y = drawLines(facts, layout, { put, right });
  drawSums(facts, layout, { put, right, y });
  drawFoot(facts, layout, put);
  return runs;
}

type Put = (x: number, y: number, text: string, size?: number) => void;

function drawParties(
  { words, supplier, customer, street, town }: InvoiceFacts,
  layout: number,
  put: Put,
): void {
  const way = layout % 4;
  const [from, to] = [words.seller, words.buyer];
  if (way === 0) {
    put(50, 800, supplier, 16);
    put(50, 784, `${street}, ${town}`, 9);
    for (const [index, text] of [to, customer, words.otherStreet, words.otherTown].entries())
      put(50, 730 - index * 14, text);
  } else if (way === 1) {
    for (const [index, text] of [from, supplier, street, town].entries()) put(50, 790 - index * 14, text);
    for (const [index, text] of [to, customer, words.otherStreet, words.otherTown].entries())
      put(320, 790 - index * 14, text);
  } else if (way === 2) {
    put(50, 745, `${supplier} - ${street} - ${town}`, 7);
    for (const [index, text] of [customer, words.otherStreet, words.otherTown].entries())
      put(50, 728 - index * 14, text);
    put(380, 800, supplier, 14);
  } else {
    put(50, 800, `${from}: ${supplier}`);
    put(50, 786, `${street}, ${town}`);
    put(50, 760, `${to}: ${customer}`);
    put(50, 746, `${words.otherStreet}, ${words.otherTown}`);
  }
}

function drawHead(facts: InvoiceFacts, layout: number, put: Put): void {
  const { words, number, pick } = facts;
  const how = layout % 5;
  const [issued, due] = [dateText(facts, facts.issued, layout % 4), dateText(facts, facts.due, layout % 4)];
  const [numberWord, dateWord, dueWord] = [pick(words.number), pick(words.date), pick(words.due)];
  if (how !== 3) put(how === 0 ? 400 : 50, 680, words.title, 18);
  if (how === 0) {
    for (const [index, [label, value]] of [
      [numberWord, number],
      [dateWord, issued],
      [dueWord, due],
    ].entries())
      put(330, 650 - index * 15, `${label}: ${value}`);
  } else if (how === 1) {
    for (const [index, [label = '', value = '']] of [
      [numberWord, number],
      [dateWord, issued],
      [words.customerNumber, 'K-77120'],
      [dueWord, due],
    ].entries()) {
      put(330, 655 - index * 14, label);
      put(470, 655 - index * 14, value);
    }
  } else if (how === 2) {
    const columns = [numberWord, dateWord, words.customerNumber, dueWord];
    for (const [index, label] of columns.entries()) put(50 + index * 130, 650, label, 8);
    for (const [index, value] of [number, issued, 'K-77120', due].entries())
      put(50 + index * 130, 637, value);
  } else if (how === 3) {
    put(50, 660, `${words.titleNumber} ${number} ${words.of} ${issued}`, 13);
    put(50, 640, `${dueWord}: ${due}`);
  } else {
    put(50, 655, `${numberWord} ${number}`);
    put(50, 640, `${words.placeDate} ${issued}`);
    put(50, 130, `${words.payBy} ${due}.`);
  }
}

interface Pen {
  readonly put: Put;
  readonly right: Put;
}

function drawLines(facts: InvoiceFacts, layout: number, { put, right }: Pen): number {
  const { words, lines } = facts;
  let y = 590;
  const [first, ...others] = words.columns;
  put(50, y, first ?? '', 9);
  for (const [index, column] of others.entries()) right(340 + index * 105, y, column, 9);
  for (const { text, quantity, price } of lines) {
    y -= 16;
    put(50, y, text);
    right(340, y, String(quantity));
    right(445, y, moneyText(facts, price, 0));
    right(550, y, moneyText(facts, price * quantity, layout % 3 === 1 ? 1 : 0));
  }
  return y - 30;
}

function drawSums(facts: InvoiceFacts, layout: number, { put, right, y }: Pen & { y: number }): void {
  const { words, net, tax, rate, pick } = facts;
  const how = layout % 4;
  const money = (cents: number): string => moneyText(facts, cents, how);
  const [netWord, taxWord, totalWord] = [pick(words.net), pick(words.tax), pick(words.total)];
  const way = layout % 3;
  if (way === 2) {
    for (const [index, label] of [netWord, `${taxWord} %`, taxWord, totalWord].entries())
      right(200 + index * 115, y, label, 8);
    for (const [index, value] of [money(net), String(rate), money(tax), money(net + tax)].entries())
      right(200 + index * 115, y - 14, value);
    return;
  }
  const x = way === 0 ? 330 : 60;
  const taxLabel = pick([
    `${taxWord} ${rate}%`,
    `${taxWord} (${rate} %)`,
    `${taxWord} ${rate} % ${words.on} ${moneyText(facts, net, 0)}`,
    taxWord,
  ]);
  for (const [index, [label, cents]] of (
    [
      [netWord, net],
      [taxLabel, tax],
      [totalWord, net + tax],
    ] as const
  ).entries()) {
    put(x, y - index * 15, label);
    right(550, y - index * 15, money(cents));
  }
}

function drawFoot({ words, supplier, street, town }: InvoiceFacts, layout: number, put: Put): void {
  if (layout % 2 === 0)
    put(
      50,
      60,
      `${supplier} | ${street} | ${town} | ${words.vatNumber} | www.${supplier
        .toLowerCase()
        .replace(/[^a-z]/g, '')
        .slice(0, 10)}.example`,
      7,
    );
  else put(50, 60, `${words.bank}: IBAN GB29 NWBK 6016 1331 9268 19, BIC NWBKGB2L, ${words.vatNumber}`, 8);
}
