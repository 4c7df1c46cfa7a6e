import type { DocumentGrid } from '../layout/document-grid.ts';
import { findDate } from '../values/dates.ts';
import { figureOf } from './table-figures.ts';
import { filledIn, type OpenTable } from './table-grid.ts';

/** Most rows of heads below each other. */
const MOST_HEADS = 3;
/** Share of a column's cells that must be figures for a text above them to be its head. */
const FIGURES = 0.66;
/** How many lines are examined to see what a column holds. */
const SAMPLE = 60;
const YEAR = /^(?:19|20)\d\d$/;

/** The heads of a table's columns, and the number of their lines; no texts and 0 if it has none. */
export interface TableHeads {
  readonly texts: readonly string[];
  readonly lines: number;
}

/**
 * The heads of a table. A head over several columns belongs to each of them, with the head below it: "Hours: Day",
 * "Hours: Night".
 */
export function headsOf(open: OpenTable, grid: DocumentGrid): TableHeads {
  const { lines } = open;
  const most = Math.min(MOST_HEADS, deepest(open, grid), Math.max(1, lines.length - 2));
  const covered = lines.slice(0, most).map((line, at) => withWideCells(line, at, { open, grid }));
  const all = [...covered, ...lines.slice(most)];
  if (!isHead(all, 0)) return { texts: [], lines: 0 };
  let depth = 1;
  while (depth < most && isHead(all, depth, true)) depth += 1;
  if (depth === 1) return { texts: lines[0] ?? [], lines: 1 };
  const texts = open.columns.map((_, column) => {
    const parts = covered.slice(0, depth).map((line) => line[column] ?? '');
    return [...new Set(parts.filter((text) => text !== ''))].join(': ');
  });
  return { texts, lines: depth };
}

/** A line in which a cell over several columns is repeated in each of them. */
function withWideCells(
  line: readonly string[],
  at: number,
  { open, grid }: { open: OpenTable; grid: DocumentGrid },
): string[] {
  const cells = (grid[open.run.first + at] ?? []).filter(({ table }) => table !== undefined);
  return open.columns.map((column, index) => {
    const over = cells.find(({ left, right }) => left <= column.left && right >= column.right);
    return line[index] || over?.text || '';
  });
}

/** The number of rows of heads, from the cells of the first row that span several rows or columns. */
function deepest({ run, columns }: OpenTable, grid: DocumentGrid): number {
  const cells = (grid[run.first] ?? []).filter(({ table }) => table !== undefined);
  const isWide = cells.some(
    (cell) => columns.filter(({ left, right }) => left >= cell.left && right <= cell.right).length > 1,
  );
  return Math.max(isWide ? 2 : 1, ...cells.map(({ rows = 1 }) => rows));
}

/**
 * Whether a line is a row of heads: it has no figures, or none above the figures of the lines below, as in
 * "Costs | 2025 | 2026".
 *
 * @param isBelow whether other heads stand above it; then it must say something about the figures
 */
function isHead(lines: readonly string[][], at: number, isBelow = false): boolean {
  const line = lines[at] ?? [];
  if (filledIn(line) < 2) return false;
  if (!isBelow && line.every((text) => !/\d/.test(text))) return true;
  const below = lines.slice(at + 1, at + 1 + SAMPLE);
  const days = line.filter((text) => findDate(text) !== undefined).length;
  const isNamed = line.map((text, column) =>
    holdsFigures(below, column)
      ? text !== '' && (figureOf(text) === undefined || YEAR.test(text))
      : undefined,
  );
  return (
    // The day of a letter may stand above its figures too; a balance has two days.
    days !== 1 &&
    isNamed.includes(true) &&
    !isNamed.includes(false) &&
    line.every((text, column) => isNamed[column] !== undefined || figureOf(text) === undefined)
  );
}

/** Whether a column holds figures, and not years below a year. */
function holdsFigures(lines: readonly string[][], column: number): boolean {
  const cells = lines.map((line) => line[column] ?? '').filter((text) => text !== '');
  const figures = cells.filter((text) => figureOf(text) !== undefined && !YEAR.test(text));
  return figures.length >= 2 && figures.length >= cells.length * FIGURES;
}
