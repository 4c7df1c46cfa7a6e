import { type BillGrid, type GridCell, gridOf, inOneColumn } from '../bills/bill-grid.server.ts';
import type { Row } from '../reader/extracted-document.server.ts';
import type { Citer } from '../report/citation.server.ts';
import type { Cite, Table } from '../report/report.contract.ts';
import { figureOf, isFigureOrDay } from './table-figures.server.ts';
import { summedColumns } from './table-sums.server.ts';

const LEAST_COLUMNS = 3;
const MOST_COLUMNS = 30;
/** Rows of a table at the least, its heads among them. */
const LEAST_ROWS = 3;
/** Rows that are looked at together: of a longer list the rest is a table of its own. */
const LONGEST_RUN = 1000;
/** Points between rows, and to a line that goes on with the cell above. */
const ROW_GAP = 40;
const LINE_GAP = 15;
/** Part of a column's cells that must be figures or days: without such a column it is a text in columns. */
const FIGURES = 0.66;
/** Part of the columns that the first row fills. */
const MOSTLY = 0.55;
/** What is kept of a document; a report has to stay small enough to be sent. */
const MOST_TABLES = 20;
const MOST_ROWS = 300;
const MOST_LETTERS = 150_000;
const LONGEST_CELL = 300;

/** A table while it is put together: a text for each column and row. */
interface OpenTable {
  readonly page: number | undefined;
  readonly columns: readonly GridCell[];
  readonly lines: string[][];
  /** The row of the grid behind its last one. */
  readonly end: number;
}

/**
 * The tables of a document: rows whose cells stand under each other in three or more columns, one of them of figures or
 * days. A table that goes on on the next page is one. Each has a place in the text, and says which of its columns end in
 * the sum of what stands above.
 */
export function findTables(rows: readonly Row[], citer: Citer): Table[] {
  const grid = gridOf(rows);
  const found: OpenTable[] = [];
  for (let row = 0; row < grid.length; ) {
    const table = tableAround(grid, row);
    if (table !== undefined) found.push(table);
    row = table?.end ?? row + 1;
  }
  let letters = MOST_LETTERS;
  return joinPages(found)
    .slice(0, MOST_TABLES)
    .flatMap((open) => {
      const table = asTable(open, citer, letters);
      letters -= table === undefined ? 0 : lettersOf(table.rows);
      return table === undefined ? [] : [table];
    });
}

/** The table whose first row this is. */
function tableAround(grid: BillGrid, first: number): OpenTable | undefined {
  if ((grid[first]?.length ?? 0) < LEAST_COLUMNS - 1) return undefined;
  const last = lastOfRun(grid, first);
  const widest = widestRow(grid, first, last);
  const columns = grid[widest] ?? [];
  if (columns.length < LEAST_COLUMNS || columns.length > MOST_COLUMNS) return undefined;
  for (let row = first; row < widest; row += 1)
    if (placesIn(grid[row] ?? [], columns) === undefined) return undefined;
  const { lines, end } = linesFrom(grid, first, { last, columns });
  // An address or a title that happens to stand in the columns fills few of them.
  const least = Math.max(2, Math.ceil(columns.length * MOSTLY));
  while (lines.length > 0 && filledIn(lines[0]) < least) lines.shift();
  const table = { page: columns[0]?.page, columns, lines, end };
  return lines.length >= LEAST_ROWS && holdsFigures(lines) ? table : undefined;
}

/** The fullest row, which says where the columns are; the first of equal ones. */
function widestRow(grid: BillGrid, first: number, last: number): number {
  let widest = first;
  for (let row = first; row <= last; row += 1)
    if ((grid[row]?.length ?? 0) > (grid[widest]?.length ?? 0)) widest = row;
  return widest;
}

/** The rows as lines of a text for each column, to the first row that does not fit, or the last. */
function linesFrom(
  grid: BillGrid,
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
    const line = lines.at(-1) ?? [];
    for (const [index, place] of places.entries())
      line[place] = `${line[place] ?? ''} ${cells[index]?.text ?? ''}`.trim().slice(0, LONGEST_CELL);
  }
  return { lines, end };
}

