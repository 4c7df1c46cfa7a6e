import type { Row } from '../contract/extracted-document.ts';
import type { Citer } from '../contract/quote-finding.ts';
import type { Cite, Table } from '../contract/report.contract.ts';
import { type DocumentGrid, type GridCell, gridOf } from '../layout/document-grid.ts';
import { isFigureOrDay } from './table-figures.ts';
import {
  filledIn,
  isFollowed,
  LONGEST_CELL,
  linesFrom,
  type OpenTable,
  placesIn,
  type Run,
} from './table-grid.ts';
import { headsOf } from './table-heads.ts';
import { tablesOver } from './table-pages.ts';
import { checkSums } from './table-sums.ts';

const LEAST_COLUMNS = 3;
const MOST_COLUMNS = 30;
/** Least number of rows of a table, including its heads. */
const LEAST_ROWS = 3;
/** Most rows that are examined together, so that one odd row decides on the columns of no more rows. */
const LONGEST_RUN = 1000;
/** Share of a column's cells that must be figures or days; without such a column it is text in columns. */
const FIGURES = 0.66;
/** Share of the columns that the first row must fill. */
const MOSTLY = 0.55;
/** Limits of the tables in a report, which has to stay small enough to be sent. */
const MOST_TABLES = 20;
const MOST_ROWS = 300;
const MOST_LETTERS = 150_000;

/** The tables in a report, and the number of further tables in the document. */
export interface FoundTables {
  readonly tables: Table[];
  readonly leftOut: number;
}

/**
 * The tables of a document: rows whose cells stand below each other in three or more columns, one of which holds figures
 * or days. A table that continues on the next page is one table. Each has its place in the text, and lists the columns
 * that end in their sum. Tables beyond the report's limits are only counted.
 */
export function findTables(rows: readonly Row[], citer: Citer): FoundTables {
  const grid = gridOf(rows, rows.length);
  const found = tablesOver(grid, runsOf(grid), (run) => tablesIn(grid, run));
  const tables: Table[] = [];
  let letters = MOST_LETTERS;
  for (const open of found) {
    if (tables.length === MOST_TABLES) break;
    const table = asTable(open, { citer, grid }, letters);
    if (table === undefined) continue;
    letters -= lettersOf(table.rows);
    tables.push(table);
  }
  return { tables, leftOut: found.length - tables.length + tooWide(grid) };
}

/** Number of tables with too many columns: rows below each other with as many cells, figures among them. */
function tooWide(grid: DocumentGrid): number {
  let [tables, rows] = [0, 0];
  for (const [row, cells] of grid.entries()) {
    const isWide = cells.length > MOST_COLUMNS;
    rows = isWide ? (isFollowed(grid, row - 1) ? rows : 0) + 1 : 0;
    if (rows === LEAST_ROWS && cells.some(({ text }) => isFigureOrDay(text))) tables += 1;
  }
  return tables;
}

function runsOf(grid: DocumentGrid): Run[] {
  const runs: Run[] = [];
  for (let first = 0, row = 0; row < grid.length; row += 1) {
    if (isFollowed(grid, row)) continue;
    runs.push(...cutRun({ first, last: row }));
    first = row + 1;
  }
  return runs;
}

/** Splits a long run into parts, none of which is too short for a table. */
function cutRun({ first, last }: Run): Run[] {
  if (last - first < 1.5 * LONGEST_RUN) return [{ first, last }];
  const next = first + LONGEST_RUN;
  return [{ first, last: next - 1 }, ...cutRun({ first: next, last })];
}

/**
 * The tables of a run. However many rows begin no table, each row is placed in columns at most three times, as a document
 * may hold a very long list of texts.
 */
function tablesIn(grid: DocumentGrid, { first, last }: Run): OpenTable[] {
  const widest = widestRows(grid, { first, last });
  const found: OpenTable[] = [];
  for (let row = first; row <= last; ) {
    const { table, next } = tableAt(grid, { first: row, last }, widest[row - first] ?? row);
    if (table !== undefined) found.push(table);
    row = next;
  }
  return found;
}

/** For each row of a run, the fullest row from there on, which shows where the columns are; among equals, the first. */
function widestRows(grid: DocumentGrid, { first, last }: Run): number[] {
  const widest: number[] = [];
  for (let row = last, best = last; row >= first; row -= 1) {
    if ((grid[row]?.length ?? 0) >= (grid[best]?.length ?? 0)) best = row;
    widest[row - first] = best;
  }
  return widest;
}

/** The table that begins with the first row, if any, and the next row that may begin one. */
function tableAt(
  grid: DocumentGrid,
  { first, last }: Run,
  widest: number,
): { readonly table?: OpenTable | undefined; readonly next: number } {
  const columns = grid[widest] ?? [];
  if (columns.length < LEAST_COLUMNS) return { next: last + 1 };
  if (columns.length > MOST_COLUMNS) return { next: widest + 1 };
  if ((grid[first]?.length ?? 0) < LEAST_COLUMNS - 1) return { next: first + 1 };
  // A table that began above a row that does not fit would have the same columns, and contain that row.
  for (let row = widest - 1; row >= first; row -= 1)
    if (placesIn(grid[row] ?? [], columns) === undefined) return { next: row + 1 };
  const { lines, end } = linesFrom(grid, first, { last, columns });
  // Text below the rows of a table in the file is not a row of it.
  const rows = columns[0]?.table === undefined ? lines.length : endOfRows(lines);
  const table = tableOf(lines.slice(0, rows), columns, { first, last: end - 1 });
  return { table, next: Math.max(end, first + 1) };
}

