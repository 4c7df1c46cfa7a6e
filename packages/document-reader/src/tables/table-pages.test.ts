import { expect, test } from 'vitest';
import type { Report, Table } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { INVOICE_LANGUAGES } from '../samples/make-invoices.fixture.ts';
import { makeStatement } from '../samples/make-long-tables.fixture.ts';
import { officePdf } from '../samples/office-prints.fixture.ts';
import { type PdfText, writePdf } from '../samples/write-pdf.fixture.ts';

async function reportOf(content: Buffer): Promise<Report> {
  const document = await readFileContent(
    content,
    createOcrSession(0, () => {}),
  );
  return buildReport(document, { fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' });
}
const tablesOf = async (content: Buffer): Promise<readonly Table[]> => (await reportOf(content)).tables ?? [];

test('a table over several pages is one table, however few rows a page has, and its sum leaves out subtotals', async () => {
  for (const language of INVOICE_LANGUAGES)
    for (const pages of [
      [20, 1],
      [14, 12, 2],
      [20, 0],
    ])
      for (const heads of ['each', 'first'] as const)
        for (const carried of [true, false]) {
          const name = `${language} ${pages} ${heads} ${carried}`;
          const layout = { language, pages, heads, carried };
          const statement = makeStatement(layout);
          const [table, ...others] = await tablesOf(statement.pdf);
          expect(others, name).toEqual([]);
          expect(table, name).toMatchObject({
            ...{ page: 1, header: statement.heads, rows: statement.rows, summed: [3], leftOut: 0 },
          });
          expect(table?.carried ?? [], name).toEqual(statement.carried);
          const [wrong] = await tablesOf(makeStatement({ ...layout, fault: 1 }).pdf);
          expect(wrong?.rows.length, name).toBe(statement.rows.length);
          expect(wrong, name).toMatchObject({ summed: [] });
        }
});

/** Pages of lines with wide gaps between the cells. */
const pagesOf = (...pages: string[]): Buffer =>
  writePdf(
    pages.map((page) =>
      page.split('\n').flatMap((line, down): PdfText[] =>
        [...line.matchAll(/\S+(?: \S+)*/g)].map(({ index, 0: text }) => ({
          ...{ x: 40 + index * 5, y: 780 - down * 13, size: 8, text },
        })),
      ),
    ),
  );

const FEES = `Day          Work                Reference      Fee
3 May 2026   Mooring             KX-1           40.00
4 May 2026   Winter cover        KX-2           25.00
5 May 2026   Hull survey         KX-3           90.00`;
const ENDED = `${FEES}
Total                                           155.00`;

test('lines at the top of the next page that are not rows of the table are left alone', async () => {
  const alone = [
    // Another table in the same columns.
    `Visit        Berth               Plate          Length
3 June 2026  North wall          HN-20          9.40`,
    // A running head with a number, and prose.
    `Harbour Co                                      2

The harbour office is open on Mondays and on Thursdays from nine to four.`,
    `Harbour Co   Terms of mooring

1.           Payment             is due         within 30 days`,
  ];
  for (const next of alone) {
    const [table, ...others] = await tablesOf(pagesOf(FEES, next));
    expect(others, next).toEqual([]);
    expect(table?.rows, next).toHaveLength(3);
  }
  const row = '6 May 2026   Slipway             KX-4           12.00';
  expect((await tablesOf(pagesOf(ENDED, row)))[0]?.rows).toHaveLength(4);
  expect((await tablesOf(pagesOf(FEES, row)))[0]?.rows.at(-1)).toEqual([
    ...['6 May 2026', 'Slipway', 'KX-4', '12.00'],
  ]);
});

test('the name of a group between its rows does not end a table', async () => {
  const grouped = `${FEES}

Repairs
8 May 2026   Rudder              KX-4           12.00
9 May 2026   Keel                KX-5           18.00
Total                                           185.00`;
  const [table, ...others] = await tablesOf(officePdf({ name: 'x', truth: {}, text: grouped }));
  expect(others).toEqual([]);
  expect(table?.rows.map((row) => row.at(-1))).toEqual([
    '40.00',
    '25.00',
    '90.00',
    '',
    '12.00',
    '18.00',
    '185.00',
  ]);
  expect(table?.rows[3]?.[0]).toBe('Repairs');
  expect(table?.summed).toEqual([3]);
});

test('tables beyond the report’s limit, or too wide to be read, are counted', async () => {
  const fees = (count: number) => pagesOf(...Array.from({ length: count }, () => ENDED));
  const many = await reportOf(fees(23));
  expect(many.tables).toHaveLength(20);
  expect(many.tablesLeftOut).toBe(3);
  expect((await reportOf(fees(20))).tablesLeftOut).toBeUndefined();
  const wide = Array.from({ length: 6 }, (_, row) =>
    Array.from({ length: 45 }, (_, column) => `${row + column}.50`).join(';'),
  );
  const { tables, tablesLeftOut } = await reportOf(Buffer.from(wide.join('\n')));
  expect([tables, tablesLeftOut]).toEqual([undefined, 1]);
});

test('a cell that is too long is cut with a mark', async () => {
  const long = 'a berth by the north wall '.repeat(15).trim();
  const csv = ['Day;Work;Fee', `3 May 2026;${long};40.00`, '4 May 2026;Cover;25.00', '5 May 2026;Hull;9.00'];
  const [table] = await tablesOf(Buffer.from(csv.join('\n')));
  const [cell = ''] = table?.rows[0]?.slice(1) ?? [];
  expect(cell).toHaveLength(300);
  expect(cell).toBe(`${long.slice(0, 299)}…`);
});
