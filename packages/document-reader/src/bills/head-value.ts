import type { GridCell } from '../layout/document-grid.ts';

/** A number or a date, and the place where it is printed. */
export interface HeadValue {
  readonly printed: string;
  /** ISO date; undefined for numbers. */
  readonly normalized?: string;
  readonly cell: GridCell;
  /** 0 to 1. */
  readonly score: number;
}

/** Makes a value of the head from a date. */
export function datedValue(date: { printed: string; iso: string }, cell: GridCell, score: number): HeadValue {
  return { printed: date.printed, normalized: date.iso, cell, score };
}
