/**
 * Makes invoices in which labels and values are in unusual places, with words that other programs use, and
 * with numbers and dates of other documents beside the right ones. Everything in them is invented.
 */
import {
  factsOf,
  type InvoiceFacts,
  type InvoiceLanguage,
  type MadeInvoice,
  madeInvoice,
  moneyText,
} from './make-invoices.fixture.ts';
import { ODD_WORDS, type OddWords } from './odd-invoice-words.fixture.ts';
import type { PdfText } from './write-pdf.fixture.ts';

/** Ways to place number, dates and other labels. */
export const ODD_LAYOUTS = 12;

/** The odd invoice for a seed; the seed also chooses the layout, in turn. */
export function makeOddInvoice(seed: number, language: InvoiceLanguage): MadeInvoice {
  const facts = factsOf(seed * 31 + 7, language);
  const words = ODD_WORDS[language];
  const page: PdfText[] = [];
  const pen: Pen = {
    put: (x, y, text, size = 10) => page.push({ x, y, size, text }),
    right: (x, y, text, size = 10) => page.push({ x: x - text.length * size * 0.5, y, size, text }),
  };
  const layout = seed % ODD_LAYOUTS;
  drawParties(facts, words, pen, layout);
  HEADS[layout]?.(facts, words, pen);
  const y = drawLines(facts, pen);
  drawSums({ facts, words, pen, y, layout });
  pen.put(50, 40, `${facts.supplier} - ${facts.street} - ${facts.town} - ${facts.words.vatNumber}`, 7);
  return madeInvoice(`odd-${language}-layout-${layout}-seed-${seed}.pdf`, facts, page);
}

interface Pen {
  readonly put: (x: number, y: number, text: string, size?: number) => void;
  readonly right: (x: number, y: number, text: string, size?: number) => void;
}

type Head = (facts: InvoiceFacts, words: OddWords, pen: Pen) => void;

const two = (value: number): string => String(value).padStart(2, '0');

function day({ language, currency, words }: InvoiceFacts, date: Date, long = false): string {
  const [d, m, y] = [date.getUTCDate(), date.getUTCMonth(), date.getUTCFullYear()];
  if (long || (language === 'en' && currency === 'USD')) return `${d} ${words.months[m]} ${y}`;
  return [two(d), two(m + 1), y].join(language === 'de' ? '.' : '/');
}

/** A number and a date of another document, before the invoice, like those of orders and deliveries. */
function others(facts: InvoiceFacts, words: OddWords): { number: [string, string]; date: [string, string] } {
  const before = new Date(facts.issued.getTime() - facts.pick([3, 9, 26, 71]) * 86_400_000);
  return {
    number: [
      facts.pick(words.otherNumbers),
      `${facts.pick(['4500', '88', 'K-7'])}${facts.pick(['1234', '90210', '771'])}`,
    ],
    date: [facts.pick(words.otherDates), day(facts, before)],
  };
}