function endOfRows(lines: readonly string[][]): number {
  return lines.findLastIndex((line) => filledIn(line) > 1 || line.some(isFigureOrDay)) + 1;
}

/** The table in lines of the same columns, without empty columns. It starts at the first line that makes it a table. */
function tableOf(lines: readonly string[][], columns: readonly GridCell[], run: Run): OpenTable | undefined {
  const start = startOfTable(lines, columns);
  if (start === undefined) return undefined;
  const within = lines.slice(start);
  const kept = columns.flatMap((_, column) => (within.some((line) => line[column] !== '') ? [column] : []));
  if (kept.length < LEAST_COLUMNS) return undefined;
  return {
    page: columns[0]?.page,
    lastPage: columns[0]?.page,
    columns: columns.filter((_, column) => kept.includes(column)),
    lines: within.map((line) => kept.map((column) => line[column] ?? '')),
    run: { ...run, first: run.first + start },
  };
}

/**
 * The first line from which the rest is a table: it fills most of the columns, one column below it holds figures or days,
 * and the rows are more than a few scattered cells. An address or a title that happens to stand in the columns fills few
 * of them.
 */
function startOfTable(lines: readonly string[][], columns: readonly GridCell[]): number | undefined {
  const least = Math.max(2, Math.ceil(columns.length * MOSTLY));
  const below = new LineCounts(columns.length, columns[0]?.table !== undefined);
  let best: number | undefined;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? [];
    if (filledIn(line) >= least && below.isTable()) best = at;
    below.add(line);
  }
  return best;
}

/** Counts what lines have in their columns, line by line. */
class LineCounts {
  #lines = 0;
  /** Number of lines with more than a scattered cell. */
  #rows = 0;
  readonly #filled: number[];
  readonly #figures: number[];
  readonly #isOfFile: boolean;

  /** @param isOfFile whether the file says that the lines are one table; a single text then names the rows below it */
  constructor(columns: number, isOfFile: boolean) {
    this.#isOfFile = isOfFile;
    this.#filled = Array.from({ length: columns }, () => 0);
    this.#figures = [...this.#filled];
  }

  add(line: readonly string[]): void {
    if (this.#isOfFile && filledIn(line) === 1 && !line.some(isFigureOrDay)) return;
    this.#lines += 1;
    if (filledIn(line) >= 2) this.#rows += 1;
    for (const [column, text] of line.entries()) {
      if (text === '') continue;
      this.#filled[column] = (this.#filled[column] ?? 0) + 1;
      if (isFigureOrDay(text)) this.#figures[column] = (this.#figures[column] ?? 0) + 1;
    }
  }

  /** Whether the lines are the rows of a table below its first one. */
  isTable(): boolean {
    if (this.#lines < LEAST_ROWS - 1 || this.#rows < this.#lines * FIGURES) return false;
    return this.#filled.some(
      (count, column) => count >= 2 && (this.#figures[column] ?? 0) >= count * FIGURES,
    );
  }
}

function asTable(
  open: OpenTable,
  { citer, grid }: { citer: Citer; grid: DocumentGrid },
  letters: number,
): Table | undefined {
  const heads = headsOf(open, grid);
  const all = open.lines.slice(heads.lines);
  const rows: string[][] = [];
  for (const line of all.slice(0, MOST_ROWS)) {
    letters -= lettersOf([line]);
    if (letters < 0) break;
    rows.push(line);
  }
  const cite = placeOf(rows[0] ?? [], open.page, citer);
  if (rows.length < LEAST_ROWS - 1 || cite === undefined) return undefined;
  const { summed, carried } = rows.length === all.length ? checkSums(rows) : { summed: [], carried: [] };
  return {
    ...(open.page === undefined ? {} : { page: open.page }),
    header: heads.texts.map(cutCell),
    rows: rows.map((row) => row.map(cutCell)),
    summed,
    ...(carried.length === 0 ? {} : { carried }),
    leftOut: all.length - rows.length,
    cites: [cite],
  };
}

/** A cell's text, cut to its limit with a mark. */
function cutCell(text: string): string {
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1).toWellFormed()}…`;
}

function lettersOf(rows: readonly (readonly string[])[]): number {
  return rows.reduce((sum, row) => sum + row.reduce((all, text) => all + text.length + 3, 0), 0);
}

/** The place of its first row, by the longest text in it that is found. */
function placeOf(row: readonly string[], page: number | undefined, citer: Citer): Cite | undefined {
  const texts = row.filter((text) => text !== '').toSorted((a, b) => b.length - a.length);
  for (const text of texts) {
    const cite = citer.find(text, page);
    if (cite !== undefined) return cite;
  }
  return undefined;
}
