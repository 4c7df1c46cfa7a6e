import { expect, test } from 'vitest';
import type { Row } from '../contract/extracted-document.ts';
import { createCiter } from '../contract/quote-finding.ts';
import { citeHolds, type Report, type Table } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { asCells } from '../layout/spanned-cells.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { officePdf } from '../samples/office-prints.fixture.ts';
import { writeWorkbook } from '../samples/write-workbook.fixture.ts';
import { writeDocx } from '../samples/write-zip.fixture.ts';
import { figureOf } from './table-figures.ts';
import { findTables } from './table-finding.ts';
import { checkSums } from './table-sums.ts';

/** The tables of a document's report, after checking that all their citations are in the text. */
async function tablesOf(content: Buffer): Promise<readonly Table[]> {
  const document = await readFileContent(
    content,
    createOcrSession(0, () => {}),
  );
  const report: Report = buildReport(document, {
    ...{ fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' },
  });
  const texts = new Map(document.blocks.map(({ id, text }) => [id, text]));
  const { tables = [] } = report;
  expect(tables.every(({ cites }) => cites.length > 0 && cites.every((cite) => citeHolds(cite, texts)))).toBe(
    true,
  );
  return tables;
}

const print = (text: string): Buffer => officePdf({ name: 'x', truth: {}, text });

const STATEMENT = `Northbank plc                                     Statement of account
Harlow Ltd                                        Sheet 12

Date          Details                     Paid out        Paid in         Balance
1 May 2026    Balance brought forward                                     1,200.00
4 May 2026    Quay Street Rent              950.00                          250.00
              standing order
8 May 2026    Oakfield Joinery                            480.00            730.00
20 May 2026   Card payment                   30.00                          700.00
Total                                       980.00        480.00

Please tell us within sixty days where you do not agree with an entry of this statement.`;

test('a statement of account is a table: its heads, its rows with empty cells, a line that goes on, and its sums', async () => {
  const [table, ...others] = await tablesOf(print(STATEMENT));
  expect(others).toEqual([]);
  expect(table).toMatchObject({
    page: 1,
    header: ['Date', 'Details', 'Paid out', 'Paid in', 'Balance'],
    leftOut: 0,
  });
  expect(table?.rows).toContainEqual([
    '4 May 2026',
    'Quay Street Rent standing order',
    '950.00',
    '',
    '250.00',
  ]);
  expect(table?.rows).toContainEqual(['8 May 2026', 'Oakfield Joinery', '', '480.00', '730.00']);
  expect(table?.summed).toContain(2);
  const wrong = await tablesOf(print(STATEMENT.replace('980.00', '990.00')));
  expect(wrong[0]?.summed).not.toContain(2);
});

test('a Word table is a table; columns of prose, addresses and labels are not', async () => {
  const word = writeDocx([
    'Prices from May 2026.',
    {
      rows: [
        ['Goods', 'Unit', 'Price'],
        ['Potatoes', '10 kg', '£8.40'],
        ['Carrots', '5 kg', '£4.10'],
      ],
    },
  ]);
  expect(await tablesOf(word)).toMatchObject([
    {
      header: ['Goods', 'Unit', 'Price'],
      rows: [
        ['Potatoes', '10 kg', '£8.40'],
        ['Carrots', '5 kg', '£4.10'],
      ],
    },
  ]);
  const columns = `The ferry to the      The harbour office      A third of the piles
island keeps its      is open on Mondays      that divers looked at
timetable and leaves  and on Thursdays and    last summer is worn and
from the steps        closed at weekends      has to be replaced`;
  expect(await tablesOf(print(columns))).toEqual([]);
});

test('empty and merged cells leave the others in their columns, in pages, sheets and Word', async () => {
  const rows = [
    ['Day', 'Text', 'Paid out', 'Paid in'],
    ['4 May 2026', 'Rent', '950.00', ''],
    ['8 May 2026', 'Joinery', '', '480.00'],
    ['20 May 2026', 'Card', '30.00', ''],
    ['21 May 2026', 'Refund', '', '12.00'],
  ];
  const sums = ['980.00', '492.00'];
  const page = `<html><body><table>${rows.map((row) => `<tr>${row.map((text) => `<td>${text}</td>`).join('')}</tr>`).join('')}
    <tr><td colspan="2">Total</td>${sums.map((text) => `<td>${text}</td>`).join('')}</tr></table></body></html>`;
  const found = {
    page: await tablesOf(Buffer.from(page)),
    sheet: await tablesOf(writeWorkbook([...rows, ['Total', '', ...sums]])),
    word: await tablesOf(writeDocx([{ rows: [...rows, [{ text: 'Total', span: 2 }, ...sums]] }])),
  };
  const table = { header: rows[0], rows: [...rows.slice(1), ['Total', '', ...sums]], summed: [2, 3] };
  expect(found).toMatchObject({ page: [table], sheet: [table], word: [table] });
});

test('separated values are a table, with any separator; prose with commas is not', async () => {
  const lines = [
    ['Day', 'Text', 'Amount'],
    ['2026-05-04', 'Rent, May', '-950.00'],
    ['2026-05-08', 'Oakfield "Joinery"', '480.00'],
    ['2026-05-20', 'Card', '-30.00'],
    ['Total', '', '-500.00'],
  ];
  for (const sign of [',', ';', '\t', '|']) {
    const text = lines
      .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(sign))
      .join('\r\n');
    expect(await tablesOf(Buffer.from(text)), sign).toMatchObject([
      { header: lines[0], rows: lines.slice(1), summed: [2], leftOut: 0 },
    ]);
  }
  const prose = 'Dear Ann, Ben and Cleo,\nwe came, we saw, we left.\nIt was good.\nYours, Dan, Eve, Finn';
  expect(await tablesOf(Buffer.from(prose))).toEqual([]);
});

