import type { Row } from '../contract/extracted-document.ts';
import type { Citer } from '../contract/quote-finding.ts';
import type { Attention, DocumentKind } from '../contract/report.contract.ts';
import { type DocumentGrid, gridOf } from '../layout/document-grid.ts';
import { folded } from '../values/folded-text.ts';
import { numbersOf } from './bill-heads.ts';
import type { HeadValue } from './head-value.ts';
import { findLabels } from './label-finding.ts';
import { sumCandidates } from './sum-candidates.ts';

/** The first bill of a file that holds several, and the notice about the others. */
export interface SeveralBills {
  /** Rows of the first one. */
  readonly rows: readonly Row[];
  readonly attention: Attention;
}

/** Kinds of papers of which a file may hold several, with their plural. */
const PLURALS: Partial<Record<DocumentKind, string>> = {
  invoice: 'invoices',
  credit_note: 'credit notes',
};
/** Lowest score of a number that makes a bill of its own, and of an amount as its total. */
const SURE_NUMBER = 0.85;
const SURE_TOTAL = 0.7;
const MOST_NAMED = 10;

/**
 * Finds bills that were scanned or saved into one file: each has its own number, date and total, one bill after another.
 * Undefined for a file with one bill. Without this, the number of one bill would stand beside the total of another.
 */
export function findSeveralBills(
  rows: readonly Row[],
  { kind, dayFirst }: { kind: DocumentKind; dayFirst: boolean },
  citer: Citer,
): SeveralBills | undefined {
  const plural = PLURALS[kind];
  if (plural === undefined) return undefined;
  const grid = gridOf(rows);
  const labels = findLabels(grid);
  const numbers = inOrder(numbersOf(grid, labels, { kind, dayFirst }));
  const totals = sumCandidates(grid, labels)
    .filter(({ role, score }) => (role === 'gross' || role === 'payable') && score >= SURE_TOTAL)
    .map(({ amount }) => amount.cell.row);
  const dates = labels.filter(({ role, opens }) => role === 'date' && opens).map(({ cell }) => cell.row);
  const bills = numbers.filter(({ cell }, index) => {
    const end = numbers[index + 1]?.cell.row ?? grid.length;
    const isWithin = (row: number): boolean => row >= cell.row - HEAD && row < end;
    return totals.some((row) => row > cell.row && row < end) && dates.some(isWithin);
  });
  const [first, second] = bills;
  if (first === undefined || second === undefined || bills.length !== numbers.length) return undefined;
  const names = bills.slice(0, MOST_NAMED).map(({ printed }) => printed);
  return {
    rows: rows.slice(0, startOf(grid, second)),
    attention: {
      code: 'several_bills',
      severity: 'warn',
      text: `This file holds ${bills.length} ${plural} (${names.join(', ')}${bills.length > MOST_NAMED ? ' …' : ''}). This report is about the first one: upload the others as files of their own.`.slice(
        0,
        500,
      ),
      cites: bills.slice(0, 4).flatMap(({ printed, cell }) => citer.find(printed, cell.page) ?? []),
    },
  };
}

/** Rows above its number in which a bill's date may stand. */
const HEAD = 6;

/** Each number once, at its first place, from top to bottom. */
function inOrder(numbers: readonly HeadValue[]): HeadValue[] {
  const found = new Map<string, HeadValue>();
  for (const number of numbers
    .filter(({ score }) => score >= SURE_NUMBER)
    .toSorted((a, b) => a.cell.row - b.cell.row)) {
    const name = folded(number.printed);
    if (!found.has(name)) found.set(name, number);
  }
  return [...found.values()];
}

/** The first row of a bill: the top of its page, the repeated letterhead, or else the row of its number. */
function startOf(grid: DocumentGrid, { cell }: HeadValue): number {
  const page = grid.findIndex((cells) => cells[0]?.page === cell.page);
  if (cell.page !== undefined && page > 0) return page;
  const letterhead = grid[0]?.[0]?.text;
  const again = grid.findLastIndex(
    (cells, row) => row > 0 && row < cell.row && cells[0]?.text === letterhead,
  );
  return again > 0 ? again : cell.row;
}