const HEADS: readonly Head[] = [
  // Labels above their values, one pair below the other.
  (facts, words, { put }) => {
    const other = others(facts, words);
    const rows = [
      other.number,
      [facts.pick(words.number), facts.number],
      other.date,
      [facts.pick(words.date), day(facts, facts.issued)],
      [facts.pick(words.due), day(facts, facts.due)],
    ];
    put(50, 690, words.bill, 20);
    for (const [index, [label = '', value = '']] of rows.entries()) {
      put(400, 730 - index * 26, label, 7);
      put(400, 720 - index * 26, value, 10);
    }
  },
  // All in one line, separated by bars.
  (facts, words, { put }) => {
    put(50, 690, words.bill.toUpperCase(), 16);
    put(
      50,
      668,
      `${facts.pick(words.number)}: ${facts.number}  |  ${facts.pick(words.date)}: ${day(facts, facts.issued)}  |  ${facts.pick(words.due)}: ${day(facts, facts.due)}`,
      9,
    );
    const other = others(facts, words);
    put(50, 654, `${other.number.join(': ')}  |  ${other.date.join(': ')}`, 9);
  },
  // A title with number and date, which may be too long for its line.
  (facts, words, { put }) => {
    put(50, 700, `${facts.pick(words.titles)} ${words.mark} ${facts.number} ${words.of}`, 15);
    put(50, 682, day(facts, facts.issued), 15);
    const other = others(facts, words);
    put(50, 655, `${other.number.join(': ')}`);
    put(50, 641, `${other.date.join(': ')}`);
    put(50, 120, `${facts.pick(words.prose)} ${day(facts, facts.due)}.`);
  },
  // Label, a separate colon, and the value.
  (facts, words, { put }) => {
    const other = others(facts, words);
    const rows = [
      [facts.pick(words.number), facts.number],
      other.number,
      [facts.pick(words.date), day(facts, facts.issued)],
      other.date,
      [facts.pick(words.due), day(facts, facts.due)],
    ];
    put(330, 705, words.bill, 14);
    for (const [index, [label = '', value = '']] of rows.entries()) {
      put(330, 688 - index * 13, label, 9);
      put(455, 688 - index * 13, `: ${value}`, 9);
    }
  },
  // A row of heads with their values below, among them those of other documents.
  (facts, words, { put }) => {
    const other = others(facts, words);
    put(50, 690, facts.pick(words.titles), 15);
    const columns = [
      other.number,
      [facts.pick(words.date), day(facts, facts.issued)],
      [words.bill, facts.number],
      [facts.pick(words.due), day(facts, facts.due)],
    ];
    for (const [index, [label = '', value = '']] of columns.entries()) {
      put(50 + index * 130, 655, label, 8);
      put(50 + index * 130, 642, value, 9);
    }
  },
  // Right-aligned labels, right-aligned values.
  (facts, words, { put, right }) => {
    const other = others(facts, words);
    put(50, 700, words.bill.toUpperCase(), 22);
    const rows = [
      other.date,
      [facts.pick(words.number), facts.number],
      [facts.pick(words.date), day(facts, facts.issued, true)],
      [facts.pick(words.due), day(facts, facts.due, true)],
      other.number,
    ];
    for (const [index, [label = '', value = '']] of rows.entries()) {
      right(430, 690 - index * 15, `${label}:`, 9);
      right(550, 690 - index * 15, value, 9);
    }
  },
  // Two columns of pairs.
  (facts, words, { put }) => {
    const other = others(facts, words);
    put(50, 705, words.bill, 15);
    const rows = [
      [[facts.pick(words.number), facts.number], other.number],
      [[facts.pick(words.date), day(facts, facts.issued)], other.date],
      [
        [facts.pick(words.due), day(facts, facts.due)],
        ['', ''],
      ],
    ] as const;
    for (const [index, pairs] of rows.entries()) {
      for (const [side, [label = '', value = '']] of pairs.entries()) {
        if (label === '') continue;
        put(50 + side * 270, 680 - index * 15, label, 9);
        put(190 + side * 260, 680 - index * 15, value, 9);
      }
    }
  },
  // Labels in two languages.
  (facts, words, { put }) => {
    const second = ODD_WORDS[facts.language === 'en' ? 'de' : 'en'];
    const rows = [
      [`${facts.pick(words.number)} / ${facts.pick(second.number)}`, facts.number],
      [`${facts.pick(words.date)} / ${facts.pick(second.date)}`, day(facts, facts.issued)],
      [`${facts.pick(words.due)} / ${facts.pick(second.due)}`, day(facts, facts.due)],
    ];
    put(50, 700, `${words.bill} / ${second.bill}`, 15);
    for (const [index, [label = '', value = '']] of rows.entries()) {
      put(50, 680 - index * 14, label, 9);
      put(330, 680 - index * 14, value, 9);
    }
  },
  // Place and date at the right, the number in the subject, the due date in a sentence.
  (facts, words, { put }) => {
    put(390, 705, `${facts.words.placeDate} ${day(facts, facts.issued, true)}`);
    put(50, 670, `${words.bill} ${words.mark} ${facts.number}`, 12);
    const other = others(facts, words);
    put(50, 652, `${other.number[0]} ${other.number[1]} ${words.of} ${other.date[1]}`, 9);
    put(50, 150, `${facts.pick(words.prose)} ${day(facts, facts.due, true)}.`);
  },
  // The corrected or previous invoice is named first.
  (facts, words, { put }) => {
    const other = others(facts, words);
    put(50, 720, `${other.number[0]} ${other.number[1]}`, 8);
    put(50, 708, `${other.date[0]} ${other.date[1]}`, 8);
    put(50, 685, facts.pick(words.titles), 15);
    put(50, 668, `${facts.pick(words.number)} ${facts.number}`);
    put(50, 655, `${facts.pick(words.date)} ${day(facts, facts.issued)}`);
    put(50, 642, `${facts.pick(words.due)} ${day(facts, facts.due)}`);
  },
  // A box at the right with the amount due and the due date; the rest in a line.
  (facts, words, { put, right }) => {
    put(50, 690, `${words.bill} ${facts.number}`, 16);
    put(50, 672, `${facts.pick(words.date)} ${day(facts, facts.issued)}`, 9);
    put(400, 700, facts.pick(words.total), 8);
    right(550, 686, moneyText(facts, facts.net + facts.tax, 1), 12);
    put(400, 668, facts.pick(words.due), 8);
    right(550, 654, day(facts, facts.due), 10);
  },
  // A column of labels, and the values far to the right, with a wide gap and other documents between.
  (facts, words, { put }) => {
    const other = others(facts, words);
    const rows = [
      other.number,
      other.date,
      [facts.pick(words.date), day(facts, facts.issued, true)],
      [facts.pick(words.number), facts.number],
      [facts.words.customerNumber, 'K-77120'],
      [facts.pick(words.due), day(facts, facts.due, true)],
    ];
    for (const [index, [label = '', value = '']] of rows.entries()) {
      put(50, 705 - index * 13, label, 9);
      put(400, 705 - index * 13, value, 9);
    }
    put(50, 618, facts.pick(words.titles), 14);
  },
];

