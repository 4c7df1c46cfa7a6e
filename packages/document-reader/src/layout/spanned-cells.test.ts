import { expect, test } from 'vitest';
import { joinedLines, SpannedRows, textRows } from './spanned-cells.ts';

const placed = (row: ReturnType<SpannedRows['add']>) =>
  row?.cells.map(({ text, left, right }) => [text, left, right]);

test('a cell that spans two columns keeps them, and the next cell stands in the third', () => {
  expect(placed(new SpannedRows().add([{ text: 'Total', span: 2 }, { text: '12.00' }]))).toEqual([
    ['Total', 0, 190],
    ['12.00', 200, 290],
  ]);
});

test('the place of a cell that spans several rows stays free in the rows below, until its group ends', () => {
  const rows = new SpannedRows(1);
  const first = rows.add([{ text: 'May', rows: 2 }, { text: 'Rent' }]);
  expect(placed(rows.add([{ text: 'Card' }]))).toEqual([['Card', 100, 190]]);
  expect(placed(rows.add([{ text: 'June' }]))).toEqual([['June', 0, 90]]);
  expect(first).toMatchObject({ table: 1, cells: [{ text: 'May', rows: 2 }, { text: 'Rent' }] });
  rows.add([{ text: 'July', rows: 9 }]);
  rows.endGroup();
  expect(placed(rows.add([{ text: 'Sum' }]))).toEqual([['Sum', 0, 90]]);
});

test('a row of empty cells is not a row', () => {
  expect(new SpannedRows().add([{ text: ' ' }, { text: '' }])).toBeUndefined();
});

test('lines of a cell become one text with the start of each line', () => {
  expect(joinedLines(['Harlow Ltd', '', ' 4  Quarry Bank', 'Leeds'])).toEqual({
    text: 'Harlow Ltd 4 Quarry Bank Leeds',
    breaks: [11, 25],
  });
  expect(joinedLines(['alone'])).toEqual({ text: 'alone' });
});

test('in plain text tabs and wide gaps separate the cells', () => {
  expect(
    textRows('Milk\t0.95\n\nBread    white   2.10').map(({ cells }) => cells.map(({ text }) => text)),
  ).toEqual([
    ['Milk', '0.95'],
    ['Bread', 'white', '2.10'],
  ]);
});
