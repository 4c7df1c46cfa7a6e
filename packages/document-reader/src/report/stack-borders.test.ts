import { expect, test } from 'vitest';
import { citeHolds, reportSchema } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { CUSTOMER_PRINTS } from '../samples/customer-prints.fixture.ts';
import { HOUSEHOLD_BILLS } from '../samples/household-bills.fixture.ts';
import { makeDocuments } from '../samples/make-documents.fixture.ts';
import { makeInvoice } from '../samples/make-invoices.fixture.ts';
import { seeded } from '../samples/make-scans.fixture.ts';
import { makeTabledInvoice } from '../samples/make-tabled-invoices.fixture.ts';
import { OFFICE_PRINTS, officePdf } from '../samples/office-prints.fixture.ts';
import { makePost, makeStack } from './make-stack.fixture.ts';
import { buildReport } from './report-building.ts';
import { findStack } from './stack-borders.ts';

const {
  'tenancy-agreement.pdf': lease = Buffer.alloc(0),
  'invoice-HF-2041.pdf': bill = Buffer.alloc(0),
  'newsletter-two-columns.pdf': newsletter = Buffer.alloc(0),
} = makeDocuments();
/** Papers of the repository: bills of many programs, a lease of two pages, a newsletter. */
const PAPERS: readonly Buffer[] = [
  ...[lease, bill, newsletter],
  ...(['en', 'de', 'fr'] as const).flatMap((language) =>
    Array.from({ length: 20 }, (_, seed) => makeInvoice(seed, language).pdf),
  ),
  ...Array.from({ length: 10 }, (_, seed) => makeTabledInvoice(seed, 'en').pdf),
  ...[...OFFICE_PRINTS, ...HOUSEHOLD_BILLS, ...CUSTOMER_PRINTS].map((print) => officePdf(print)),
];
const STACKS = 40;

const read = (content: Buffer) =>
  readFileContent(
    content,
    createOcrSession(0, () => {}),
  );

test('of the borders in stacks of papers at least 95 % are found, and no paper is cut in two', async () => {
  const random = seeded(11);
  let borders = 0;
  let found = 0;
  const falseBorders: string[] = [];
  for (let number = 0; number < STACKS; number += 1) {
    // Each paper once, as the same paper twice is one document.
    const left = [...PAPERS];
    const papers = Array.from(
      { length: 2 + Math.floor(random() * 5) },
      () => left.splice(Math.floor(random() * left.length), 1)[0] ?? bill,
    );
    const { file, begins } = await makeStack(papers);
    const { rows } = await read(file);
    const split = findStack(rows, []).map(({ from }) => from);
    borders += begins.length - 1;
    found += begins.filter((page) => page > 1 && split.includes(page)).length;
    falseBorders.push(
      ...split.filter((page) => !begins.includes(page)).map((page) => `stack ${number}, page ${page}`),
    );
  }
  expect(falseBorders).toEqual([]);
  expect(found / borders).toBeGreaterThanOrEqual(0.95);
});

test('no single paper is split', async () => {
  for (const paper of PAPERS) expect(findStack((await read(paper)).rows, []).length).toBeLessThan(2);
});

test('each paper of a stack is a part with facts of its own, and the file mixes none of them', async () => {
  const other = makeInvoice(3, 'de');
  const { file } = await makeStack([bill, lease, other.pdf]);
  const document = await read(file);
  const report = reportSchema.parse(
    buildReport(document, { fileName: 'post.pdf', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' }),
  );
  expect(report.parts?.map(({ name, pages, document: part }) => [name, pages, part?.kind])).toEqual([
    ['Page 1', { from: 1, to: 1 }, 'invoice'],
    ['Pages 2 to 3', { from: 2, to: 3 }, 'lease'],
    ['Page 4', { from: 4, to: 4 }, 'invoice'],
  ]);
  const factOf = (index: number, key: string) =>
    report.parts?.[index]?.fields.find((field) => field.key === key);
  expect(factOf(0, 'total')?.normalized).toBe('1238.40');
  expect(factOf(1, 'rent')?.normalized).toBe('1125.00');
  expect(other.truth.total).toContain(factOf(2, 'total')?.normalized);
  expect([report.fields, report.items, report.obligations]).toEqual([[], undefined, undefined]);
  expect(report.attention.map(({ code }) => code)).toContain('several_documents');
  const texts = new Map(document.blocks.map((block) => [block.id, block.text]));
  for (const { fields, pages } of report.parts ?? []) {
    const cites = fields.flatMap((field) => field.cites);
    expect(cites.length).toBeGreaterThan(3);
    expect(cites.every((cite) => citeHolds(cite, texts))).toBe(true);
    expect(cites.every(({ page = 0 }) => page >= (pages?.from ?? 0) && page <= (pages?.to ?? 0))).toBe(true);
  }
});

test('an uncertain border is said, and so is a page that may belong to another paper', async () => {
  const zzp =
    OFFICE_PRINTS.find(({ name }) => name === 'zzp') ?? HOUSEHOLD_BILLS.find(({ name }) => name === 'zzp');
  const unclear = zzp ?? CUSTOMER_PRINTS.find(({ name }) => name === 'zzp');
  if (unclear === undefined) throw new Error('the sample is gone');
  const { file } = await makeStack([officePdf(unclear), newsletter]);
  const report = buildReport(await read(file), {
    fileName: 'post.pdf',
    sha256: '',
    createdAt: '2026-03-10T09:00:00.000Z',
  });
  expect(report.attention.map(({ text }) => text)).toContain(
    'Nothing says whether page 2 belongs to the bill before: check that.',
  );
});

test('a statement without a head that follows a bill is said to be doubtful or begins a document, and is not joined without a word', async () => {
  const { file, begins } = await makePost();
  const stack = findStack((await read(file)).rows, []);
  // The bill is on page 3; the statement on page 4 names nobody.
  expect(begins).toContain(4);
  expect(stack.flatMap(({ from, doubtful }) => [from, ...doubtful])).toContain(4);
});

test('a corrected split is followed: the documents are those of the owner, none is called uncertain, and one may hold all', async () => {
  const { file } = await makePost();
  const document = await read(file);
  const facts = { fileName: 'post.pdf', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' };
  const found = buildReport(document, facts);
  expect(found.split).toBeUndefined();
  const corrected = buildReport(document, { ...facts, begins: [1, 3, 5] });
  expect(corrected.parts?.map(({ pages, unsure }) => [pages?.from, pages?.to, unsure])).toEqual([
    [1, 2, undefined],
    [3, 4, undefined],
    [5, 12, undefined],
  ]);
  expect(corrected.split).toBe('corrected');
  expect(corrected.attention.map(({ code }) => code)).toEqual(['several_documents']);
  const texts = new Map(document.blocks.map((block) => [block.id, block.text]));
  for (const { fields, pages } of corrected.parts ?? [])
    for (const cite of fields.flatMap(({ cites }) => cites)) {
      expect(citeHolds(cite, texts)).toBe(true);
      expect(cite.page).toBeGreaterThanOrEqual(pages?.from ?? 13);
      expect(cite.page).toBeLessThanOrEqual(pages?.to ?? 0);
    }
  const joined = buildReport(document, { ...facts, begins: [1] });
  expect([joined.parts, joined.split]).toEqual([undefined, 'corrected']);
  expect(joined.fields.length).toBeGreaterThan(0);
});
