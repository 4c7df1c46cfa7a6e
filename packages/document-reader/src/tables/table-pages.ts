import { type DocumentGrid, inOneColumn } from '../layout/document-grid.ts';
import { isFigureOrDay } from './table-figures.ts';
import { addCells, filledIn, gapBetween, goesOn, type OpenTable, placesIn, type Run } from './table-grid.ts';
import { isNamedAsCarried, isRunningTotal, isSumRow } from './table-sums.ts';

/** Most rows of a page above and below its tables: its running header and footer. */
const MOST_HEAD = 8;
const MOST_FOOT = 5;
/** Greatest distance to a line alone between the rows of a table, such as the name of a group, points. */
const GROUP_GAP = 40;
/** Last rows of a table that show the form of its rows; limited, so that each page takes equally long. */
const SHAPE_ROWS = 60;
/** Share of the rows that must fill a column to count as always filled; share of its cells that are figures or days. */
const ALWAYS = 0.9;
const FIGURES = 0.66;

/** Rows that continue a table. */
interface Continuation extends Run {
  readonly lines: readonly string[][];
}

/** The form of a table's rows, by column. */
interface Shape {
  readonly always: readonly number[];
  readonly figures: readonly number[];
}

/**
 * The tables of all runs. A table that continues on the next page is one table, however few rows it has there: they are
 * recognised by their columns and the content of these. Repeated heads are left out.
 */
export function tablesOver(
  grid: DocumentGrid,
  runs: readonly Run[],
  tablesIn: (run: Run) => OpenTable[],
): OpenTable[] {
  const found: OpenTable[] = [];
  for (const run of runs) {
    const before = found.at(-1);
    const own = tablesIn(run);
    const more = before === undefined ? undefined : continuationIn(grid, run, before);
    if (before === undefined || more === undefined || isOfItsOwn(own[0], more)) {
      for (const table of own) addTable(found, table);
      continue;
    }
    found[found.length - 1] = withMore(before, more, grid[more.last]?.[0]?.page);
    if (more.last < run.last)
      for (const table of tablesIn({ first: more.last + 1, last: run.last })) addTable(found, table);
  }
  return found;
}

/** Whether a table that was found alone holds other rows than the continuation of the table before. */
function isOfItsOwn(own: OpenTable | undefined, { first, last }: Run): boolean {
  return own !== undefined && own.run.first <= last && (own.run.first < first || own.run.last > last);
}

function addTable(found: OpenTable[], table: OpenTable): void {
  const before = found.at(-1);
  if (before === undefined || !isContinued(before, table)) {
    found.push(table);
    return;
  }
  const lines = withoutHeads(table.lines, before);
  found[found.length - 1] = withMore(before, { ...table.run, lines }, table.lastPage);
}

/** Adds the lines in place, so that a table of many pages is not copied for each page. */
function withMore(table: OpenTable, { last, lines }: Continuation, lastPage: number | undefined): OpenTable {
  for (const line of lines) table.lines.push(line);
  return { ...table, run: { ...table.run, last }, lastPage };
}

/** Whether a table stands in the columns of a table on the page before, or follows it without a row between. */
function isContinued(before: OpenTable, table: OpenTable): boolean {
  const { lastPage, columns } = before;
  const follows =
    lastPage === undefined ? table.run.first === before.run.last + 1 : table.page === lastPage + 1;
  return (
    follows &&
    columns[0]?.table === table.columns[0]?.table &&
    (lastPage === undefined || !hasEnded(before)) &&
    columns.length === table.columns.length &&
    columns.every((column, index) => {
      const other = table.columns[index];
      return other !== undefined && inOneColumn(column, other);
    })
  );
}

/** The rows of a run that continue the table before; undefined if none do. */
function continuationIn(grid: DocumentGrid, run: Run, before: OpenTable): Continuation | undefined {
  const follows = placeAfter(grid, run, before);
  if (follows === undefined || hasEnded(before)) return undefined;
  const shape = shapeOf(before);
  const first = follows === 'group' ? run.first : startOn(grid, run, { before, shape });
  if (first === undefined) return undefined;
  const taken = linesFrom(grid, { first, last: run.last }, { before, shape });
  const lines = withoutHeads(taken.lines, before);
  // A group's name alone may be the caption of the next table.
  const isMore = follows === 'page' ? lines.length > 0 : lines.length > 1 && isRow(lines[1] ?? [], shape);
  return isMore ? { first, last: taken.last, lines } : undefined;
}

/** Where a run stands after a table: at the top of the next page, or directly below it after the name of a group. */
function placeAfter(grid: DocumentGrid, { first }: Run, before: OpenTable): 'page' | 'group' | undefined {
  const [cell, second] = grid[first] ?? [];
  const last = grid[before.run.last]?.[0];
  if (cell?.page === undefined || last?.page === undefined) return undefined;
  if (cell.page === last.page) {
    const isNear = first === before.run.last + 1 && gapBetween(last, cell) <= GROUP_GAP;
    return isNear && second === undefined ? 'group' : undefined;
  }
  const foot = grid[before.run.last + MOST_FOOT + 1]?.[0]?.page;
  return cell.page === last.page + 1 && foot !== last.page ? 'page' : undefined;
}

