import type { GridCell } from '../layout/document-grid.ts';
import { findAmounts } from '../values/amounts.ts';

/** An amount and the place where it is printed. */
export interface PlacedAmount {
  /** Hundredths, so that sums are exact. */
  readonly cents: number;
  readonly printed: string;
  readonly cell: GridCell;
  /** Its place in the cell's text. */
  readonly start: number;
}

/** Words that make the amount after them the base of a tax rate, not the tax: "19 % auf 473,00". */
const BASE_OF = /(?:\bauf|\bof|\bon|\bsur|\bvan|\bover|\bde|\bsu|\bsobre|\bdi|@|\bvon)\s*$/i;

/** The amounts of a cell from a place on, left to right, without the bases of tax rates. */
export function amountsIn(cell: GridCell, from = 0, to = cell.text.length): PlacedAmount[] {
  return findAmounts(cell.text.slice(from, to))
    .map(({ printed, value, index }) => ({
      cents: Math.round(Number(value) * 100),
      printed,
      cell,
      start: from + index,
    }))
    .filter(({ start, cents }) => Number.isSafeInteger(cents) && !BASE_OF.test(cell.text.slice(0, start)));
}
