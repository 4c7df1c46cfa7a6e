import { billEvidence } from '../bills/bill-kind.ts';
import type { Row } from '../contract/extracted-document.ts';
import type { Attention } from '../contract/report.contract.ts';

/** Fewest lines of a receipt. */
const LEAST_ROWS = 6;
/** Share of the width, from each edge, in which no gap between two receipts can be. */
const MARGIN = 0.25;
/** Places that are tried for a gap. */
const STEPS = 40;

/** Says that a picture shows receipts side by side, which could not be cut out. */
export const SIDE_BY_SIDE: Attention = {
  code: 'papers_together',
  severity: 'warn',
  text: 'This picture seems to show several receipts that could not be told apart, so no facts were read. Lay them on a darker table with gaps between them, or take a picture of each.',
  cites: [],
};

/** Whether the lines of a picture are two receipts beside each other: each side is the print of a till with its total. */
export function areSideBySide(rows: readonly Row[]): boolean {
  const cells = rows.flatMap((row) => row.cells);
  const left = Math.min(...cells.map((cell) => cell.left));
  const right = Math.max(...cells.map((cell) => cell.right));
  const tried = new Set<number>();
  for (let step = 0; step <= STEPS; step += 1) {
    const at = left + (right - left) * (MARGIN + ((1 - 2 * MARGIN) * step) / STEPS);
    const before = rowsWhere(rows, (cell) => cell.right <= at);
    const after = rowsWhere(rows, (cell) => cell.left >= at);
    const crossing = cells.filter((cell) => cell.left < at && cell.right > at).length;
    const count = before.reduce((sum, row) => sum + row.cells.length, 0);
    const isNew = !tried.has(count);
    tried.add(count);
    // A line of both, read as one, may cross the gap.
    if (isNew && crossing <= rows.length / 10 && isReceipt(before) && isReceipt(after)) return true;
  }
  return false;
}

function rowsWhere(rows: readonly Row[], isOwn: (cell: Row['cells'][number]) => boolean): Row[] {
  return rows
    .map((row) => ({ ...row, cells: row.cells.filter(isOwn) }))
    .filter(({ cells }) => cells.length > 0);
}

function isReceipt(rows: readonly Row[]): boolean {
  const text = rows.map(({ cells }) => cells.map((cell) => cell.text).join('  ')).join('\n');
  return rows.length >= LEAST_ROWS && billEvidence(rows, text).isTill;
}
