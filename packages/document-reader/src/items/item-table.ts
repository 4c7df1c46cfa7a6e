import { columnsAround, columnsOf, type ItemColumn } from '../bills/item-columns.ts';
import { labelsIn } from '../bills/label-finding.ts';
import type { DocumentGrid, GridCell } from '../layout/document-grid.ts';
import { mayNameRunningTotal, namesRunningTotal } from '../tables/table-sums.ts';
import { partsOf } from './item-numbers.ts';
import { itemOf, type RowItem, type RowParts, roleAt } from './item-row.ts';

/** A table of items: what it lists, and the last row that it takes. */
export interface ItemTable {
  readonly items: readonly RowItem[];
  /** The row that it begins with. */
  readonly firstRow: number;
  readonly lastRow: number;
  /** Its columns have heads. */
  readonly hasHead: boolean;
}

const SUMS: ReadonlySet<string> = new Set(['gross', 'payable', 'net', 'tax', 'prepaid']);
const MOST_ITEMS = 500;
/** Points between rows of one item. */
const NEAR = 17;
const LONGEST_TEXT = 300;
const MOST_LINES = 3;

/**
 * Every table of items of a bill, and the products of its rows where no head is found. A table ends with its first sum;
 * read `throughSubtotals`, the groups behind one are of the same table.
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
  // A till's slip has no heads: its products up to the sums.
  return found.length > 0
    ? found
    : [readTable(grid, { from: 0, columns: [], throughSubtotals })].filter(({ items }) => items.length > 0);
}

/** Tables that stand one below the other as one, of whatever their heads are; undefined where there are none. */
export function joinedTable(tables: readonly ItemTable[]): ItemTable | undefined {
  const apart: ItemTable[] = [];
  // The heads of a later page begin a table of their own too, which the first one goes through.
  for (const table of tables) if (table.firstRow > (apart.at(-1)?.lastRow ?? -1)) apart.push(table);
  const [first, last] = [apart[0], apart.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const items = apart.flatMap((table) => table.items);
  return { ...first, items, lastRow: last.lastRow, hasHead: apart.every(({ hasHead }) => hasHead) };
}

/** Where and how a table is read. */
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

/** Takes a table row by row. */
class TableReading {
  readonly items: RowItem[] = [];
  /** The last row of an item. */
  lastRow: number;
  /** The row to take next. */
  next: number;
  readonly #grid: DocumentGrid;
  readonly #throughSubtotals: boolean;
  #columns: readonly ItemColumn[];
  /** A line of words since the last item. */
  #pending: GridCell | undefined;

  constructor(grid: DocumentGrid, { from, columns, throughSubtotals }: Reading) {
    this.#grid = grid;
    this.#columns = columns;
    this.#throughSubtotals = throughSubtotals;
    this.lastRow = from;
    this.next = from;
  }

  /** Takes a row; false where the table has ended. */
  take(row: number): boolean {
    this.next = row + 1;
    const cells = this.#grid[row] ?? [];
    const again = this.#columns.length === 0 ? undefined : columnsAround(this.#grid, row);
    if (again !== undefined) {
      // The table goes on below the heads of the next page.
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

/** The parts of a row; some programs print the amount a little lower than the rest. */
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

/** Where the sums begin: a label of a sum with an amount behind it, or a row of such labels. */
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

/** Whether a row carries a sum from page to page; what may as well be a thing, as "Transport", only where it is the sum. */
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
  /** The text right above. */
  readonly pending: GridCell | undefined;
  readonly grid: DocumentGrid;
  readonly row: number;
  readonly columns: readonly ItemColumn[];
}

/** The item with what names it; one whose row has no words takes those right above it, or else right below. */
function withText(item: RowItem, { pending, grid, row, columns }: Around): RowItem | undefined {
  if (/\p{L}{2}/u.test(item.text)) return item;
  const below = textCell(partsOf(grid[row + 1] ?? []), columns);
  const [text] = [pending, below].filter(
    (cell) => cell !== undefined && areNear(...inTurn([cell], [item.amount.cell])) && isName(cell),
  );
  return text === undefined ? undefined : { ...item, text: text.text, textCell: text };
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

/** The lines below that go on with the text, in its column and without figures. */
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
    const isMore =
      here !== undefined &&
      areNear(last, cells) &&
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
