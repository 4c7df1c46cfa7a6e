import type { Cell, Row } from '../contract/extracted-document.ts';
import { findDate } from '../values/dates.ts';
import { folded } from '../values/folded-text.ts';

/** Where a label stands: before the value in its cell, in a cell to the left, above it, or behind it. */
type LabelSide = 'before' | 'left' | 'above' | 'behind';

/** A text beside a value that may be its label, as folded words. */
export interface Beside {
  readonly side: LabelSide;
  readonly text: string;
  /** 0 for the nearest text on this side. */
  readonly step: number;
}

/** What surrounds a value: the texts beside it, and its place as shares of the page's width and the document's length. */
export interface Surroundings {
  readonly beside: readonly Beside[];
  readonly x: number;
  readonly y: number;
}

/** A place of a text in a document's rows. */
export interface TextPlace {
  readonly row: number;
  readonly cell: number;
  readonly start: number;
  readonly end: number;
}

/** The rows of a document with what all its places share. */
export interface PlacedRows {
  readonly rows: readonly Row[];
  /** The right edge of the widest row. */
  readonly width: number;
}

const ROWS_ABOVE = 5;
const CELLS_LEFT = 3;
/** Words of a text before a value that are its label. */
const LABEL_WORDS = 4;
/** Longer texts are prose. */
const LONGEST_LABEL = 60;
/** Horizontal distance within which a cell stands above another, points. */
const COLUMN_SLACK = 12;

/** The rows with their width. */
export function placeRows(rows: readonly Row[]): PlacedRows {
  let width = 1;
  for (const { cells } of rows) for (const { right } of cells) if (right > width) width = right;
  return { rows, width };
}

/** The surroundings of a place. */
export function surroundingsOf({ rows, width }: PlacedRows, place: TextPlace): Surroundings {
  const row = rows[place.row];
  const cell = row?.cells[place.cell];
  if (row === undefined || cell === undefined) return { beside: [], x: 0, y: 0 };
  const beside: Beside[] = [];
  const before = lastWords(cell.text.slice(0, place.start));
  if (before !== '') beside.push({ side: 'before', text: before, step: 0 });
  let step = 0;
  for (let at = place.cell - 1; at >= 0 && step < CELLS_LEFT; at -= 1) {
    const label = labelOf(row.cells[at]);
    if (label !== '') beside.push({ side: 'left', text: label, step: step++ });
  }
  beside.push(...above(rows, place.row, cell));
  const behind = foldWords(cell.text.slice(place.end)).slice(0, 12);
  if (behind !== '') beside.push({ side: 'behind', text: behind, step: 0 });
  return { beside, x: cell.left / width, y: place.row / Math.max(1, rows.length) };
}

function above(rows: readonly Row[], index: number, cell: Cell): Beside[] {
  const found: Beside[] = [];
  const own = rows[index];
  for (let at = index - 1; at >= 0 && index - at <= ROWS_ABOVE; at -= 1) {
    const row = rows[at];
    if (row === undefined || row.page !== own?.page) break;
    const over = row.cells.find(
      ({ left, right }) => left < cell.right + COLUMN_SLACK && right > cell.left - COLUMN_SLACK,
    );
    const label = labelOf(over);
    if (label !== '') found.push({ side: 'above', text: label, step: found.length });
  }
  return found;
}

/** The words of a cell that can be a label, folded; empty for prose, and for a cell of figures. */
function labelOf(cell: Cell | undefined): string {
  if (cell === undefined || cell.text.length > LONGEST_LABEL) return '';
  const label = foldWords(cell.text);
  return label.length < 2 || findDate(cell.text)?.printed === cell.text ? '' : label;
}

/** The label at the end of a text: its last words after another value or sentence. */
function lastWords(text: string): string {
  const own = text.replace(/^.*(?:\d\S*|[.;|!?])\s+(?=\S)/su, '');
  return foldWords(own.trim().split(/\s+/).slice(-LABEL_WORDS).join(' '));
}

/** The folded words of a text without those that hold digits, with a space between them. */
export function foldWords(text: string): string {
  return text
    .split(/\s+/)
    .map((word) => (/\d/.test(word) ? '' : folded(word)))
    .filter((word) => word !== '')
    .join(' ');
}
