import type { Citer } from '../contract/citation.ts';
import type { Row } from '../contract/extracted-document.ts';
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
/** Rows of a table at the least, its heads among them. */
const LEAST_ROWS = 3;
/** Rows that are looked at together, so that one odd row decides on the columns of no more than those. */
const LONGEST_RUN = 1000;
/** Part of a column's cells that must be figures or days: without such a column it is a text in columns. */
const FIGURES = 0.66;
/** Part of the columns that the first row fills. */
const MOSTLY = 0.55;
/** What is kept of a document; a report has to stay small enough to be sent. */
const MOST_TABLES = 20;
const MOST_ROWS = 300;
const MOST_LETTERS = 150_000;

/** The tables that a report holds, and how many others the document has. */
export interface FoundTables {
  readonly tables: Table[];
  readonly leftOut: number;
}

/**
 * The tables of a document: rows whose cells stand under each other in three or more columns, one of them of figures or
 * days. A table that goes on on the next page is one. Each has a place in the text, and says which of its columns end in
 * the sum of what stands above. Those that a report has no room for are counted.
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

/** How many tables have more columns than are read: rows with as many cells that follow each other, figures among them. */
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

/** A long run in parts, none of them so short that it is no table. */
function cutRun({ first, last }: Run): Run[] {
  if (last - first < 1.5 * LONGEST_RUN) return [{ first, last }];
  const next = first + LONGEST_RUN;
  return [{ first, last: next - 1 }, ...cutRun({ first: next, last })];
}

/**
 * The tables of a run. No row is placed in columns more than three times, however many begin nowhere: a list of texts
 * may have as many rows as a document can.
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

/** For each row of a run the fullest one from there on, which says where the columns are; the first of equal ones. */
function widestRows(grid: DocumentGrid, { first, last }: Run): number[] {
  const widest: number[] = [];
  for (let row = last, best = last; row >= first; row -= 1) {
    if ((grid[row]?.length ?? 0) >= (grid[best]?.length ?? 0)) best = row;
    widest[row - first] = best;
  }
  return widest;
}

/** The table that begins with the first row, if one does, and the next row that one may begin with. */
function tableAt(
  grid: DocumentGrid,
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
  // A text below the rows of a file's own table is no row of it.
  const rows = columns[0]?.table === undefined ? lines.length : endOfRows(lines);
  const table = tableOf(lines.slice(0, rows), columns, { first, last: end - 1 });
  return { table, next: Math.max(end, first + 1) };
}

function endOfRows(lines: readonly string[][]): number {
  return lines.findLastIndex((line) => filledIn(line) > 1 || line.some(isFigureOrDay)) + 1;
}

/** The table within lines of the same columns: from the first line on with which they are one, without empty columns. */
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
 * The first line with which the rest is a table: it fills most of the columns, one of them is of figures or days below
 * it, and the rows are more than a few scattered cells. An address or a title that happens to stand in the columns fills
 * few of them.
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

/** What lines have in their columns, counted as one is added after the other. */
class LineCounts {
  #lines = 0;
  /** Lines that are more than a scattered cell. */
  #rows = 0;
  readonly #filled: number[];
  readonly #figures: number[];
  readonly #isOfFile: boolean;

  /** @param isOfFile the file itself says that they are one table: a text alone names the rows below it */
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

  /** Whether they are the rows of a table below its first one. */
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

/** A cell as it is kept; where its end is missing it says so. */
function cutCell(text: string): string {
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1).toWellFormed()}…`;
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
