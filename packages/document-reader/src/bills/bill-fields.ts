import type { Row } from '../contract/extracted-document.ts';
import type { Citer } from '../contract/quote-finding.ts';
import type { Cite, DocumentKind, Field } from '../contract/report.contract.ts';
import { type DocumentGrid, type GridCell, gridOf } from '../layout/document-grid.ts';
import { amountsIn } from './bill-amounts.ts';
import { type BillHead, LABELLED, LONGEST_TERM, readHead } from './bill-heads.ts';
import type { TitleReading } from './bill-titles.ts';
import { carriesBalance } from './carried-balance.ts';
import type { HeadValue } from './head-value.ts';
import { type FoundLabel, findLabels } from './label-finding.ts';
import { findParties, type PartyName } from './party-finding.ts';
import { findReceiptDate } from './receipt-reading.ts';
import { findShop } from './receipt-shop.ts';
import { findReceiptTotal } from './receipt-total.ts';
import { includedTaxes, isOtherCharge, sumCandidates, sumColumns, sumRows } from './sum-candidates.ts';
import { type BillSums, chooseSums } from './sum-choice.ts';

/** Kinds of documents whose fields are read as those of a bill. */
export const BILLS: ReadonlySet<DocumentKind> = new Set([
  'invoice',
  'credit_note',
  'receipt',
  'reminder',
  'quotation',
  'purchase_order',
  'delivery_note',
  'statement',
]);

/** What the report calls the bill's number, by kind. */
const NUMBER_NAMES: Partial<Record<DocumentKind, string>> = {
  invoice: 'Invoice number',
  credit_note: 'Credit note number',
  receipt: 'Receipt number',
  quotation: 'Quotation number',
  purchase_order: 'Order number',
  delivery_note: 'Delivery note number',
};

interface Bill {
  readonly rows: readonly Row[];
  readonly text: string;
  readonly kind: DocumentKind;
  readonly dayFirst: boolean;
}

/** The fields of a bill, in the order in which people look for them: parties, number, dates, sums. */
export function readBill({ rows, text, kind, dayFirst }: Bill, citer: Citer): Field[] {
  const grid = gridOf(rows);
  const labels = findLabels(grid);
  const isReceipt = kind === 'receipt';
  const sums = isReceipt ? sumsOfReceipt(grid, labels) : sumsOf(grid, labels);
  const shop = isReceipt ? findShop(grid) : undefined;
  const parties = findParties(grid, labels, { text, kind });
  return [
    partyField('supplier', 'Supplier', shop ?? parties.supplier, citer),
    isReceipt ? undefined : partyField('customer', 'Customer', parties.customer, citer),
    ...headFields(headOfKind(grid, labels, { kind, dayFirst }), NUMBER_NAMES[kind] ?? 'Number', citer),
    ...sumFields(sums, citer),
  ].filter((field) => field !== undefined);
}

function headOfKind(grid: DocumentGrid, labels: readonly FoundLabel[], reading: TitleReading): BillHead {
  if (reading.kind === 'receipt') return headOfReceipt(grid, labels, reading);
  const { due, ...head } = LISTS.has(reading.kind)
    ? withoutListed(grid, headOf(grid, labels, reading))
    : headOf(grid, labels, reading);
  // Nobody pays on a delivery note, whatever prices it prints.
  return due === undefined || reading.kind === 'delivery_note' ? head : { ...head, due };
}

/** Papers that list other bills, whose numbers and days are not their own. */
const LISTS: ReadonlySet<DocumentKind> = new Set(['reminder', 'statement']);

/** The head without the values that come from a row of the list, i.e. stand beside an amount. */
function withoutListed(grid: DocumentGrid, head: BillHead): BillHead {
  const isListed = ({ cell }: HeadValue): boolean =>
    (grid[cell.row] ?? []).some((other) => other !== cell && amountsIn(other).length > 0);
  return Object.fromEntries(
    Object.entries(head as Record<string, HeadValue>).filter(([, value]) => !isListed(value)),
  );
}

/**
 * Reads the head, and swaps days and months if the due date is possible only then: it is not before the date of the
 * bill, nor years after it.
 */
function headOf(grid: DocumentGrid, labels: readonly FoundLabel[], reading: TitleReading): BillHead {
  const head = readHead(grid, labels, reading);
  if (termOf(head) !== 'none') return head;
  const swapped = readHead(grid, labels, { ...reading, dayFirst: !reading.dayFirst });
  if (termOf(swapped) === 'fits') return swapped;
  // A due date that a sentence gives belongs to something else if it is before the bill's date or years after it.
  const { due, ...others } = head;
  return due !== undefined && due.score < LABELLED ? others : head;
}

/** The printed day of a receipt. A day until which goods may be returned is not that day. */
function headOfReceipt(grid: DocumentGrid, labels: readonly FoundLabel[], reading: TitleReading): BillHead {
  const { date: labelled, ...head } = headOf(grid, labels, reading);
  const date = findReceiptDate(grid, labelled, reading.dayFirst);
  return date === undefined ? head : { ...head, date };
}

