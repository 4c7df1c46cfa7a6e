import type { Row } from '../contract/extracted-document.ts';
import type { DocumentKind } from '../contract/report.contract.ts';
import { gridOf } from '../layout/document-grid.ts';
import type { BillRole } from './bill-labels.ts';
import { isNumberedTitle } from './bill-titles.ts';
import { type FoundLabel, findLabels } from './label-finding.ts';
import { STEM_WEIGHT } from './label-stems.ts';
import { isTillPrint } from './receipt-reading.ts';
import { findReceiptTotal } from './receipt-total.ts';
import { sumCandidates, sumColumns, sumRows } from './sum-candidates.ts';

/** What labels and sums say about whether a document is a bill. */
export interface BillEvidence {
  /** 0 to about 10. */
  readonly points: number;
  /** Whether it is the print of a till. */
  readonly isTill: boolean;
  /** Whether a line is a bill's title with its number. */
  readonly isNumbered: boolean;
}

const ROLE_POINTS: Partial<Record<BillRole, number>> = {
  number: 2,
  date: 1,
  due: 1,
  supplier: 0.5,
  customer: 1,
};
const TITLE_ROWS = 40;
const LONGEST_TITLE = 60;
/** Most points of a document without sums. */
const WITHOUT_SUMS = 4;

/** How strongly a document's labels and sums suggest a bill. */
export function billEvidence(rows: readonly Row[], text: string): BillEvidence {
  const grid = gridOf(rows);
  const labels = findLabels(grid);
  const isTill = isTillPrint(grid, labels, text) && findReceiptTotal(grid) !== undefined;
  const sums = new Set(
    [...sumCandidates(grid, labels), ...sumRows(grid), ...sumColumns(grid)].map(({ role }) => role),
  );
  const head = grid.slice(0, TITLE_ROWS).flatMap((cells) => cells.map((cell) => cell.text));
  const isNumbered = head.some((line) => line.length <= LONGEST_TITLE && isNumberedTitle(line));
  const points =
    rolePoints(labels, isNumbered) +
    (sums.has('gross') || sums.has('payable') ? 2 : 0) +
    (sums.has('net') ? 1 : 0) +
    (sums.has('tax') ? 1 : 0);
  return { points: sums.size === 0 ? Math.min(points, WITHOUT_SUMS) : points, isTill, isNumbered };
}

function rolePoints(labels: readonly FoundLabel[], isNumbered: boolean): number {
  const roles = new Set(
    labels.filter(({ opens, weight }) => opens && weight >= STEM_WEIGHT).map(({ role }) => role),
  );
  if (isNumbered) roles.add('number');
  return [...roles].reduce((sum, role) => sum + (ROLE_POINTS[role] ?? 0), 0);
}

/** The kind for the UNTDID 1001 type code of an e-invoice; codes that are not listed mean an invoice. */
export function kindOfTypeCode(code: string): DocumentKind {
  return ['81', '83', '261', '262', '296', '308', '381', '396', '420', '458', '532'].includes(code)
    ? 'credit_note'
    : 'invoice';
}