/** Whether a table's last row is its sum, so that it cannot continue. */
function hasEnded({ lines }: OpenTable): boolean {
  const last = lines.at(-1) ?? [];
  return isSumRow(last) && !isRunningTotal(last);
}

/** The row at the top of a page with which a table continues: its heads again, a subtotal, or a row like the others. */
function startOn(
  grid: DocumentGrid,
  { first, last }: Run,
  { before, shape }: { before: OpenTable; shape: Shape },
): number | undefined {
  for (let row = first; row <= last && isNearTop(grid, row); row += 1) {
    const line = lineAt(grid, row, before);
    if (line === undefined) continue;
    if (isSameHead(line, before, 0)) return row;
    // Other heads begin another table.
    if (isRow(line, shape)) return row > first && isHeads(grid, row - 1) ? undefined : row;
  }
  return undefined;
}

function isNearTop(grid: DocumentGrid, row: number): boolean {
  const above = grid[row - MOST_HEAD - 1]?.[0];
  return above === undefined || above.page !== grid[row]?.[0]?.page;
}

function isHeads(grid: DocumentGrid, row: number): boolean {
  const cells = grid[row] ?? [];
  return cells.length > 2 && cells.every(({ text }) => !/\d/.test(text));
}

function linesFrom(
  grid: DocumentGrid,
  { first, last }: Run,
  { before, shape }: { before: OpenTable; shape: Shape },
): { lines: string[][]; last: number } {
  const lines: string[][] = [];
  let row = first;
  for (; row <= last; row += 1) {
    const cells = grid[row] ?? [];
    const places = placesIn(cells, before.columns);
    if (places === undefined) break;
    const above = lines.at(-1);
    if (above !== undefined && goesOn(grid, row, lines)) addCells(above, cells, places);
    else {
      const line = addCells(emptyLine(before), cells, places);
      if (above !== undefined && !isSameHead(line, before, lines.length) && !isLikeRows(line, shape)) break;
      lines.push(line);
    }
  }
  return { lines, last: row - 1 };
}

function lineAt(grid: DocumentGrid, row: number, table: OpenTable): string[] | undefined {
  const cells = grid[row] ?? [];
  const places = placesIn(cells, table.columns);
  return places === undefined ? undefined : addCells(emptyLine(table), cells, places);
}

const emptyLine = ({ columns }: OpenTable): string[] => columns.map(() => '');

/** The lines without the table's heads, if they begin with these. */
function withoutHeads(lines: readonly string[][], table: OpenTable): readonly string[][] {
  let heads = 0;
  while (isSameHead(lines[heads] ?? [], table, heads)) heads += 1;
  return lines.slice(heads);
}

/** Whether a line repeats the table's head at this place. */
function isSameHead(line: readonly string[], { lines }: OpenTable, at: number): boolean {
  const head = lines[at];
  if (head === undefined || filledIn(line) === 0 || head.some((text) => /\d/.test(text))) return false;
  return head.length === line.length && head.every((text, column) => text === line[column]);
}

function shapeOf({ lines, columns }: OpenTable): Shape {
  const rows = lines
    .slice(1)
    .slice(-SHAPE_ROWS)
    .filter((line) => !isSumRow(line) && !isRunningTotal(line));
  const counts = columns.map((_, column) => {
    const cells = rows.map((row) => row[column] ?? '').filter((text) => text !== '');
    return { column, filled: cells.length, figures: cells.filter(isFigureOrDay).length };
  });
  return {
    always: counts.filter(({ filled }) => filled >= rows.length * ALWAYS).map(({ column }) => column),
    figures: counts
      .filter(({ filled, figures }) => filled > 0 && figures >= filled * FIGURES)
      .map(({ column }) => column),
  };
}

/** Whether a line by itself is a row of the table: all columns that always are filled are, and figures fit theirs. */
function isRow(line: readonly string[], shape: Shape): boolean {
  return isLikeRows(line, shape) && (isSumOf(line) || shape.always.every((column) => line[column] !== ''));
}

/** Whether a line directly below a row of the table is one: figures are in their columns, or it is a sum. */
function isLikeRows(line: readonly string[], { figures }: Shape): boolean {
  if (filledIn(line) < 2) return false;
  if (isSumOf(line)) return true;
  const inPlace = figures.map((column) => line[column] ?? '').filter((text) => text !== '');
  return inPlace.length > 0 && inPlace.every(isFigureOrDay);
}

function isSumOf(line: readonly string[]): boolean {
  if (isNamedAsCarried(line)) return line.some((text) => /^\W*\d.*[.,]\d\d\W*$/.test(text));
  return (isSumRow(line) || isRunningTotal(line)) && line.some((text) => /^\W*\d/.test(text));
}
