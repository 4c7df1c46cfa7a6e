import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Table } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { DocumentTables } from './document-tables.web.tsx';

const table: Table = {
  page: 2,
  header: ['Day', 'Text', 'Amount'],
  rows: Array.from({ length: 9 }, (_, index) => [
    `${index + 1} May`,
    `Line <${index + 1}>`,
    `${index + 1}.00`,
  ]),
  summed: [],
  leftOut: 0,
  cites: [{ block: 'b1', page: 2, quote: 'Line <1>', start: 0, end: 8 }],
};
const shown = (...tables: Table[]): string => shownWith(undefined, tables);
const shownWith = (leftOut: number | undefined, tables: Table[]): string =>
  renderToStaticMarkup(createElement(DocumentTables, { tables, leftOut }));

test('the page shows a table with its place, more rows on request, and the rows that were checked or left out', () => {
  claims('Checked: its last row is the sum of the rows above.', '… more rows are not listed here.');
  const page = shown(table);
  expect(page).toContain('<th scope="col">Amount</th>');
  expect(page).toContain('Line &lt;6&gt;');
  expect(page).not.toContain('Line &lt;7&gt;');
  expect(page).toContain('Show all 9 rows');
  expect(page).toContain('p. 2: show “Line &lt;1&gt;” in the document');
  expect(page).not.toMatch(/Checked|not listed/);
  const total = { ...table, rows: [...table.rows, ['Total', '', '45.00']] };
  expect(shown({ ...total, summed: [2] })).toContain('Checked: its last row is the sum of the rows above.');
  expect(shown({ ...table, leftOut: 40 })).toContain('40 more rows are not listed here.');
  expect(shown({ ...table, leftOut: 1 })).toContain('1 more row is not listed here.');
  expect(shown({ ...table, header: [], rows: table.rows.slice(0, 3) })).not.toMatch(/<thead>|Show all/);
  expect(shown()).toBe('');
});

test('the page counts the tables that it does not list, and says that subtotals are not added again', () => {
  expect(shownWith(3, [table])).toContain('3 more tables of the document are not listed.');
  expect(shownWith(1, [])).toContain('1 more table of the document is not listed.');
  expect(shown(table)).not.toMatch(/more table/);
  const total = { ...table, rows: [...table.rows, ['Total', '', '45.00']], summed: [2] };
  const carried = 'Subtotals, such as those at the end of a page, are not added again.';
  expect(shown({ ...total, carried: [3] })).toContain(carried);
  expect(shown(total)).not.toContain(carried);
});

test('the page never calls a wrong total checked, and names the columns that are right', () => {
  claims(
    'Checked in …: the last row is the sum of the rows above.',
    'Its other figures could not be confirmed.',
  );
  const heads = ['Day', 'Paid out', 'Paid in', ''];
  const total = { ...table, header: heads, rows: [...table.rows, ['Total', '45.00', '46.00', '1.00']] };
  const page = shown({ ...total, summed: [1, 3] });
  expect(page).not.toContain('Checked: its last row');
  expect(page).toContain(
    'Checked in Paid out, column 4: the last row is the sum of the rows above. Its other figures could not be confirmed.',
  );
  expect(shown({ ...total, summed: [] })).not.toContain('Checked');
});
