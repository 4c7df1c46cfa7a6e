import type { Cell, Row } from '../contract/extracted-document.ts';

/** A cell of a row, its column and how many columns and rows it takes; the next one, and one, where nothing says so. */
export interface SpannedCell {
  readonly text: string;
  readonly column?: number | undefined;
  readonly span?: number | undefined;
  readonly rows?: number | undefined;
  /** Where its lines begin in the text, from the second on. */
  readonly breaks?: readonly number[];
}

/** A cell without geometry stands in columns of equal width: 100 each, with 10 between. */
const COLUMN = 100;
const GAP = 10;
/** Columns that are kept free for cells of rows above; browsers let a cell take no more. */
const MOST_COLUMNS = 1000;
/** Cells that reach down at one time, and are counted on. */
const MOST_OPEN = 100;

interface Open {
  readonly cell: { rows?: number };
  /** The last row of the file's table that it reaches. */
  readonly end: number;
}

/**
 * The rows of one table of a file, from top to bottom: a cell that takes several columns or rows keeps them, so that what
 * stands beside and below it stays in its own column.
 */
export class SpannedRows {
  readonly #table: number | undefined;
  #line = 0;
  #open: Open[] = [];
  /** For each column the last row that a cell from above takes. */
  #ends: number[] = [];

  /** @param table the table's number in its document; undefined where rows belong to none */
  constructor(table?: number) {
    this.#table = table;
  }

  /** The next row without its empty cells; undefined where nothing stands in it. */
  add(cells: readonly SpannedCell[]): Row | undefined {
    this.#line += 1;
    const open: Open[] = [];
    let next = 0;
    const placed = cells.map(({ text, column, span = 1, rows = 1, breaks = [] }) => {
      const first =
        column === undefined ? this.#freeFrom(next) : text === '' ? column : Math.max(next, column);
      // What a wide cell covers stands behind it, empty, in some formats.
      next = Math.max(next, first + span);
      const cell: Cell & { rows?: number } = {
        ...{ text: text.trim(), left: first * COLUMN, right: (first + span) * COLUMN - GAP },
        ...(breaks.length === 0 ? {} : { breaks }),
      };
      if (rows > 1) {
        const end = this.#line + rows - 1;
        for (let taken = first; taken < Math.min(first + span, MOST_COLUMNS); taken += 1)
          this.#ends[taken] = end;
        open.push({ cell, end });
      }
      return cell;
    });
    const kept = placed.filter(({ text }) => text !== '');
    const above = this.#open.filter(({ end }) => end >= this.#line);
    if (kept.length > 0) for (const { cell } of above) cell.rows = (cell.rows ?? 1) + 1;
    this.#open = [...above, ...open].slice(0, MOST_OPEN);
    if (kept.length === 0) return undefined;
    return { page: undefined, cells: kept, ...(this.#table === undefined ? {} : { table: this.#table }) };
  }

  /** Cells reach no further down than here: a group of rows ends. */
  endGroup(): void {
    this.#open = [];
    this.#ends = [];
  }

  #freeFrom(column: number): number {
    let free = column;
    while ((this.#ends[free] ?? 0) >= this.#line) free += 1;
    return free;
  }
}

/** The lines of a cell as one text, and where each begins from the second on. */
export function joinedLines(lines: readonly string[]): { text: string; breaks?: readonly number[] } {
  const kept = lines.map((line) => line.replace(/\s+/g, ' ').trim()).filter((line) => line !== '');
  const breaks: number[] = [];
  let length = 0;
  for (const line of kept) {
    length += line.length + 1;
    breaks.push(length);
  }
  return { text: kept.join(' '), ...(kept.length < 2 ? {} : { breaks: breaks.slice(0, -1) }) };
}

/** The cells of a row in columns of equal width, without those that are empty. */
export function placedCells(cells: readonly SpannedCell[]): readonly Cell[] {
  return new SpannedRows().add(cells)?.cells ?? [];
}

/** Cells without geometry stand in columns of equal width. */
export function asCells(texts: readonly string[]): readonly Cell[] {
  return placedCells(texts.map((text) => ({ text })));
}

/** Rows of plain text: a row a line; tabs and wide gaps part the cells. */
export function textRows(text: string): Row[] {
  return text
    .split('\n')
    .map((line) => ({ page: undefined, cells: asCells(line.split(/\t+|\s{3,}/)) }))
    .filter(({ cells }) => cells.length > 0);
}