/** The last of the rows that follow each other on a page without a gap. */
function lastOfRun(grid: BillGrid, first: number): number {
  let row = first;
  for (; row + 1 < grid.length && row - first < LONGEST_RUN; row += 1) {
    const [above, below] = [grid[row]?.[0], grid[row + 1]?.[0]];
    if (above === undefined || below === undefined || above.page !== below.page) break;
    if (gapBetween(above, below) > ROW_GAP) break;
    // A line alone belongs to the cell above it, or ends the table.
    if ((grid[row + 1]?.length ?? 0) < 2 && gapBetween(above, below) > LINE_GAP) break;
    if ((grid[row + 1]?.length ?? 0) < 2 && below.y === undefined) break;
  }
  return row;
}

/** Points; 0 where the format has no geometry. */
function gapBetween(above: GridCell, below: GridCell): number {
  return above.y === undefined || below.y === undefined ? 0 : Math.abs(above.y - below.y);
}

/** The column of each cell, in their order; undefined where one has none, or two share one. */
function placesIn(cells: readonly GridCell[], columns: readonly GridCell[]): number[] | undefined {
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

/** Whether a row is one more line of the row above: a single cell without figures, right below. */
function goesOn(grid: BillGrid, row: number, lines: readonly string[][]): boolean {
  const [cell, second] = grid[row] ?? [];
  const above = grid[row - 1]?.[0];
  if (cell === undefined || second !== undefined || above === undefined || lines.length === 0) return false;
  return cell.y !== undefined && gapBetween(above, cell) <= LINE_GAP && figureOf(cell.text) === undefined;
}

function filledIn(line: readonly string[] | undefined): number {
  return line?.filter((text) => text !== '').length ?? 0;
}

/** Whether one of the columns is of figures or days, and the rows are more than a few scattered cells. */
function holdsFigures(lines: readonly string[][]): boolean {
  const body = lines.slice(1);
  if (body.filter((line) => filledIn(line) >= 2).length < body.length * FIGURES) return false;
  return (lines[0] ?? []).some((_, column) => {
    const texts = body.map((line) => line[column] ?? '').filter((text) => text !== '');
    return texts.length >= 2 && texts.filter(isFigureOrDay).length >= texts.length * FIGURES;
  });
}

/** Tables that follow each other on two pages in the same columns are one; heads that come back are left out. */
function joinPages(tables: readonly OpenTable[]): OpenTable[] {
  const joined: OpenTable[] = [];
  for (const table of tables) {
    const before = joined.at(-1);
    if (before === undefined || !isContinued(before, table)) {
      joined.push(table);
      continue;
    }
    const [heads = [], ...others] = table.lines;
    const again = heads.join('\n') === before.lines[0]?.join('\n');
    const lines = [...before.lines, ...(again ? others : table.lines)];
    joined[joined.length - 1] = { ...before, lines, columns: table.columns };
  }
  return joined;
}

function isContinued(before: OpenTable, table: OpenTable): boolean {
  const [last, first] = [before.columns[0]?.page, table.page];
  return (
    last !== undefined &&
    first === last + 1 &&
    before.columns.length === table.columns.length &&
    before.columns.every((column, index) => {
      const other = table.columns[index];
      return other !== undefined && inOneColumn(column, other);
    })
  );
}

function asTable(open: OpenTable, citer: Citer, letters: number): Table | undefined {
  const [heads = [], ...others] = open.lines;
  const hasHeads = filledIn(heads) >= 2 && !heads.some((text) => /\d/.test(text));
  const all = hasHeads ? others : open.lines;
  const rows: string[][] = [];
  for (const line of all.slice(0, MOST_ROWS)) {
    letters -= lettersOf([line]);
    if (letters < 0) break;
    rows.push(line);
  }
  const cite = placeOf(rows[0] ?? [], open.page, citer);
  if (rows.length < LEAST_ROWS - 1 || cite === undefined) return undefined;
  return {
    ...(open.page === undefined ? {} : { page: open.page }),
    header: hasHeads ? heads : [],
    rows,
    summed: rows.length === all.length ? summedColumns(rows) : [],
    leftOut: all.length - rows.length,
    cites: [cite],
  };
}

function lettersOf(rows: readonly (readonly string[])[]): number {
  return rows.reduce((sum, row) => sum + row.reduce((all, text) => all + text.length + 3, 0), 0);
}

/** Where its first row stands: by its longest text that is found. */
function placeOf(row: readonly string[], page: number | undefined, citer: Citer): Cite | undefined {
  const texts = row.filter((text) => text !== '').toSorted((a, b) => b.length - a.length);
  for (const text of texts) {
    const cite = citer.find(text, page);
    if (cite !== undefined) return cite;
  }
  return undefined;
}
