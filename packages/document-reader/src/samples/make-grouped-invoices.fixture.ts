/**
 * Makes invoices whose items are easily lost: in groups with subtotals, in tables below each other, credits
 * in brackets, items named like a sum carried forward, amounts with the digit groups of other countries.
 * Everything in them is invented.
 */
import type { TrueItem } from './make-invoices.fixture.ts';
import { type PdfText, writePdf } from './write-pdf.fixture.ts';

/** How an invoice lays out its items, group by group. */
export interface GroupedLayout {
  /** A head above every group, or only above the first one. */
  readonly heads: 'each' | 'first';
  /** True for a subtotal below every group. */
  readonly subtotals: boolean;
  readonly groups: readonly (readonly TrueItem[])[];
  readonly money?: (cents: number) => string;
}

/** An amount as British accounts write it: credits in brackets. */
export function inBrackets(cents: number): string {
  const text = (Math.abs(cents) / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 });
  return cents < 0 ? `(${text})` : text;
}

/** An amount with Indian digit groups: 1,23,456.00. */
export function inLakhs(cents: number): string {
  return (cents / 100).toLocaleString('en-IN', { minimumFractionDigits: 2 });
}

const SIZE = 9;
const STEP = 16;

/** Makes an invoice; its net total, a fifth of tax and the total are below the groups. */
export function makeGroupedInvoice({ heads, subtotals, groups, money = inBrackets }: GroupedLayout): Buffer {
  const page: PdfText[] = [
    { x: 50, y: 800, size: 14, text: 'Harlow Joinery Ltd' },
    { x: 50, y: 740, size: 15, text: 'Invoice 2041' },
    { x: 330, y: 740, size: SIZE, text: 'Invoice date: 2026-06-10' },
  ];
  let y = 680;
  const row = (text: string, ...figures: string[]): void => {
    page.push({ x: 50, y, size: SIZE, text });
    for (const [index, figure] of figures.entries())
      if (figure !== '') page.push({ x: 340 + index * 105 - widthOf(figure), y, size: SIZE, text: figure });
    y -= STEP;
  };
  for (const [index, items] of groups.entries()) {
    if (index === 0 || heads === 'each') row('Description', 'Quantity', 'Unit price', 'Amount');
    for (const { text, quantity, price, amount } of items)
      row(
        text,
        price === undefined ? '' : String(quantity),
        price === undefined ? '' : money(centsOf(price)),
        money(centsOf(amount)),
      );
    if (subtotals) row('Subtotal', '', '', money(sumOf(items)));
    if (heads === 'each') y -= STEP;
  }
  const net = sumOf(groups.flat());
  const tax = Math.round(net / 5);
  y -= STEP;
  row('Net total', '', '', money(net));
  row('VAT 20%', '', '', money(tax));
  row('Total', '', '', money(net + tax));
  return writePdf([page]);
}

const centsOf = (amount: number): number => Math.round(amount * 100);
const sumOf = (items: readonly TrueItem[]): number =>
  items.reduce((sum, { amount }) => sum + centsOf(amount), 0);

/** Width in points in Helvetica, accurate enough for right-aligned text. */
function widthOf(text: string): number {
  return [...text].reduce(
    (sum, sign) => sum + SIZE * (/[., il]/.test(sign) ? 0.278 : /[-()]/.test(sign) ? 0.333 : 0.556),
    0,
  );
}
