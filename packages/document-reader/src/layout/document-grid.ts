import type { Row } from '../contract/extracted-document.ts';

/** A printed cell and its place, in points; if the format has no geometry, columns are 100 wide. */
export interface GridCell {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Index of its row in the grid, and index of the cell in its row. */
  readonly row: number;
  readonly column: number;
  readonly page: number | undefined;
  readonly y: number | undefined;
  /** Rows that it spans; 1 if undefined. */
  readonly rows?: number | undefined;
  /** Where its second and further lines begin in the text. */
  readonly breaks?: readonly number[] | undefined;
  /** The number of its table in the file, if the file has tables. */
  readonly table?: number | undefined;
}

/** The rows of a document, top to bottom. */
export type DocumentGrid = readonly (readonly GridCell[])[];

/** Rows of a bill that are read; further ones are small print. */
const MOST_ROWS = 4000;

/** The grid of a document's rows. */
export function gridOf(rows: readonly Row[], most = MOST_ROWS): DocumentGrid {
  return rows.slice(0, most).map(({ page, y, table, cells }, row) =>
    cells.map(({ text, left, right, rows: taken, breaks }, column) => ({
      ...{ text, left, right, row, column, page, y, rows: taken, breaks, table },
    })),
  );
}

/** Edges that differ by no more points than this are in line. */
const ALIGNED = 7;
/** Share of the narrower cell that must overlap. */
const OVERLAP = 0.4;

/** Whether two cells stand in one column: their edges are in line, or they overlap. */
export function inOneColumn(above: GridCell, below: GridCell): boolean {
  if (Math.abs(above.left - below.left) < ALIGNED || Math.abs(above.right - below.right) < ALIGNED)
    return true;
  const shared = Math.min(above.right, below.right) - Math.max(above.left, below.left);
  return shared > OVERLAP * Math.min(above.right - above.left, below.right - below.left);
}

/** How many rows and points a value may stand below its label. */
const ROWS_BELOW = 4;
const POINTS_BELOW = 48;

/** The next cells below in the same column, nearest first. */
export function cellsBelow(grid: DocumentGrid, cell: GridCell, most = ROWS_BELOW): GridCell[] {
  const found: GridCell[] = [];
  let last = cell;
  for (let row = cell.row + 1; row < grid.length && row <= cell.row + most; row += 1) {
    const cells = grid[row] ?? [];
    if (cells[0] === undefined || cells[0].page !== cell.page || distance(last, cells[0]) > POINTS_BELOW)
      break;
    const below = nearest(cell, cells);
    if (below === undefined) continue;
    found.push(below);
    last = below;
  }
  return found;
}

/** The cell of the column whose middle or edge is nearest. */
function nearest(above: GridCell, cells: readonly GridCell[]): GridCell | undefined {
  const off = ({ left, right }: GridCell): number =>
    Math.min(
      Math.abs(left - above.left),
      Math.abs(right - above.right),
      Math.abs(left + right - above.left - above.right) / 2,
    );
  return cells
    .filter((other) => inOneColumn(above, other))
    .reduce<GridCell | undefined>(
      (best, other) => (best === undefined || off(other) < off(best) ? other : best),
      undefined,
    );
}

function distance(above: GridCell, below: GridCell): number {
  return above.y === undefined || below.y === undefined ? 0 : above.y - below.y;
}

/** The cells to the right on the same row, nearest first. */
export function cellsRight(grid: DocumentGrid, cell: GridCell): readonly GridCell[] {
  return (grid[cell.row] ?? []).slice(cell.column + 1);
}
