import { expect, test } from 'vitest';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { type SheetCell, writeWorkbook } from '../samples/write-workbook.fixture.ts';
import { readFileContent } from './file-content.ts';
import { readNumberFormats, shownNumber } from './number-formats.ts';

test('a number of a sheet is shown with its decimals and its currency, or as a day', () => {
  const shown = (figure: string, format?: string): string => shownNumber(figure, format, 'since1900');
  expect(shown('1188', '#,##0.00')).toBe('1,188.00');
  expect(shown('-1188.5', '#,##0.00;[Red]-#,##0.00')).toBe('-1,188.50');
  expect(shown('1188', '"£"#,##0.00')).toBe('£1,188.00');
  expect(shown('1188', '#,##0.00\\ [$€-407]')).toBe('1,188.00 €');
  expect(shown('1188', '[$CHF-807] #,##0.00')).toBe('CHF 1,188.00');
  expect(shown('0.19', '0%')).toBe('19%');
  expect(shown('46127', 'yyyy-mm-dd')).toBe('2026-04-15');
  expect(shown('46127', '[$-409]d\\ mmm\\ yyyy;@')).toBe('2026-04-15');
  expect(shown('46127.75', 'dd/mm/yyyy hh:mm')).toBe('2026-04-15 18:00');
  expect(shownNumber('44665', 'm/d/yy', 'since1904')).toBe('2026-04-15');
  expect(shown('0.30000000000000004')).toBe('0.3');
  expect(shown('46127')).toBe('46127');
  // A time alone, an amount, and a text that is not a number stay as they are.
  expect(shown('0.5', 'hh:mm')).toBe('0.5');
  expect(shown('9999999999', 'yyyy-mm-dd')).toBe('9999999999');
  expect(shown('4711-A', '0.00')).toBe('4711-A');
  const formats = readNumberFormats(
    '<numFmts><numFmt numFmtId="170" formatCode="&quot;&#163;&quot;0.00"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="14"/></cellXfs>',
    '<workbookPr date1904="1"/>',
  );
  expect([0, 1, 2, 9].map(formats.ofStyle)).toEqual([undefined, '"£"0.00', 'yyyy-mm-dd', undefined]);
  expect(formats.epoch).toBe('since1904');
});

test('a style without attributes counts as one, and elements may have a prefix', () => {
  for (const x of ['', 'x:']) {
    const formats = readNumberFormats(
      `<${x}numFmts><${x}numFmt numFmtId="170" formatCode="0.000"/></${x}numFmts><${x}cellXfs><${x}xf/><${x}xf></${x}xf><${x}xf numFmtId="4"/><${x}xf numFmtId="170"/></${x}cellXfs><${x}cellStyles><${x}xf numFmtId="14"/></${x}cellStyles>`,
      '',
    );
    expect([0, 1, 2, 3, 4].map(formats.ofStyle)).toEqual([
      undefined,
      undefined,
      '#,##0.00',
      '0.000',
      undefined,
    ]);
  }
});

test('an invoice in a workbook gets its dates and sums, which the file stores as bare numbers', async () => {
  const rows: readonly (readonly SheetCell[])[] = [
    ['Hedgerow Studios'],
    ['INVOICE'],
    ['Invoice no', 'HS-2026-14'],
    ['Invoice date', [46127, 1]],
    ['Due date', [46157, 1]],
    ['Description', 'Qty', 'Unit price', 'Amount'],
    ['Logo design', [1, 0], [650, 2], [650, 2]],
    ['Flyers', [2, 0], [170, 2], [340, 2]],
    ['', '', 'Subtotal', [990, 2]],
    ['', '', 'VAT 20%', [198, 2]],
    ['', '', 'Total', [1188, 2]],
  ];
  const document = await readFileContent(
    writeWorkbook(rows),
    createOcrSession(0, () => {}),
  );
  const file = { fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' };
  const { fields, items } = buildReport(document, file);
  const value = (key: string): string | undefined => fields.find((field) => field.key === key)?.normalized;
  expect(['issue_date', 'due_date', 'net_total', 'tax_total', 'total', 'currency'].map(value)).toEqual([
    ...['2026-04-15', '2026-05-15', '990.00', '198.00', '1188.00', 'GBP'],
  ]);
  expect(items).toMatchObject({ sum: '990.00', sumIs: 'net_total' });
});
