import type { DocumentGrid, GridCell } from '../layout/document-grid.ts';
import { findDate } from '../values/dates.ts';
import type { HeadValue } from './head-value.ts';
import { type FoundLabel, labelsIn } from './label-finding.ts';
import { STEM_WEIGHT } from './label-stems.ts';
import { TILL_MARKS, UNTIL } from './receipt-labels.ts';

const TIME = TILL_MARKS.at(-1) as RegExp;

/** The date of a receipt: the one beside its label or a time of day, else the first one that is printed. */
export function findReceiptDate(
  grid: DocumentGrid,
  labelled: HeadValue | undefined,
  dayFirst: boolean,
): HeadValue | undefined {
  if (labelled !== undefined && labelled.score > 0.65) return labelled;
  return grid
    .flatMap((cells) => cells.flatMap((cell) => dateIn(cells, cell, dayFirst) ?? []))
    .reduce<HeadValue | undefined>(
      (chosen, value) => (chosen === undefined || value.score > chosen.score ? value : chosen),
      undefined,
    );
}

/** The date of a cell, unless it ends the time for returns or of an offer. */
function dateIn(cells: readonly GridCell[], cell: GridCell, dayFirst: boolean): HeadValue | undefined {
  const date = findDate(cell.text, dayFirst);
  if (date === undefined) return undefined;
  const before = cell.text.slice(0, cell.text.indexOf(date.printed));
  const beside = before.trim() === '' ? (cells[cell.column - 1]?.text ?? '') : before;
  if (UNTIL.test(beside)) return undefined;
  const line = cells.map(({ text }) => text.replace(date.printed, ' ')).join(' ');
  const isLabelled = labelsIn(cell).some(({ role, opens }) => role === 'date' && opens);
  const score = TIME.test(line) ? 0.78 : isLabelled ? 0.76 : 0.72;
  return { printed: date.printed, normalized: date.iso, cell, score };
}

/** Marks that make a print a till receipt; on a narrow print one less is enough. */
const MARKS = 3;
const NARROW = 50;
const WIDEST = 62;
const SHARE_NARROW = 0.9;
const MOST_ROWS = 150;
const LONGEST = 4500;

/** Whether a bill is a till receipt: it says how and when to the minute it was paid, names the till, or says thanks. */
export function isTillPrint(grid: DocumentGrid, labels: readonly FoundLabel[], text: string): boolean {
  const marks = TILL_MARKS.filter((mark) => mark.test(text)).length;
  return (
    marks + (isNarrow(grid) ? 1 : 0) >=
      MARKS + (isAddressed(labels) ? 3 : 0) + (/\bIBAN\b/.test(text) ? 2 : 0) &&
    marks >= 2 &&
    text.length < LONGEST &&
    !labels.some(
      ({ role, weight, rest }) => role === 'due' && weight > STEM_WEIGHT && findDate(rest) !== undefined,
    )
  );
}

/** Whether the lines are as short as on a roll of paper, which holds about forty characters. */
function isNarrow(grid: DocumentGrid): boolean {
  const widths = grid.map((cells) => cells.reduce((sum, { text }) => sum + text.length + 1, 0));
  return (
    grid.length >= 5 &&
    signsAcross(grid) <= WIDEST &&
    grid.length <= MOST_ROWS &&
    widths.filter((width) => width <= NARROW).length >= widths.length * SHARE_NARROW
  );
}

/** How many characters fit between the outermost cells; 0 if the format has no geometry. */
function signsAcross(grid: DocumentGrid): number {
  const cells = grid.flat().filter(({ y, text }) => y !== undefined && text.length > 1);
  const signs = cells.map(({ left, right, text }) => (right - left) / text.length).sort((a, b) => a - b);
  const sign = signs[Math.floor(signs.length / 2)] ?? 0;
  if (sign <= 0) return 0;
  const [left, right] = [
    Math.min(...cells.map((cell) => cell.left)),
    Math.max(...cells.map((cell) => cell.right)),
  ];
  return (right - left) / sign;
}

/** Whether a bill names its customer, which tills do not know; "Customer copy" names nobody. */
function isAddressed(labels: readonly FoundLabel[]): boolean {
  return labels.some(
    ({ role, opens, weight, rest }) =>
      role === 'customer' && opens && weight > 0.8 && !/^[\s-]*\p{L}/u.test(rest),
  );
}
