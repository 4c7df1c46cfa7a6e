import { inflateSync } from 'node:zlib';
import { PDFDocument, PDFRawStream } from 'pdf-lib';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { expect, test } from 'vitest';
import type {
  Obligation,
  Report,
} from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { readFileContent } from '../../../../packages/document-reader/src/formats/file-content.ts';
import { createOcrSession } from '../../../../packages/document-reader/src/ocr/ocr-session.ts';
import { buildReport } from '../../../../packages/document-reader/src/report/report-building.ts';
import { makeDocuments } from '../../../../packages/document-reader/src/samples/make-documents.fixture.ts';
import { PublishedSite } from '../../../kernel/contract/site-content.ts';
import type { Agency } from '../../../kernel/resources/resources.ts';
import { factsOf } from '../corrections/fact-correction.contract.ts';
import { writeReportPdf } from './pdf-writing.server.ts';

async function leaseReport(): Promise<Report> {
  const document = await readFileContent(
    makeDocuments()['tenancy-agreement.pdf'] ?? Buffer.alloc(0),
    createOcrSession(0, () => {}),
  );
  return buildReport(document, { fileName: 'lease.pdf', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' });
}

/** A run of text on a page: points, y upwards. */
interface Run {
  readonly page: number;
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
}

async function runsOf(bytes: Buffer): Promise<Run[]> {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const runs: Run[] = [];
  for (let page = 1; page <= pdf.numPages; page += 1)
    for (const item of (await (await pdf.getPage(page)).getTextContent()).items)
      if ('str' in item && item.str.trim() !== '') {
        const [, , , , x = 0, y = 0] = item.transform as number[];
        runs.push({ page, text: item.str, x, right: x + item.width, y });
      }
  return runs;
}

const obligations: Obligation[] = Array.from({ length: 40 }, (_, at) => ({
  kind: 'duty',
  party: at === 3 ? 'The tenant of the flat on the second floor and the guarantor' : 'Tenant',
  text: `Duty ${at}: ${'keep the property clean and in good repair '.repeat(1 + (at % 4))}`,
  cites: [],
})) as Obligation[];

const agencyOf = (BRAND: string): Agency => ({
  settings: { BRAND, CONTACT_EMAIL: '' },
  site: new PublishedSite(),
});

test('the PDF of a report has name, mark and page numbers, the corrected values and the obligations', async () => {
  const report = await leaseReport();
  const [first] = report.fields;
  const correction = {
    key: first?.key ?? '',
    original: first?.value ?? '',
    value: 'Somebody Else',
    normalized: null,
  };
  const facts = factsOf(report.fields, [{ ...correction, corrected_at: '2026-03-11T09:00:00.000Z' }]);
  const pdf = await writeReportPdf({ ...report, obligations }, facts, {
    fileName: 'lease.pdf',
    agency: agencyOf('Harbour & Finch'),
  });
  const runs = await runsOf(pdf);
  const text = runs.map((run) => run.text).join(' ');
  expect(text).toContain(`Somebody Else (corrected; read as ${correction.original})`);
  for (const { text: duty } of obligations)
    expect(text.replace(/\s+/g, ' ')).toContain(duty.trim().slice(0, 20));
  const pages = Math.max(...runs.map(({ page }) => page));
  expect(pages).toBeGreaterThan(2);
  for (let page = 1; page <= pages; page += 1) {
    expect(text).toContain(`Page ${page} of ${pages}`);
    expect(runs.filter((run) => run.page === page && run.text === 'Harbour & Finch')).toHaveLength(
      page === 1 ? 2 : 1,
    );
  }
  const [content] = (await PDFDocument.load(pdf)).context
    .enumerateIndirectObjects()
    .flatMap(([, object]) =>
      object instanceof PDFRawStream ? [inflateSync(object.contents).toString('latin1')] : [],
    )
    .filter((stream) => stream.includes('Tj'));
  // The mark: a line with round ends, and a circle of curves.
  expect(content).toMatch(/1 J[\s\S]* c\n/);
});

test('names with letters that the typeface lacks cost nobody the PDF', async () => {
  const report = await leaseReport();
  const written = async (fileName: string) =>
    (await runsOf(await writeReportPdf(report, [], { fileName, agency: agencyOf('Łódź & Çağla 🦊') })))
      .map(({ text }) => text)
      .join(' ');
  expect(await written('Umowa nájmu 🦊 חוזה.pdf')).toContain('Umowa nájmu .pdf · analysed on 10 March 2026');
  const text = await written('חוזה.pdf');
  expect(text).not.toContain('.pdf');
  expect(text).toContain('Lódz & Çagla');
  // A word of the report is never changed.
  const foreign = { ...report, summary: { ...report.summary, short: 'חוזה' } };
  await expect(
    writeReportPdf(foreign, [], { fileName: 'a.pdf', agency: agencyOf('B') }),
  ).rejects.toMatchObject({
    code: 'letters_missing',
  });
});

test("an agency's own logo stands in place of the mark, alone where the name is in it", async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAkAAAAJCAYAAADgkQYQAAAAEElEQVR4nGNkIAKMKiJOEQAHzgAK/ceJSQAAAABJRU5ErkJggg==';
  const agency = agencyOf('Harbour');
  agency.site.drawnLogo = Buffer.from(png, 'base64');
  const report = await leaseReport();
  const writtenWith = async (width: number) => {
    agency.site.install({ content: { logo: { type: 'png', data: png, width, height: 9 } } });
    const pdf = await writeReportPdf(report, factsOf(report.fields, []), {
      fileName: 'l.pdf',
      agency,
    });
    const { context } = await PDFDocument.load(pdf);
    const pictures = context
      .enumerateIndirectObjects()
      .filter(
        ([, object]) => object instanceof PDFRawStream && String(object.dict).includes('/Subtype /Image'),
      );
    return {
      pictures: pictures.length,
      names: (await runsOf(pdf)).filter(({ text, page }) => text === 'Harbour' && page === 1).length,
    };
  };
  const beside = await writtenWith(9);
  // The picture and its transparency.
  expect(beside.pictures).toBe(2);
  // At the head and at the foot.
  expect(beside.names).toBe(2);
  const alone = await writtenWith(90);
  expect(alone.pictures).toBe(2);
  expect(alone.names).toBe(1);
});

test('no label runs into its value, and pages are filled', async () => {
  const report = await leaseReport();
  const pdf = await writeReportPdf({ ...report, obligations }, factsOf(report.fields, []), {
    fileName: 'l.pdf',
    agency: agencyOf('B'),
  });
  const runs = await runsOf(pdf);
  const values = runs.filter(({ x }) => Math.abs(x - 200) < 0.1);
  const labels = runs.filter(({ x, page }) => Math.abs(x - 56) < 0.1 && page > 1);
  for (const label of labels)
    for (const value of values)
      if (label.page === value.page && Math.abs(label.y - value.y) < 2)
        expect(label.right).toBeLessThan(value.x);
  const lowest = Map.groupBy(
    runs.filter(({ y }) => y > 40),
    ({ page }) => page,
  );
  const last = Math.max(...lowest.keys());
  for (const [page, own] of lowest)
    if (page < last) expect(Math.min(...own.map(({ y }) => y))).toBeLessThan(160);
});
