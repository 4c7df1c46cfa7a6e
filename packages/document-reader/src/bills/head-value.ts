import type { GridCell } from '../layout/document-grid.ts';

/** A number or a date where it is printed. */
export interface HeadValue {
  readonly printed: string;
  /** ISO for dates. */
  readonly normalized?: string;
  readonly cell: GridCell;
  /** 0 to 1. */
  readonly score: number;
}

/** A date as a value of the head. */
export function datedValue(date: { printed: string; iso: string }, cell: GridCell, score: number): HeadValue {
  return { printed: date.printed, normalized: date.iso, cell, score };
}
