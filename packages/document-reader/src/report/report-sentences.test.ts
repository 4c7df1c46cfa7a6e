import { expect, test } from 'vitest';
import type { ExtractedDocument } from '../contract/extracted-document.ts';
import { citeHolds, type Report, reportSchema } from '../contract/report.contract.ts';
import { textRows } from '../layout/spanned-cells.ts';
import { buildReport } from './report-building.ts';

function reportOf(
  texts: readonly string[],
  more: Partial<ExtractedDocument> = {},
  fileName = 'a.txt',
): Report {
  const blocks = texts.map((text, index) => ({ id: `b${index + 1}`, type: 'para', text }) as const);
  return buildReport(
    {
      ...{ title: undefined, pages: undefined, pagesRead: 0, pagesSkipped: [], warnings: [] },
      ...{ blocks: [...blocks], rows: texts.flatMap((text) => textRows(text)), ...more },
    },
    { fileName, sha256: 'abc', createdAt: '2026-03-10T09:00:00.000Z' },
  );
}

const INVOICE = [
  'Harlow Ltd',
  'Invoice no: 4471\nInvoice date: 3 May 2026\nDue date: 2 June 2026',
  'Net total £100.00\nVAT 20% £20.00\nTotal £120.00',
];

test('the summary of a bill is one sentence: number, sender, day, sum, due date', () => {
  const { document, summary } = reportOf(INVOICE);
  expect(document).toMatchObject({ kind: 'invoice', title: 'Invoice 4471 from Harlow Ltd' });
  expect(summary.short).toBe('Invoice 4471 from Harlow Ltd of 3 May 2026: £120.00 due by 2 June 2026.');
});

test('the summary of a lease has its parties, its time, its rent and its deposit', () => {
  const { document, summary } = reportOf([
    'Tenancy agreement',
    'Landlord: Marian Holt\nTenant: Eleanor Whitcombe\nProperty: 4 Quarry Bank, Leeds',
    'Start date: 1 April 2026\nEnd date: 31 March 2027\nRent: £900.00 per month\nDeposit: £1,000.00',
    'The tenant pays the rent to the landlord on the first day of each month.',
  ]);
  expect(document.kind).toBe('lease');
  expect(summary.short).toMatch(
    /^Lease between Marian Holt and Eleanor Whitcombe from 1 April 2026 to 31 March 2027; rent £900\.00[^,]*, deposit £1,000\.00\.$/,
  );
});

test('the summary of a text without facts has sentences of the text, each with its place', () => {
  const words = ['harbour', 'ferry', 'orchard', 'quarry', 'mill'];
  const texts = words.map(
    (word) =>
      `The ${word} committee decided in January that the old ${word} wall is rebuilt before the summer.`,
  );
  const { summary } = reportOf(texts);
  const blocks = new Map(texts.map((text, index) => [`b${index + 1}`, text]));
  expect(summary.points.length).toBeGreaterThan(0);
  expect(summary.short.startsWith(summary.points[0]?.text ?? '?')).toBe(true);
  expect(summary.points.flatMap(({ cites }) => cites).every((cite) => citeHolds(cite, blocks))).toBe(true);
});

test('a document without a heading has the name of its file, and an empty text has no time to read', () => {
  const { document, summary } = reportOf([], {}, 'rent_review_2026.docx');
  expect(document).toMatchObject({ title: 'rent review 2026', words: 0, readingMinutes: 0, language: null });
  expect(summary).toEqual({ short: 'rent review 2026', points: [] });
  expect(reportOf([], {}, '.txt').document.title).toBe('Document');
});

test('a page that was partly read makes the report partial', () => {
  const page = { page: 1, reader: 'both', turned: 0, skew: 0, confidence: 90, linesSeen: 9 } as const;
  const statusAt = (coverage: number): string =>
    reportOf(INVOICE, { pagesOcr: [{ ...page, linesUnread: 0, coverage }] }).status;
  expect([1, 0.98, 0.97].map(statusAt)).toEqual(['complete', 'complete', 'partial']);
});

test('the report warns of a language whose labels it cannot read', () => {
  const warningsOf = (text: string): string[] =>
    reportOf([text])
      .warnings.filter(({ code }) => code === 'language')
      .map(({ text: told }) => told);
  for (const read of [
    'The council decided in January to rebuild the eastern quay, and the work begins in May.',
    'Der Hafenrat hat im Januar beschlossen, den östlichen Kai neu zu bauen, und die Arbeit beginnt im Mai.',
  ])
    expect(warningsOf(read)).toEqual([]);
  const swedish =
    'Hamnrådet beslutade i januari att bygga om den östra kajen. Arbetet börjar i maj och tar ungefär arton månader. Båtarna som ligger där nu flyttas till den inre bassängen, och det är inte klart hur länge de ska ligga kvar. Den nya kajen är bredare och högre.';
  expect(warningsOf(swedish)).toEqual([
    'Labels are read in English, German, French, Dutch, Spanish and Italian: expect few facts in this language.',
  ]);
});

test('a document without a kind says why, and keeps its day, parties and amounts with a plain label', () => {
  const kindOf = (text: string): string[] =>
    reportOf([text])
      .warnings.filter(({ code }) => code === 'kind')
      .map(({ text: told }) => told);
  expect(kindOf('The council decided in January to rebuild the eastern quay.')).toEqual([
    'The kind was not recognised: this document has no title, labels or phrases of a kind that is known here.',
  ]);
  expect(kindOf('The landlord looked at the quay.')).toEqual([
    'The kind was not recognised: a few words point to lease, but too few to be sure.',
  ]);
  expect(kindOf('Minutes of the parish council\nApologies: none. Any other business.')).toEqual([]);
});

test('a report stays within its schema, however much a document holds', () => {
  const mails = Array.from(
    { length: 300 },
    (_, index) => `Write to person${index}@example.com by 3 May 2026.`,
  );
  const skipped = Array.from({ length: 2500 }, (_, index) => ({ page: index + 1, reason: 'not read' }));
  const report = reportOf(mails, { pages: 2500, pagesSkipped: skipped });
  expect(report.coverage.pagesSkipped).toHaveLength(2000);
  expect(reportSchema.safeParse(report).error).toBeUndefined();
});
