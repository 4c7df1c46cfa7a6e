import { columnsAround, columnsOf, type ItemColumn } from '../bills/item-columns.ts';
import { labelsIn } from '../bills/label-finding.ts';
import type { DocumentGrid, GridCell } from '../layout/document-grid.ts';
import { mayNameRunningTotal, namesRunningTotal } from '../tables/table-sums.ts';
import { partsOf } from './item-numbers.ts';
import { itemOf, type RowItem, type RowParts, roleAt } from './item-row.ts';

/** A table of items: its items, and its first and last row. */
export interface ItemTable {
  readonly items: readonly RowItem[];
  /** Index of its first row. */
  readonly firstRow: number;
  readonly lastRow: number;
  /** Whether its columns have heads. */
  readonly hasHead: boolean;
}

const SUMS: ReadonlySet<string> = new Set(['gross', 'payable', 'net', 'tax', 'prepaid']);
const MOST_ITEMS = 500;
/** Greatest distance between rows of one item, points. */
const NEAR = 17;
const LONGEST_TEXT = 300;
const MOST_LINES = 3;

/**
 * Every table of items of a bill; if no heads are found, the products of its rows. A table ends at its first sum, or with
 * `throughSubtotals` goes on with the groups after it.
 */
export function itemTables(grid: DocumentGrid, throughSubtotals = false): ItemTable[] {
  const heads = grid.flatMap((_, row) => {
    const columns = columnsAround(grid, row);
    return columns === undefined ? [] : [{ row, columns }];
  });
  const tables = heads.map(({ row, columns }) =>
    readTable(grid, { from: row + 1, columns, throughSubtotals }),
  );
  const found = tables.filter(({ items }) => items.length > 0);
  // A till receipt has no heads: its items are the products above the sums.
  return found.length > 0
    ? found
    : [readTable(grid, { from: 0, columns: [], throughSubtotals })].filter(({ items }) => items.length > 0);
}

