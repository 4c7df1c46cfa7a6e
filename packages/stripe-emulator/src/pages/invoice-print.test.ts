import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { describe, expect, test } from 'vitest';
import type { InvoiceObject } from '../ledger/invoice-building.ts';
import { type InvoiceParties, printInvoice } from './invoice-print.ts';

/** The margins of the A4 page, in points. */
const [LEFT, RIGHT, BOTTOM, TOP] = [56, 595 - 56, 56, 842 - 56];
/** Ascent and descent of Helvetica, as fractions of its size. */
const [ASCENT, DESCENT] = [0.72, 0.21];
/** Tolerance for rounded widths, in points. */
const CLOSE = 0.1;

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
  readonly baseline: number;
}

interface Printed {
  readonly words: readonly Box[];
  /** Heights of its horizontal lines. */
  readonly rules: readonly number[];
}

/** Everything on the one page of a PDF, with positions. */
async function read(bytes: Buffer): Promise<Printed> {
  const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  expect(document.numPages).toBe(1);
  const page = await document.getPage(1);
  const { items } = await page.getTextContent();
  const words = items.flatMap((item): Box[] => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [size = 0, , , , left = 0, baseline = 0] = item.transform as number[];
    const [bottom, top] = [baseline - DESCENT * size, baseline + ASCENT * size];
    return [{ text: item.str, left, right: left + item.width, bottom, top, baseline }];
  });
  const { fnArray, argsArray } = await page.getOperatorList();
  const rules = fnArray.flatMap((name, at): number[] => {
    if (name !== OPS.constructPath) return [];
    const [, lower = 0, , upper = 0] = argsArray[at][2] as Float32Array;
    expect(upper).toBe(lower);
    return [lower];
  });
  await document.loadingTask.destroy();
  return { words, rules };
}

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right - CLOSE &&
  other.left < one.right - CLOSE &&
  one.bottom < other.top - CLOSE &&
  other.bottom < one.top - CLOSE;

const DAY = 86_400;
const START = 1_790_000_000;
const line = (description: string, amount: number) => ({
  description,
  amount,
  period: { start: START, end: START + 30 * DAY },
});
const invoiceOf = (lines: readonly object[], more: object = {}): InvoiceObject =>
  ({
    number: 'NORTH-0042',
    created: START,
    status: 'paid',
    status_transitions: { paid_at: START + DAY },
    currency: 'gbp',
    total: 4900,
    amount_due: 4900,
    amount_paid: 4900,
    lines: { data: lines },
    ...more,
  }) as unknown as InvoiceObject;

const PLAIN: InvoiceParties = {
  seller: 'Northline',
  contact: 'hello@northline.example',
  vatNumber: '',
  vat: undefined,
  buyer: ['Priya Shah', 'priya@customers.example'],
  refunded: 0,
};
const CHANGE = [
  line('Unused time on Basic Plan after 12 March 2026', -1133),
  line('Remaining time on Premium Plan after 12 March 2026', 125_033),
];
const WIDE = 'W'.repeat(120);

describe.each<[string, InvoiceObject, InvoiceParties, readonly string[]]>([
  ['is plain', invoiceOf([line('Pro Plan', 4900)]), PLAIN, ['Amount', '£49', '£49', '£49']],
  [
    'is in yen',
    invoiceOf([line('Pro Plan', 4900)], { currency: 'jpy' }),
    PLAIN,
    ['Amount', '¥4,900', '¥4,900', '¥4,900'],
  ],
  [
    'is in a currency whose sign the fonts do not have',
    invoiceOf([line('Pro Plan', 4950)], {
      currency: 'inr',
      total: 4950,
      amount_due: 4950,
      amount_paid: 4950,
    }),
    PLAIN,
    ['Amount', 'INR 49.50', 'INR 49.50', 'INR 49.50'],
  ],
  [
    'is of a change with VAT, a balance and a refund',
    invoiceOf(CHANGE, { total: 123_900, amount_due: 120_000, amount_paid: 120_000 }),
    {
      ...PLAIN,
      vatNumber: 'DE136695976',
      vat: { amount: 19_782, kind: 'standard', percent: 19 },
      buyer: [...PLAIN.buyer, 'Wien GmbH', 'Ring 1', '1010 Wien AT', 'VAT ATU13585627'],
      refunded: 120_000,
    },
    ['Amount', '-£11.33', '£1,250.33', '£1,041.18', '£197.82', '£1,239', '-£39', '£1,200', '-£1,200'],
  ],
  [
    'has names that are wider than the page, and is not paid',
    invoiceOf([line(WIDE, 4900)], { status: 'open', status_transitions: {} }),
    {
      ...PLAIN,
      seller: WIDE,
      contact: `${WIDE}@northline.example`,
      vat: { amount: 0, kind: 'reverse_charge', percent: 0 },
      buyer: [WIDE, `${WIDE}@customers.example`],
    },
    ['Amount', '£49', '£49', '£0', '£49', '£49'],
  ],
])('the PDF of an invoice that %s', (_name, invoice, parties, figures) => {
  const print = async (): Promise<Printed> => read(await printInvoice(invoice, parties));

  test('has its figures under one another to the right, each on the line of what it is for', async () => {
    const { words } = await print();
    const right = words.filter((word) => word.left > LEFT + CLOSE);
    expect(right.map(({ text }) => text)).toEqual(figures);
    for (const figure of right) {
      expect(Math.abs(figure.right - RIGHT), figure.text).toBeLessThan(CLOSE);
      const labels = words.filter((word) => word !== figure && word.baseline === figure.baseline);
      expect(labels, figure.text).toMatchObject([{ left: LEFT }]);
    }
  });

  test('has all of its words within the margins, and none over another or over a line', async () => {
    const { words, rules } = await print();
    for (const word of words) {
      expect(word.right, word.text).toBeLessThan(RIGHT + CLOSE);
      expect(word.bottom, word.text).toBeGreaterThan(BOTTOM);
      expect(word.top, word.text).toBeLessThan(TOP);
    }
    const pairs = words.flatMap((one, at) => words.slice(at + 1).map((other) => [one, other] as const));
    const over = pairs.filter(([one, other]) => overlap(one, other));
    expect(over.map(([one, other]) => [one.text, other.text])).toEqual([]);
    expect(rules).toHaveLength(1);
    const struck = words.filter(({ bottom, top }) => rules.some((rule) => rule > bottom && rule < top));
    expect(struck.map(({ text }) => text)).toEqual([]);
  });
});

test('a plan has its period on the invoice, and what is paid once has none', async () => {
  const once = { ...line('10 more credits', 700), period: { start: START, end: START } };
  const periods = async (lines: readonly object[]) =>
    (await read(await printInvoice(invoiceOf(lines), PLAIN))).words.filter(({ text }) => / to \d/.test(text));
  expect(await periods([line('Pro Plan', 4900), once])).toHaveLength(1);
  expect(await periods([once])).toEqual([]);
});