/** Counts the patterns that are matched during the search for tables, which is nearly all of its work. */
function workOf(rows: readonly Row[]): { tables: readonly Table[]; matches: number } {
  const { exec } = RegExp.prototype;
  let matches = 0;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    matches += 1;
    return exec.call(this, text);
  };
  try {
    const { tables } = findTables(rows, createCiter([{ id: 'b1', type: 'table', text: textOf(rows) }]));
    return { tables, matches };
  } finally {
    RegExp.prototype.exec = exec;
  }
}
const textOf = (rows: readonly Row[]): string =>
  rows.map(({ cells }) => cells.map(({ text }) => text).join('  ')).join('\n');
const asRows = (lines: readonly (readonly string[])[]): Row[] =>
  lines.map((line) => ({ page: undefined, cells: asCells(line) }));

test('a long list of texts takes time in proportion to its length', () => {
  const texts = (count: number) =>
    asRows(Array.from({ length: count }, (_, row) => [`Quay ${row} a`, 'Oakfield', 'Joinery', 'Bristol']));
  const [short, long] = [workOf(texts(200)), workOf(texts(800))];
  expect([short.tables, long.tables]).toEqual([[], []]);
  expect(short.matches).toBeGreaterThan(200);
  expect(long.matches).toBeLessThan(5 * short.matches);
  // Each row is narrower than the one above, so the rows fit each other badly.
  const narrower = (count: number) =>
    asRows(Array.from({ length: count }, (_, row) => Array.from({ length: 28 - (row % 26) }, () => 'Oak')));
  expect(workOf(narrower(1040)).matches).toBeLessThan(5 * workOf(narrower(260)).matches);
});

test('a long list is one table: rows that are not listed are counted, to the last one', () => {
  const head = ['Day', 'Text', 'Amount'];
  const line = (row: number): string[] => ['3 May 2026', `Line ${row}`, `${row}.00`];
  for (const count of [301, 1499, 1502, 7005, 60_500]) {
    const rows = asRows([head, ...Array.from({ length: count }, (_, row) => line(row))]);
    const { tables } = workOf(rows);
    expect(tables, String(count)).toHaveLength(1);
    expect(tables[0]).toMatchObject({ header: head, leftOut: count - 300 });
    expect(tables[0]?.rows).toHaveLength(300);
  }
});

test('a table below texts in the same columns is found', () => {
  const rows = asRows([
    ...Array.from({ length: 40 }, () => ['Quay Street', 'Bristol', 'Oakfield', 'Joinery', 'Harlow']),
    ['Day', '', 'Text', '', 'Amount'],
    ...Array.from({ length: 20 }, (_, row) => ['3 May 2026', '', `Line ${row}`, '', `${row}.00`]),
  ]);
  const [table, ...others] = workOf(rows).tables;
  expect(others).toEqual([]);
  expect(table?.rows.at(-1)).toEqual(['3 May 2026', '', 'Line 19', '', '19.00']);
});

test('a sum is confirmed only if every number above it is understood and has the same unit', () => {
  const sums = (...cells: string[]) =>
    checkSums(cells.map((cell, row) => [row < cells.length - 1 ? 'x' : 'Total', cell])).summed;
  expect(sums('100.00', '50.00', '150.00')).toEqual([1]);
  expect(sums('£100.00', '', '50.00', '-', '£150.00')).toEqual([1]);
  for (const wrong of [
    ['100.00', '50.00', '160.00'],
    ['100.00', '3.00 CR', '50.00', '150.00'],
    ['100.00', '12 kg', '50.00', '150.00'],
    ['£100.00', '€50.00', '£150.00'],
    ['£100.00', '£50.00', '€150.00'],
  ])
    expect(sums(...wrong), wrong.join()).toEqual([]);
});

test('subtotals that equal the rows above are not added again; other rows of that name are entries', () => {
  const sums = (...lines: [string, string][]) => checkSums(lines);
  expect(
    sums(
      ...([
        ['Oak', '10.00'],
        ['Ash', '20.00'],
        ['Subtotal', '30.00'],
        ['Elm', '5.00'],
      ] as [string, string][]),
      ...([
        ['Yew', '5.00'],
        ['Subtotal', '10.00'],
        ['Carried forward', '40.00'],
        ['Total', '40.00'],
      ] as [string, string][]),
    ),
  ).toEqual({ summed: [1], carried: [2, 5, 6] });
  expect(
    sums(['Balance brought forward', '10.00'], ['Transport', '5.00'], ['Ash', '20.00'], ['Total', '35.00']),
  ).toEqual({ summed: [1], carried: [] });
  expect(sums(['Oak', '10.00'], ['Ash', '20.00'], ['Subtotal', '31.00'], ['Total', '30.00'])).toEqual({
    ...{ summed: [], carried: [] },
  });
});

test('figures are numbers only if they can mean nothing else', () => {
  expect(
    ['1,234.56', '€ 1.234,56', '-12', '1 250', '1.234.567', '0', '12,34,567', '–3.50'].map(figureOf),
  ).toEqual([...[1234.56, 1234.56, -12, 1250, 1_234_567, 0, 1_234_567, -3.5]]);
  expect(['1.234', '0044', '3 May 2026', '12 kg', '10:30', ''].map(figureOf)).toEqual(
    Array(6).fill(undefined),
  );
});
