import { type DocumentGrid, type GridCell, inOneColumn } from '../layout/document-grid.ts';
import { figureOf } from './table-figures.ts';

/** Greatest distance between rows, and to a line that continues the cell above, points. */
const ROW_GAP = 40;
const LINE_GAP = 15;
/** Most characters of a cell that are kept. */
export const LONGEST_CELL = 300;

/** A table under construction: a text for each column and row. */
export interface OpenTable {
  readonly page: number | undefined;
  readonly columns: readonly GridCell[];
  readonly lines: string[][];
  /** The page of its last row. */
  readonly lastPage: number | undefined;
  /** First and last row of the table in the grid. */
  readonly run: Run;
}

/** Consecutive rows of a page without a gap; both rows belong to it. */
export interface Run {
  readonly first: number;
  readonly last: number;
}

/** Whether the next row stands directly below this one. */
export function isFollowed(grid: DocumentGrid, row: number): boolean {
  const [above, below] = [grid[row]?.[0], grid[row + 1]?.[0]];
  if (above === undefined || below === undefined || above.page !== below.page) return false;
  // If the file has tables, a row of one cell does not split them: it names a group of rows.
  if (above.table !== undefined || below.table !== undefined) return above.table === below.table;
  const gap = gapBetween(above, below);
  // A line alone continues the cell above it, or ends the table.
  const isAlone = (grid[row + 1]?.length ?? 0) < 2;
  return isAlone ? below.y !== undefined && gap <= LINE_GAP : gap <= ROW_GAP;
}

/** The rows as lines with a text for each column, up to the last one or to the first row that does not fit. */
export function linesFrom(
  grid: DocumentGrid,
  first: number,
  { last, columns }: { last: number; columns: readonly GridCell[] },
): { lines: string[][]; end: number } {
  const lines: string[][] = [];
  let end = first;
  for (; end <= last; end += 1) {
    const cells = grid[end] ?? [];
    const places = placesIn(cells, columns);
    if (places === undefined) break;
    if (!goesOn(grid, end, lines)) lines.push(columns.map(() => ''));
    addCells(lines.at(-1) ?? [], cells, places);
  }
  sayAgain(grid, lines, { first, end, columns });
  return { lines, end };
}

/** Repeats a cell over several rows in each of them, except a figure, which would count more than once in a sum. */
function sayAgain(
  grid: DocumentGrid,
  lines: readonly string[][],
  { first, end, columns }: { first: number; end: number; columns: readonly GridCell[] },
): void {
  if (lines.length !== end - first) return;
  for (const at of lines.keys()) {
    const cells = grid[first + at] ?? [];
    if (cells.every(({ rows = 1 }) => rows === 1)) continue;
    for (const [index, place] of (placesIn(cells, columns) ?? []).entries())
      sayBelow(lines.slice(at, at + (cells[index]?.rows ?? 1)), place);
  }
}

/** Copies the first line's text of a column into the empty cells below it. */
function sayBelow([from, ...below]: readonly string[][], column: number): void {
  const text = from?.[column] ?? '';
  if (figureOf(text) !== undefined) return;
  for (const line of below) if (line[column] === '') line[column] = text;
}

/** Appends cells to the texts of their columns; returns the line. */
export function addCells(line: string[], cells: readonly GridCell[], places: readonly number[]): string[] {
  // One character more than the limit, so that a cut is noticed.
  for (const [index, place] of places.entries())
    line[place] = `${line[place] ?? ''} ${cells[index]?.text ?? ''}`.trim().slice(0, LONGEST_CELL + 1);
  return line;
}

/** Distance in points; 0 if the format has no geometry. */
export function gapBetween(above: GridCell, below: GridCell): number {
  return above.y === undefined || below.y === undefined ? 0 : Math.abs(above.y - below.y);
}

/** The column of each cell, in order; undefined if a cell has none, or if two cells share one. */
export function placesIn(cells: readonly GridCell[], columns: readonly GridCell[]): number[] | undefined {
  const places: number[] = [];
  for (const cell of cells) {
    let best = -1;
    for (const [index, column] of columns.entries()) {
      const known = columns[best];
      if (!inOneColumn(column, cell)) continue;
      if (known === undefined || offset(column, cell) < offset(known, cell)) best = index;
    }
    if (best < 0 || best <= (places.at(-1) ?? -1)) return undefined;
    places.push(best);
  }
  return places.length === 0 ? undefined : places;
}

function offset(column: GridCell, cell: GridCell): number {
  return Math.min(
    Math.abs(column.left - cell.left),
    Math.abs(column.right - cell.right),
    Math.abs(column.left + column.right - cell.left - cell.right) / 2,
  );
}

/** Whether a row continues the row above: a single cell without figures, directly below. */
export function goesOn(grid: DocumentGrid, row: number, lines: readonly string[][]): boolean {
  const [cell, second] = grid[row] ?? [];
  const above = grid[row - 1]?.[0];
  if (cell === undefined || second !== undefined || above === undefined || lines.length === 0) return false;
  return cell.y !== undefined && gapBetween(above, cell) <= LINE_GAP && figureOf(cell.text) === undefined;
}

/** Number of cells of a line that are not empty. */
export function filledIn(line: readonly string[] | undefined): number {
  return line?.filter((text) => text !== '').length ?? 0;
}