/** Tables below each other as one, whatever their heads; undefined without tables. */
export function joinedTable(tables: readonly ItemTable[]): ItemTable | undefined {
  const apart: ItemTable[] = [];
  // The heads of a later page begin a table that the first one already includes.
  for (const table of tables) if (table.firstRow > (apart.at(-1)?.lastRow ?? -1)) apart.push(table);
  const [first, last] = [apart[0], apart.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const items = apart.flatMap((table) => table.items);
  return { ...first, items, lastRow: last.lastRow, hasHead: apart.every(({ hasHead }) => hasHead) };
}

/** Where a table starts, and how it is read. */
interface Reading {
  readonly from: number;
  readonly columns: readonly ItemColumn[];
  readonly throughSubtotals: boolean;
}

function readTable(grid: DocumentGrid, how: Reading): ItemTable {
  const { from, columns } = how;
  const reading = new TableReading(grid, how);
  for (let row = from; row < grid.length && reading.items.length < MOST_ITEMS; row = reading.next)
    if (!reading.take(row)) break;
  const { items, lastRow } = reading;
  return { items, firstRow: from, lastRow, hasHead: columns.length > 0 };
}

/** Reads a table row by row. */
class TableReading {
  readonly items: RowItem[] = [];
  /** Index of the last row that belongs to an item. */
  lastRow: number;
  /** Index of the row to read next. */
  next: number;
  readonly #grid: DocumentGrid;
  readonly #throughSubtotals: boolean;
  #columns: readonly ItemColumn[];
  /** A line of text since the last item. */
  #pending: GridCell | undefined;

  constructor(grid: DocumentGrid, { from, columns, throughSubtotals }: Reading) {
    this.#grid = grid;
    this.#columns = columns;
    this.#throughSubtotals = throughSubtotals;
    this.lastRow = from;
    this.next = from;
  }

  /** Reads a row; returns false if the table has ended. */
  take(row: number): boolean {
    this.next = row + 1;
    const cells = this.#grid[row] ?? [];
    const again = this.#columns.length === 0 ? undefined : columnsAround(this.#grid, row);
    if (again !== undefined) {
      // Below the heads of the next page, the table goes on.
      if (this.items.length > 0 && cells[0]?.page === this.#grid[this.lastRow]?.[0]?.page) return false;
      this.#columns = again;
      return true;
    }
    const { parts, rows } = partsWithAmount(this.#grid, row, this.#columns);
    const item = itemOf(parts, this.#columns);
    const kind = kindOfRow(cells, item, this.items);
    if (kind === 'sums' && this.items.length > 0)
      return this.#throughSubtotals && cells.some(({ text }) => namesRunningTotal(text));
    if (item !== undefined && kind === 'item' && this.#add(item, row, rows)) return true;
    if (parts.numbers.length === 0) this.#pending = textCell(parts, this.#columns);
    return true;
  }

  #add(item: RowItem, row: number, rows: number): boolean {
    const [grid, columns] = [this.#grid, this.#columns];
    const named = withText(item, { pending: this.#pending, grid, row, columns });
    if (named === undefined) return false;
    this.items.push(withMoreText(named, grid, { row, columns }));
    this.#pending = undefined;
    this.lastRow = row + rows - 1;
    this.next = row + rows;
    return true;
  }
}

function kindOfRow(
  cells: readonly GridCell[],
  item: RowItem | undefined,
  before: readonly RowItem[],
): 'sums' | 'carried' | 'item' | 'other' {
  if (isSums(cells, item)) return 'sums';
  if (item === undefined) return 'other';
  return isCarried(item, before) ? 'carried' : 'item';
}

/** The parts of a row; some programs print the amount slightly lower than the rest. */
function partsWithAmount(
  grid: DocumentGrid,
  row: number,
  columns: readonly ItemColumn[],
): { parts: RowParts; rows: number } {
  const cells = grid[row] ?? [];
  const parts = partsOf(cells);
  const has = (of: RowParts, ...roles: string[]): boolean =>
    of.numbers.some((number) => roles.includes(roleAt(number.box, columns) ?? ''));
  const below = grid[row + 1] ?? [];
  const isWaiting = has(parts, 'quantity', 'price') && !has(parts, 'amount');
  if (!isWaiting || !areNear(cells, below)) return { parts, rows: 1 };
  const next = partsOf(below);
  if (has(next, 'quantity', 'price') || !has(next, 'amount')) return { parts, rows: 1 };
  const amounts = next.numbers.filter((number) => roleAt(number.box, columns) === 'amount');
  return { parts: { ...parts, numbers: [...parts.numbers, ...amounts] }, rows: 2 };
}

function areNear(above: readonly GridCell[], below: readonly GridCell[]): boolean {
  const [one, other] = [above[0], below[0]];
  if (one === undefined || other === undefined || one.page !== other.page) return false;
  return one.y === undefined || other.y === undefined || (one.y > other.y && one.y - other.y <= NEAR);
}

/** Whether the sums begin here: a label of a sum with an amount after it, or a row of such labels. */
function isSums(cells: readonly GridCell[], item: RowItem | undefined): boolean {
  const labelled = cells.filter((cell) =>
    labelsIn(cell).some(({ role, start }) => start === 0 && SUMS.has(role)),
  );
  if (labelled.length === 0) return false;
  if (labelled.length > 1 && item === undefined) return true;
  const [label] = labelled;
  const isProduct = item?.proven === true && item.quantity !== 1;
  return (
    !isProduct &&
    cells.some((cell) => cell.column >= (label?.column ?? 0) && /\d[.,]\d\d(?!\d)/.test(cell.text))
  );
}

/** Whether a row carries a sum to the next page. If its text may also name goods ("Transport"), the sum must be right. */
function isCarried({ text, cents, quantity }: RowItem, before: readonly RowItem[]): boolean {
  if (namesRunningTotal(text)) return true;
  const sum = before.reduce((all, item) => all + item.cents, 0);
  if (cents !== sum || quantity !== undefined) return false;
  return before.length > (mayNameRunningTotal(text) ? 0 : 1);
}

function textCell({ texts }: RowParts, columns: readonly ItemColumn[]): GridCell | undefined {
  return texts.find(({ cell }) => ['text', undefined].includes(roleAt(cell, columns)))?.cell;
}

interface Around {
  /** The text directly above. */
  readonly pending: GridCell | undefined;
  readonly grid: DocumentGrid;
  readonly row: number;
  readonly columns: readonly ItemColumn[];
}

/**
 * The item with its text; a row without text takes the text directly above it, or else below. If the numbers stand beside
 * the middle of a text of three lines, its first line is above.
 */
function withText(item: RowItem, { pending, grid, row, columns }: Around): RowItem | undefined {
  if (/\p{L}{2}/u.test(item.text)) {
    if (pending === undefined || !isAroundItem(grid, row, { pending, item, columns })) return item;
    return { ...item, text: `${pending.text} ${item.text}`, textCell: pending };
  }
  const below = textCell(partsOf(grid[row + 1] ?? []), columns);
  const [text] = [pending, below].filter(
    (cell) => cell !== undefined && areNear(...inTurn([cell], [item.amount.cell])) && isName(cell),
  );
  return text === undefined ? undefined : { ...item, text: text.text, textCell: text };
}

/** How much nearer to one row than to another a line of text is, points, if it belongs to it. */
const NEARER = 1.5;

/** The distance of a row from the one above it, points; undefined on another page or without heights. */
function gapAbove(grid: DocumentGrid, row: number): number | undefined {
  const [above, below] = [grid[row - 1]?.[0], grid[row]?.[0]];
  if (above?.y === undefined || below?.y === undefined || above.page !== below.page) return undefined;
  return above.y - below.y;
}

/** Whether the line above and the one below are as far from an item's row, and the line above is nearer to it than to the rows before. */
function isAroundItem(
  grid: DocumentGrid,
  row: number,
  { pending, item, columns }: { pending: GridCell; item: RowItem; columns: readonly ItemColumn[] },
): boolean {
  const [before, above, below] = [gapAbove(grid, row - 1), gapAbove(grid, row), gapAbove(grid, row + 1)];
  if (pending.row !== row - 1 || before === undefined || above === undefined || below === undefined)
    return false;
  const isCentred = Math.abs(above - below) <= NEARER && above <= NEAR && before > above + NEARER;
  const under = partsOf(grid[row + 1] ?? []);
  return (
    isCentred &&
    isName(pending) &&
    Math.abs(pending.left - (item.textCell?.left ?? 0)) < 8 &&
    under.numbers.length === 0 &&
    textCell(under, columns) !== undefined
  );
}

function inTurn(
  one: readonly GridCell[],
  other: readonly GridCell[],
): [readonly GridCell[], readonly GridCell[]] {
  return (one[0]?.row ?? 0) < (other[0]?.row ?? 0) ? [one, other] : [other, one];
}

function isName(cell: GridCell): boolean {
  return columnsOf([cell]) === undefined && !labelsIn(cell).some(({ role }) => SUMS.has(role));
}

/** Adds the lines below that continue the text, in its column and without numbers. */
function withMoreText(
  item: RowItem,
  grid: DocumentGrid,
  { row, columns }: { row: number; columns: readonly ItemColumn[] },
): RowItem {
  const { textCell: first } = item;
  if (first?.y === undefined) return item;
  let { text } = item;
  const from = Math.max(row, first.row);
  let last: readonly GridCell[] = grid[from] ?? [];
  for (let below = from + 1; below <= from + MOST_LINES; below += 1) {
    const cells = grid[below] ?? [];
    const here =
      cells.find((cell) => roleAt(cell, columns) === 'text') ??
      cells.find((cell) => Math.abs(cell.left - first.left) < 8);
    const parts = partsOf(cells);
    const [above, next] = [gapAbove(grid, below), gapAbove(grid, below + 1)];
    // A line that is nearer to the row below begins the next item.
    const isNext = above !== undefined && next !== undefined && next < above - NEARER;
    const isMore =
      here !== undefined &&
      areNear(last, cells) &&
      !isNext &&
      itemOf(parts, columns) === undefined &&
      /\p{L}/u.test(here.text);
    if (!isMore || isSums(cells, undefined) || columnsOf(cells) !== undefined) break;
    text = `${text} ${here.text}`;
    last = cells;
  }
  return {
    ...item,
    text: text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1).toWellFormed()}…`,
  };
}
