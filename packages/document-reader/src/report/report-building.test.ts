import { expect, test } from 'vitest';
import type { ExtractedDocument } from '../contract/extracted-document.ts';
import type { Block, Report } from '../contract/report.contract.ts';
import { textRows } from '../layout/spanned-cells.ts';
import { findPhones } from '../values/contacts.ts';
import { buildReport } from './report-building.ts';

const para = (text: string, index: number): Block => ({ id: `b${index + 1}`, type: 'para', text });

function reportOf(blocks: Block[], more: Partial<ExtractedDocument> = {}): Report {
  return buildReport(
    {
      ...{ title: undefined, pages: undefined, blocks, pagesRead: 0, pagesSkipped: [], warnings: [] },
      rows: blocks.flatMap(({ text }) => textRows(text)),
      ...more,
    },
    { fileName: 'a.txt', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' },
  );
}
const read = (...texts: string[]): Report => reportOf(texts.map(para));

test('a report is partial if the end was left out or a page was not read, and names the page; a blank page is not missing', () => {
  const blocks = [para('A short letter on the roof.', 0)];
  expect(reportOf(blocks).status).toBe('complete');
  expect(reportOf(blocks, { pages: 2, pagesBlank: [2] }).status).toBe('complete');
  expect(reportOf(blocks, { warnings: [{ code: 'text_limit', text: 'Very long.' }] }).status).toBe('partial');
  const cut = reportOf(blocks, {
    pages: 502,
    pagesSkipped: [501, 502].map((page) => ({ page, reason: 'only the first 500 pages are read' })),
  });
  expect(cut.status).toBe('partial');
  expect(cut.attention.map(({ text }) => text)).toEqual([
    'Pages 501, 502 could not be read: only the first 500 pages are read.',
  ]);
});

test('the digits of an account are not a telephone number, and a VAT number counts only with its check digits', () => {
  expect(findPhones('IBAN DE89 3704 0044 0532 0130 00, call 0221 4455 6677')).toEqual(['0221 4455 6677']);
  const vat = (number: string): unknown =>
    read(`VAT no: ${number}`).fields.find(({ key }) => key === 'vat_id')?.normalized;
  expect(vat('GB 980 7806 84')).toBe('GB980780684');
  expect(vat('GB 980 7806 85')).toBeUndefined();
});

test('warnings give days in words, as 04/05/2026 could be two days', () => {
  const { attention } = read(
    'Harlow Ltd',
    'Invoice no: 4471\nInvoice date: 03/04/2026\nDue date: 04/05/2026\nTotal £120.00',
  );
  expect(attention.map(({ text }) => text)).toContain('£120.00 is due on 4 May 2026.');
});

test('a long text is summarised chapter by chapter, so that the summary covers its end', () => {
  const chapters = ['Harbour', 'Ferry', 'Orchard', 'Quarry'];
  const blocks = chapters.flatMap((name, chapter): Block[] => [
    { id: `h${chapter}`, type: 'heading', level: 1, text: `${name} works` },
    ...Array.from({ length: 50 }, (_, index) =>
      para(
        `The ${name.toLowerCase()} committee in year ${index} looked at the ${name.toLowerCase()} again and wrote down plan number ${index}.`,
        chapter * 100 + index,
      ),
    ),
  ]);
  const { points } = reportOf(blocks).summary;
  expect(points).toHaveLength(chapters.length);
  for (const [index, name] of chapters.entries()) expect(points[index]?.text).toContain(name.toLowerCase());
  expect(points.every(({ cites, text }) => cites[0]?.quote === text)).toBe(true);
});

test('sentences of scripts with other full stops are recognised too', () => {
  const japanese = read(
    '本契約は二〇二六年四月一日から一年間とする。',
    '賃借人は毎月末日までに翌月分の賃料を支払うものとする。',
    '賃借人は本契約の終了時に物件を原状に回復するものとする。',
    '本契約に定めのない事項は当事者が協議して定める。',
  );
  expect(japanese.summary.points.length).toBeGreaterThan(0);
  expect(japanese.summary.short).toContain('。');
  const arabic = read(
    ...['الإيجار', 'التأمين', 'الصيانة', 'الضمان'].map(
      (word) => `هل يدفع المستأجر ${word} في أول كل شهر من السنة وفقا لهذا العقد بين الطرفين؟`,
    ),
  );
  expect(arabic.summary.points.length).toBeGreaterThan(0);
});

test('words that every document has are key phrases only together with others', () => {
  const { phrases } = read(
    ...['rent', 'deposit', 'repairs', 'keys'].map(
      (word) =>
        `The Landlord, within two months of the ${word}, agrees, and for months after the notice period.`,
    ),
  );
  const words = phrases.map(({ text }) => text);
  expect(words).toContain('Landlord');
  expect(words).toContain('notice period');
  expect(words).not.toContain('months');
  expect(words).not.toContain('agrees');
});

test('each word of a script without spaces can be a phrase', () => {
  const { phrases } = read(...Array.from({ length: 4 }, () => '賃借人は賃料を支払う。'));
  expect(phrases.map(({ text }) => text)).toContain('賃料');
  expect(phrases.every(({ text }) => text.length <= 10)).toBe(true);
});

test('the outline has chapters, but no dates, labels or repeated lines, and a bill has none', () => {
  const heading = (text: string, index: number): Block => ({
    id: `h${index}`,
    type: 'heading',
    level: 1,
    text,
  });
  const lines = ['1. The property', '3 May 2026', 'SELECT', 'SELECT', 'SELECT', 'IBAN', '2. Term'];
  const { outline } = reportOf([...lines.map(heading), para('Some words.', 0)]);
  expect(outline.map(({ text }) => text)).toEqual(['1. The property', '2. Term']);
  const bill = reportOf([
    heading('Harlow Ltd', 0),
    para('Invoice no: 4471\nInvoice date: 3 May 2026\nTotal £120.00', 1),
  ]);
  expect([bill.document.kind, bill.outline]).toEqual(['invoice', []]);
});

test('a title from a program, or one that is only a label, is replaced by the first heading or the name', () => {
  const heading = (text: string): Block => ({ id: 'b1', type: 'heading', level: 1, text });
  const blocks = [
    heading('Verkäufer'),
    { ...heading('Letter on the roof'), id: 'b2' },
    para('Some words.', 2),
  ];
  for (const title of ['PowerPoint Presentation', 'Paper Title (use style: paper title)', 'Front Cover'])
    expect(reportOf(blocks, { title }).document.title).toBe('Letter on the roof');
});

test('a text without a kind still has the days and amounts that a plain label names', () => {
  const report = read(
    'Harbour fund',
    'Issue date: 4 May 2026\nTotal amount due: £1,200.00\nWe gave £3.00 on 1 May 2026.',
  );
  expect(report.document.kind).toBe('other');
  expect(report.fields.map(({ key, normalized }) => [key, normalized])).toEqual([
    ['issue_date', '2026-05-04'],
    ['total', '1200.00'],
    ['currency', 'GBP'],
  ]);
});