function drawParties(facts: InvoiceFacts, words: OddWords, { put }: Pen, layout: number): void {
  const { supplier, street, town, customer } = facts;
  const own = facts.words;
  if (layout % 3 === 0) {
    put(50, 810, supplier, 14);
    put(50, 796, `${street}, ${town}`, 8);
  } else put(50, 800, `${supplier} · ${street} · ${town}`, 8);
  const heads = layout % 3 === 1 ? [`${facts.pick(words.to)}:`] : [];
  for (const [index, text] of [...heads, customer, own.otherStreet, own.otherTown].entries())
    put(50, 776 - index * 13, text);
}

function drawLines(facts: InvoiceFacts, { put, right }: Pen): number {
  let y = 590;
  put(50, y, facts.words.columns[0] ?? '', 9);
  for (const [index, column] of facts.words.columns.slice(1).entries())
    right(340 + index * 105, y, column, 9);
  for (const { text, quantity, price } of facts.lines) {
    y -= 15;
    put(50, y, text);
    right(340, y, String(quantity));
    right(445, y, moneyText(facts, price, 0));
    right(550, y, moneyText(facts, price * quantity, 0));
  }
  return y - 30;
}

interface Sums {
  readonly facts: InvoiceFacts;
  readonly words: OddWords;
  readonly pen: Pen;
  readonly y: number;
  readonly layout: number;
}

function drawSums({ facts, words, pen: { put, right }, y, layout }: Sums): void {
  const money = (cents: number): string => moneyText(facts, cents, layout % 4);
  const [net, tax, total] = [facts.pick(words.net), facts.pick(words.tax), facts.pick(words.total)];
  if (layout % 4 === 3) {
    // The sums above their labels, side by side.
    for (const [index, [label, cents]] of (
      [
        [net, facts.net],
        [tax, facts.tax],
        [total, facts.net + facts.tax],
      ] as const
    ).entries()) {
      right(250 + index * 150, y, label, 8);
      right(250 + index * 150, y - 13, money(cents));
    }
    return;
  }
  const off = Math.round(facts.net / 20);
  const rows: [string, number][] = [
    ...(layout % 4 === 2
      ? ([
          [facts.pick(['Positionen', 'Items', 'Lines']), facts.net + off],
          [words.discount, -off],
        ] as [string, number][])
      : []),
    [net, facts.net],
    [`${tax} ${facts.rate} %`, facts.tax],
    [total, facts.net + facts.tax],
  ];
  for (const [index, [label, cents]] of rows.entries()) {
    put(330, y - index * 15, label, 9);
    right(550, y - index * 15, money(cents), 9);
  }
}
