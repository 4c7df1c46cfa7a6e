import { PDFDocument, rgb } from 'pdf-lib';
import { expect, test } from 'vitest';
import { citeHolds } from '../contract/report.contract.ts';
import { isNonsense } from '../layout/nonsense-text.ts';
import { type Nonsense, writeNonsense, writeOutlines } from '../layout/write-nonsense.fixture.ts';
import { openPainter } from '../ocr/glyph-painting.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { CUSTOMER_PRINTS } from '../samples/customer-prints.fixture.ts';
import { NEWSLETTER, TENANCY } from '../samples/document-texts.fixture.ts';
import { HOUSEHOLD_BILLS } from '../samples/household-bills.fixture.ts';
import { OFFICE_PRINTS } from '../samples/office-prints.fixture.ts';
import { SENTENCES } from '../samples/scan-texts.fixture.ts';
import { TILL_PRINTS } from '../samples/till-prints.fixture.ts';
import { readFileContent } from './file-content.ts';

const INVOICE = [
  'Harlow and Finch Limited',
  '12 Quay Street, Bristol',
  'INVOICE',
  'Invoice number: HF-2041',
  'Invoice date: 2 March 2026',
  'Customer: Maple Bakery Limited',
  'For the repair of the northern jetty in February we charge as agreed:',
  'Timber and fittings 700.00',
  'Labour of two carpenters for three days 300.00',
  'Net total GBP 1000.00',
  'VAT 20% GBP 200.00',
  'Total due GBP 1200.00',
  'Please pay by 1 April 2026.',
];

const read = (content: Buffer, pages: number) =>
  readFileContent(
    content,
    createOcrSession(pages, () => {}),
  );

test('a text, a bill, a receipt, figures, codes, formulas, dots and lines of a form are not taken for nonsense', () => {
  const texts = [
    TENANCY,
    JSON.stringify(NEWSLETTER),
    ...Object.values(SENTENCES).map((lines) => lines.join(' ')),
    ...[...OFFICE_PRINTS, ...HOUSEHOLD_BILLS, ...CUSTOMER_PRINTS].map(({ text }) => text),
    ...TILL_PRINTS.map(({ text }) => text),
    INVOICE.join('\n'),
    'Contents\n1. Scope ............................ 3\n2. Terms . . . . . . . . . . . . . . . . 12',
    'Name: ____________________  Date: ___/___/______  [ ] yes  [ ] no',
    '12.00 % 13.50 % 1,200.00 - - - 4.20 % 17.00 % - 3.00 + 4.00 = 7.00',
    'XK-2201 GTX-330 KRB-77 PLN-9 SKU 4471-BB-20 DIN 912 M8x40 QRT-55-X',
    'f(x) = a + b / (c - d) * { e , g } ; h ( i ) = [ j , k ] ; x < y > z = 1',
    'Договор аренды жилого помещения между сторонами',
    '本合同由双方签订，自签字之日起生效。',
    'عقد إيجار بين الطرفين',
    'Strč prst skrz krk: smlouva o nájmu bytu mezi smluvními stranami v Praze',
    'Page 3',
    '',
  ];
  expect(texts.filter(isNonsense)).toEqual([]);
});

test('letters that are not those on the page are nonsense', () => {
  const text = INVOICE.join(' ');
  const shift = (by: (code: number) => number): string =>
    [...text].map((sign) => (sign === ' ' ? ' ' : String.fromCharCode(by(sign.charCodeAt(0))))).join('');
  expect(isNonsense(shift((code) => Math.max(33, code - 29)))).toBe(true);
  expect(isNonsense(shift((code) => code << 8))).toBe(true);
  expect(isNonsense(shift((code) => 0xe000 + code))).toBe(true);
  expect(isNonsense('"7+%-')).toBe(true);
  expect(
    isNonsense(`Perceived Ease of Use ${'! " # % & , TAM ( -.45 ) & \' D % 9 & ? $ '.repeat(6)} Actual Use`),
  ).toBe(true);
});

for (const how of ['shifted', 'swapped'] satisfies Nonsense[])
  test(`a page whose letters are ${how} is read from its picture, and its facts are those that are printed`, async () => {
    const file = await writeNonsense(INVOICE, how);
    const unread = await read(file, 0);
    expect(unread.blocks.map(({ text }) => text).join('\n')).not.toContain('Harlow');
    expect(unread.warnings.map(({ code }) => code)).toContain('garbled');
    const document = await read(file, 5);
    expect(document.pagesOcr?.map(({ page }) => page)).toEqual([1]);
    expect(document.warnings.map(({ code }) => code)).toEqual(['ocr']);
    const report = buildReport(document, {
      fileName: 'bill.pdf',
      sha256: '',
      createdAt: '2026-03-10T09:00:00.000Z',
    });
    const valueOfField = (key: string) => report.fields.find((field) => field.key === key)?.normalized;
    expect(report.document.kind).toBe('invoice');
    expect([valueOfField('total'), valueOfField('issue_date')]).toEqual(['1200.00', '2026-03-02']);
    const texts = new Map(document.blocks.map((block) => [block.id, block.text]));
    for (const cite of report.fields.flatMap(({ cites }) => cites)) expect(citeHolds(cite, texts)).toBe(true);
  });

for (const footer of [undefined, 'Page 1 of 1'])
  test(`a page whose letters are drawn as shapes${footer === undefined ? '' : ' above a footer'} is read from its picture`, async () => {
    const file = await writeOutlines(INVOICE, footer);
    const document = await read(file, 5);
    expect(document.pagesOcr?.map(({ page }) => page)).toEqual([1]);
    const report = buildReport(document, {
      fileName: 'bill.pdf',
      sha256: '',
      createdAt: '2026-03-10T09:00:00.000Z',
    });
    const valueOfField = (key: string) => report.fields.find((field) => field.key === key)?.normalized;
    expect([valueOfField('total'), valueOfField('issue_date')]).toEqual(['1200.00', '2026-03-02']);
    const text = document.blocks.map((block) => block.text).join('\n');
    expect(text).toContain('Harlow and Finch');
    expect(text).toContain(footer ?? 'INVOICE');
  });

test('a page with a frame and no letters is said to hold no text, not text that cannot be read', async () => {
  const frame = await PDFDocument.create();
  frame
    .addPage([595, 842])
    .drawRectangle({ x: 60, y: 60, width: 400, height: 300, borderColor: rgb(0, 0, 0) });
  frame.addPage([595, 842]).drawText('The second page has words of its own.', { x: 60, y: 700, size: 12 });
  const document = await read(Buffer.from(await frame.save()), 5);
  expect(document.pagesSkipped).toEqual([{ page: 1, reason: 'a picture in which no text was found' }]);
});

test('a file that PDFium cannot open is read without it', async () => {
  expect(await openPainter(Buffer.from('%PDF-1.7 and nothing else'), undefined)).toBeUndefined();
});
