import { expect, test } from 'vitest';
import type { Row } from '../contract/extracted-document.ts';
import {
  cellsBelow,
  cellsRight,
  type DocumentGrid,
  type GridCell,
  gridOf,
  inOneColumn,
} from './document-grid.ts';

const row = (
  y: number,
  page: number,
  ...cells: (readonly [text: string, left: number, right: number])[]
): Row => ({
  ...{ page, y },
  cells: cells.map(([text, left, right]) => ({ text, left, right })),
});
const at = (grid: DocumentGrid, line: number, column: number): GridCell => grid[line]?.[column] as GridCell;
const texts = (cells: readonly GridCell[]): string[] => cells.map(({ text }) => text);

test('cells are in one column where an edge is in line or they overlap', () => {
  const grid = gridOf([
    row(700, 1, ['Amount', 300, 340], ['Note', 400, 440]),
    row(688, 1, ['9.00', 318, 340], ['x', 460, 470]),
  ]);
  expect(inOneColumn(at(grid, 0, 0), at(grid, 1, 0))).toBe(true);
  expect(inOneColumn(at(grid, 0, 1), at(grid, 1, 1))).toBe(false);
});

test('the next cells of its column stand below a label, until a gap or the end of the page', () => {
  const grid = gridOf([
    row(700, 1, ['Date', 50, 80], ['Number', 200, 240]),
    row(688, 1, ['3 May 2026', 50, 100], ['4471', 200, 222]),
    row(676, 1, ['Harlow Ltd', 50, 100]),
    row(600, 1, ['Far away', 50, 90]),
    row(820, 2, ['Next page', 50, 95]),
  ]);
  expect(texts(cellsBelow(grid, at(grid, 0, 0)))).toEqual(['3 May 2026', 'Harlow Ltd']);
  expect(texts(cellsBelow(grid, at(grid, 0, 1)))).toEqual(['4471']);
  expect(texts(cellsBelow(grid, at(grid, 0, 0), 1))).toEqual(['3 May 2026']);
  expect(texts(cellsBelow(grid, at(grid, 3, 0)))).toEqual([]);
});

test('the other cells of the row stand to the right, and a cell knows its row and column', () => {
  const grid = gridOf([row(700, 1, ['a', 0, 9], ['b', 20, 29], ['c', 40, 49])]);
  expect(texts(cellsRight(grid, at(grid, 0, 0)))).toEqual(['b', 'c']);
  expect(at(grid, 0, 2)).toMatchObject({ row: 0, column: 2, page: 1, y: 700 });
});