function termOf({ date, due }: BillHead): 'fits' | 'none' | 'unknown' {
  if (date?.normalized === undefined || due?.normalized === undefined) return 'unknown';
  const days = (Date.parse(due.normalized) - Date.parse(date.normalized)) / 86_400_000;
  return days >= 0 && days <= LONGEST_TERM ? 'fits' : 'none';
}

/** The score from which a label can only mean the amount due. */
const SURE_PAYABLE = 0.7;

function sumsOf(grid: DocumentGrid, labels: readonly FoundLabel[]): BillSums {
  const all = grid
    .filter((cells) => !isOtherCharge(cells))
    .flatMap((cells) => cells.flatMap((cell) => amountsIn(cell)));
  const candidates = [
    ...sumCandidates(grid, labels),
    ...includedTaxes(grid),
    ...sumRows(grid),
    ...sumColumns(grid),
  ];
  if (!carriesBalance(grid)) return chooseSums(candidates, all);
  // An amount due that includes an older balance is not the total, and proves no total.
  const own = chooseSums(
    candidates.filter(({ role }) => role !== 'payable'),
    all,
  );
  const payable = candidates
    .filter(({ role, score }) => role === 'payable' && score >= SURE_PAYABLE)
    .toSorted((a, b) => b.score - a.score)[0];
  return payable === undefined || payable.amount.cents === own.gross?.amount.cents
    ? own
    : { ...own, payable: { amount: payable.amount, sure: payable.score } };
}

function sumsOfReceipt(grid: DocumentGrid, labels: readonly FoundLabel[]): BillSums {
  const total = findReceiptTotal(grid);
  const sums = sumsOf(grid, labels);
  if (total === undefined || sums.gross?.amount.cents === total.cents) return sums;
  return { gross: { amount: total, sure: total.sure }, proven: false };
}

function headFields(head: BillHead, numberName: string, citer: Citer): (Field | undefined)[] {
  const id = (key: string, label: string, value?: HeadValue) =>
    headField({ key, label, type: 'id' }, value, citer);
  const date = (key: string, label: string, value?: HeadValue) =>
    headField({ key, label, type: 'date' }, value, citer);
  return [
    id('document_number', numberName, head.number),
    date('issue_date', 'Issue date', head.date),
    date('due_date', 'Due date', head.due),
    date('delivery_date', 'Delivery date', head.delivery),
    id('order_number', 'Order number', head.order),
    id('customer_number', 'Customer number', head.customerNumber),
  ];
}

function headField(
  named: Pick<Field, 'key' | 'label' | 'type'>,
  value: HeadValue | undefined,
  citer: Citer,
): Field | undefined {
  if (value === undefined) return undefined;
  return fieldOf(
    {
      ...named,
      value: value.printed,
      ...(value.normalized === undefined ? {} : { normalized: value.normalized }),
    },
    value.score,
    [placeOf(citer, value.printed, value.cell)],
  );
}

function partyField(
  key: string,
  label: string,
  name: PartyName | undefined,
  citer: Citer,
): Field | undefined {
  if (name === undefined) return undefined;
  return fieldOf({ key, label, type: 'party', value: name.printed.slice(0, 200) }, name.score, [
    placeOf(citer, name.printed, name.cell),
  ]);
}

function sumFields(sums: BillSums, citer: Citer): (Field | undefined)[] {
  const { gross, net, tax, payable } = sums;
  const money = (key: string, label: string, sum: BillSums['gross']): Field | undefined =>
    sum === undefined
      ? undefined
      : fieldOf(
          { key, label, type: 'money', value: sum.amount.printed, normalized: decimal(sum.amount.cents) },
          sum.sure,
          [placeOf(citer, sum.amount.printed, sum.amount.cell)],
        );
  const first = tax?.parts[0];
  return [
    money('net_total', 'Net total', net),
    tax === undefined || first === undefined
      ? undefined
      : fieldOf(
          {
            key: 'tax_total',
            label: 'VAT',
            type: 'money',
            value: tax.parts.map(({ printed }) => printed).join(' + '),
            normalized: decimal(tax.cents),
          },
          tax.sure,
          tax.parts.map(({ printed, cell }) => placeOf(citer, printed, cell)),
        ),
    money('total', 'Total', gross),
    money('amount_due', 'Left to pay', payable),
  ];
}

function decimal(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** A field with its citation; undefined if its place is in no block. */
function fieldOf(
  field: Omit<Field, 'confidence' | 'source' | 'cites'>,
  sure: number,
  places: readonly (Cite | undefined)[],
): Field | undefined {
  const cites = places.filter((place) => place !== undefined);
  if (cites.length === 0) return undefined;
  return { ...field, confidence: Math.round(Math.min(0.97, sure) * 100) / 100, source: 'text', cites };
}

function placeOf(citer: Citer, printed: string, cell: GridCell): Cite | undefined {
  const beside = cell.text.length > printed.length ? cell.text.slice(0, 30) : undefined;
  return (
    citer.find(printed, cell.page, beside) ?? citer.find(printed, cell.page) ?? citer.find(printed, undefined)
  );
}
