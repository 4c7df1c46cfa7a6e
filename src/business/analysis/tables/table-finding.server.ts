import { type BillGrid, type GridCell, gridOf, inOneColumn } from '../bills/bill-grid.server.ts';
import { READ_LIMITS, type Row } from '../reader/extracted-document.server.ts';
import type { Citer } from '../report/citation.server.ts';
import type { Cite, Table } from '../report/report.contract.ts';
import { figureOf, isFigureOrDay } from './table-figures.server.ts';
import { summedColumns } from './table-sums.server.ts';

const LEAST_COLUMNS = 3;
const MOST_COLUMNS = 30;
/** Rows of a table at the least, its heads among them. */
const LEAST_ROWS = 3;
/** Rows that are looked at together, so that one odd row decides on the columns of no more than those. */
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
  /** Rows of the grid that it begins and ends with. */
  readonly run: Run;
}

/** Rows that follow each other on a page without a gap; both rows belong to it. */
interface Run {
  readonly first: number;
  readonly last: number;
}

/**
 * The tables of a document: rows whose cells stand under each other in three or more columns, one of them of figures or
 * days. A table that goes on on the next page is one. Each has a place in the text, and says which of its columns end in
 * the sum of what stands above.
 */
export function findTables(rows: readonly Row[], citer: Citer): Table[] {
  const grid = gridOf(rows, READ_LIMITS.rows);
  let letters = MOST_LETTERS;
  return joinPages(runsOf(grid).flatMap((run) => tablesIn(grid, run)))
    .slice(0, MOST_TABLES)
    .flatMap((open) => {
      const table = asTable(open, citer, letters);
      letters -= table === undefined ? 0 : lettersOf(table.rows);
      return table === undefined ? [] : [table];
    });
}

function runsOf(grid: BillGrid): Run[] {
  const runs: Run[] = [];
  for (let first = 0, row = 0; row < grid.length; row += 1) {
    if (isFollowed(grid, row)) continue;
    runs.push(...cutRun({ first, last: row }));
    first = row + 1;
  }
  return runs;
}

/** A long run in parts, none of them so short that it is no table. */
function cutRun({ first, last }: Run): Run[] {
  if (last - first < 1.5 * LONGEST_RUN) return [{ first, last }];
  const next = first + LONGEST_RUN;
  return [{ first, last: next - 1 }, ...cutRun({ first: next, last })];
}

/** Whether the next row stands right below this one. */
function isFollowed(grid: BillGrid, row: number): boolean {
  const [above, below] = [grid[row]?.[0], grid[row + 1]?.[0]];
  if (above === undefined || below === undefined || above.page !== below.page) return false;
  const gap = gapBetween(above, below);
  // A line alone belongs to the cell above it, or ends the table.
  const isAlone = (grid[row + 1]?.length ?? 0) < 2;
  return isAlone ? below.y !== undefined && gap <= LINE_GAP : gap <= ROW_GAP;
}

/**
 * The tables of a run. No row is placed in columns more than three times, however many begin nowhere: a list of texts
 * may have as many rows as a document can.
 */
function tablesIn(grid: BillGrid, { first, last }: Run): OpenTable[] {
  const widest = widestRows(grid, { first, last });
  const found: OpenTable[] = [];
  for (let row = first; row <= last; ) {
    const { table, next } = tableAt(grid, { first: row, last }, widest[row - first] ?? row);
    if (table !== undefined) found.push(table);
    row = next;
  }
  return found;
}

/** For each row of a run the fullest one from there on, which says where the columns are; the first of equal ones. */
function widestRows(grid: BillGrid, { first, last }: Run): number[] {
  const widest: number[] = [];
  for (let row = last, best = last; row >= first; row -= 1) {
    if ((grid[row]?.length ?? 0) >= (grid[best]?.length ?? 0)) best = row;
    widest[row - first] = best;
  }
  return widest;
}

/** The table that begins with the first row, if one does, and the next row that one may begin with. */
function tableAt(
  grid: BillGrid,
  { first, last }: Run,
  widest: number,
): { readonly table?: OpenTable | undefined; readonly next: number } {
  const columns = grid[widest] ?? [];
  if (columns.length < LEAST_COLUMNS) return { next: last + 1 };
  if (columns.length > MOST_COLUMNS) return { next: widest + 1 };
  if ((grid[first]?.length ?? 0) < LEAST_COLUMNS - 1) return { next: first + 1 };
  // What begins above a row that does not fit has the same columns, and the same row in it.
  for (let row = widest - 1; row >= first; row -= 1)
    if (placesIn(grid[row] ?? [], columns) === undefined) return { next: row + 1 };
  const { lines, end } = linesFrom(grid, first, { last, columns });
  const table = tableOf(lines, columns, { first, last: end - 1 });
  return { table, next: Math.max(end, first + 1) };
}

/** The table within lines of the same columns: from the first line on with which they are one, without empty columns. */
function tableOf(lines: readonly string[][], columns: readonly GridCell[], run: Run): OpenTable | undefined {
  const start = startOfTable(lines, columns.length);
  if (start === undefined) return undefined;
  const within = lines.slice(start);
  const kept = columns.flatMap((_, column) => (within.some((line) => line[column] !== '') ? [column] : []));
  if (kept.length < LEAST_COLUMNS) return undefined;
  return {
    page: columns[0]?.page,
    columns: columns.filter((_, column) => kept.includes(column)),
    lines: within.map((line) => kept.map((column) => line[column] ?? '')),
    run: { ...run, first: run.first + start },
  };
}

/**
 * The first line with which the rest is a table: it fills most of the columns, one of them is of figures or days below
 * it, and the rows are more than a few scattered cells. An address or a title that happens to stand in the columns fills
 * few of them.
 */
function startOfTable(lines: readonly string[][], columns: number): number | undefined {
  const least = Math.max(2, Math.ceil(columns * MOSTLY));
  const below = new LineCounts(columns);
  let best: number | undefined;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? [];
    if (filledIn(line) >= least && below.isTable()) best = at;
    below.add(line);
  }
  return best;
}

/** What lines have in their columns, counted as one is added after the other. */
class LineCounts {
  #lines = 0;
  /** Lines that are more than a scattered cell. */
  #rows = 0;
  readonly #filled: number[];
  readonly #figures: number[];

  constructor(columns: number) {
    this.#filled = Array.from({ length: columns }, () => 0);
    this.#figures = [...this.#filled];
  }

  add(line: readonly string[]): void {
    this.#lines += 1;
    if (filledIn(line) >= 2) this.#rows += 1;
    for (const [column, text] of line.entries()) {
      if (text === '') continue;
      this.#filled[column] = (this.#filled[column] ?? 0) + 1;
      if (isFigureOrDay(text)) this.#figures[column] = (this.#figures[column] ?? 0) + 1;
    }
  }

  /** Whether they are the rows of a table below its first one. */
  isTable(): boolean {
    if (this.#lines < LEAST_ROWS - 1 || this.#rows < this.#lines * FIGURES) return false;
    return this.#filled.some(
      (count, column) => count >= 2 && (this.#figures[column] ?? 0) >= count * FIGURES,
    );
  }
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

/**
 * Tables that follow each other on two pages, or without a row between, in the same columns are one; heads that come back
 * are left out.
 */
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
    joined[joined.length - 1] = { ...table, page: before.page, lines };
  }
  return joined;
}

function isContinued(before: OpenTable, table: OpenTable): boolean {
  const [last, first] = [before.columns[0]?.page, table.page];
  const follows = last === undefined ? table.run.first === before.run.last + 1 : first === last + 1;
  return (
    follows &&
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
