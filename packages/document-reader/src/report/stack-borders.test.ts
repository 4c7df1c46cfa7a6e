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
import { makeAccountStatement, postPapers, STATEMENT_FORMS } from './post-papers.fixture.ts';
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

/** Takes one paper out of a heap. */
const taken = (left: Buffer[], random: () => number): Buffer =>
  left.splice(Math.floor(random() * left.length), 1)[0] ?? bill;

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
    const { file, begins } = await makeStack(
      Array.from({ length: 2 + Math.floor(random() * 5) }, () => taken(left, random)),
    );
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
  const statement = { form: 'bare', language: 'en', account: '33128841', month: 3, pages: 2 } as const;
  const wordsAbout = async (papers: readonly Buffer[]): Promise<string[]> => {
    const { file } = await makeStack(papers);
    const report = buildReport(await read(file), {
      fileName: 'post.pdf',
      sha256: '',
      createdAt: '2026-03-10T09:00:00.000Z',
    });
    return report.attention.map(({ text }) => text);
  };
  expect(await wordsAbout([officePdf(unclear), newsletter])).toContain(
    'It is not certain that a document begins on page 2: look at the pages.',
  );
  expect(await wordsAbout([newsletter, makeAccountStatement(statement)])).toContain(
    'Nothing says whether page 2 belongs to the paper before: check that.',
  );
});

test('the post of a day is split before each of its papers, and no page of a statement becomes a document', async () => {
  const { file, begins } = await makePost();
  const stack = findStack((await read(file)).rows, []);
  expect(stack.map(({ from, doubtful }) => [from, doubtful])).toEqual(begins.map((from) => [from, []]));
});

test('letters, statements, contracts and bills of several pages, in English and German, are split in stacks, and none is mixed without a word', async () => {
  const random = seeded(23);
  const papers = postPapers();
  let [borders, found] = [0, 0];
  const faults: string[] = [];
  for (let number = 0; number < STACKS; number += 1) {
    const left = [...papers];
    const { file, begins } = await makeStack(
      Array.from({ length: 2 + Math.floor(random() * 5) }, () => taken(left, random)),
    );
    const parts = findStack((await read(file)).rows, []);
    const split = parts.map(({ from }) => from);
    const doubtful = parts.flatMap((part) => part.doubtful);
    borders += begins.length - 1;
    found += begins.filter((page) => page > 1 && split.includes(page)).length;
    faults.push(
      ...split
        .filter((page) => !begins.includes(page))
        .map((page) => `stack ${number}: no paper begins on ${page}`),
      ...begins
        .filter((page) => !split.includes(page) && !doubtful.includes(page))
        .map((page) => `stack ${number}: nothing is said about ${page}`),
    );
  }
  expect(faults).toEqual([]);
  expect(found / borders).toBeGreaterThanOrEqual(0.95);
});

for (const form of STATEMENT_FORMS)
  test(`a statement whose pages are ${form} is one document, and the next month and another account are documents of their own`, async () => {
    for (const language of ['en', 'de'] as const) {
      const statement = { language, form, account: '33128841', month: 3, pages: 4 };
      const one = findStack((await read(makeAccountStatement(statement))).rows, []);
      expect(one.map(({ from, to }) => [from, to])).toEqual([[1, 4]]);
      // Of movements alone nobody can say whose they are.
      for (const next of form === 'bare' ? [] : [{ month: 4 }, { account: '33120077' }]) {
        const { file } = await makeStack([statement, { ...statement, ...next }].map(makeAccountStatement));
        expect(findStack((await read(file)).rows, []).map(({ from }) => from)).toEqual([1, 5]);
      }
    }
  });

test('a statement without a head that follows a bill, a letter or a newsletter is not joined without a word', async () => {
  const statement = { form: 'bare', account: '33128841', month: 3, pages: 3 } as const;
  for (const before of [bill, newsletter])
    for (const language of ['en', 'de'] as const) {
      const { file } = await makeStack([before, makeAccountStatement({ ...statement, language })]);
      const stack = findStack((await read(file)).rows, []);
      expect(stack.flatMap(({ from, doubtful }) => [from, ...doubtful])).toEqual([1, 2]);
    }
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
