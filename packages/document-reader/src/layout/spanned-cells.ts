import type { Cell, Row } from '../contract/extracted-document.ts';

/** A cell of a row, its column, and how many columns and rows it spans; by default the next column, and one. */
export interface SpannedCell {
  readonly text: string;
  readonly column?: number | undefined;
  readonly span?: number | undefined;
  readonly rows?: number | undefined;
  /** Where its second and further lines begin in the text. */
  readonly breaks?: readonly number[];
}

/** Width of a column for cells without geometry, and of the gap between columns within it. */
const COLUMN = 100;
const GAP = 10;
/** Most columns that cells of rows above may occupy; browsers let no cell span more. */
const MOST_COLUMNS = 1000;
/** Most cells that may span into the rows below at the same time. */
const MOST_OPEN = 100;

interface Open {
  readonly cell: { rows?: number };
  /** Index of the last row that it spans. */
  readonly end: number;
}

/**
 * The rows of one table of a file, from top to bottom. A cell that spans several columns or rows keeps their places free,
 * so that the cells beside and below it stay in their own columns.
 */
export class SpannedRows {
  readonly #table: number | undefined;
  #line = 0;
  #open: Open[] = [];
  /** For each column, the last row that a cell from above spans. */
  #ends: number[] = [];

  /** @param table the table's number in its document; undefined if the rows belong to no table */
  constructor(table?: number) {
    this.#table = table;
  }

  /** The next row without its empty cells; undefined if all are empty. */
  add(cells: readonly SpannedCell[]): Row | undefined {
    this.#line += 1;
    const open: Open[] = [];
    let next = 0;
    const placed = cells.map(({ text, column, span = 1, rows = 1, breaks = [] }) => {
      const first =
        column === undefined ? this.#freeFrom(next) : text === '' ? column : Math.max(next, column);
      // Some formats write empty cells after a wide cell for the columns that it spans.
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

  /** Ends a group of rows: no cell above spans beyond here. */
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

/** The lines of a cell as one text, and where the second and further ones begin. */
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

/** The cells of a row in columns of equal width, without the empty ones. */
export function placedCells(cells: readonly SpannedCell[]): readonly Cell[] {
  return new SpannedRows().add(cells)?.cells ?? [];
}

/** Cells without geometry in columns of equal width. */
export function asCells(texts: readonly string[]): readonly Cell[] {
  return placedCells(texts.map((text) => ({ text })));
}

/** Rows of plain text: one for each line; tabs and wide gaps separate the cells. */
export function textRows(text: string): Row[] {
  return text
    .split('\n')
    .map((line) => ({ page: undefined, cells: asCells(line.split(/\t+|\s{3,}/)) }))
    .filter(({ cells }) => cells.length > 0);
}
