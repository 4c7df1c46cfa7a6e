import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { brokenCites } from '../samples/document-reader.fixture.ts';
import { makeDocuments } from '../samples/make-documents.fixture.ts';
import { propertyRuns } from '../samples/property-runs.fixture.ts';
import { type PdfText, writePdf } from '../samples/write-pdf.fixture.ts';
import { writeDocx } from '../samples/write-zip.fixture.ts';
import { readerReplySchema, rowsToStore } from './reader-messages.ts';

/** What is wrong with the report of a document; undefined if it is right, or if the reader refuses the document. */
async function faultOf(content: Buffer): Promise<string | undefined> {
  const document = await readFileContent(
    content,
    createOcrSession(0, () => {}),
  ).catch((error: unknown) => {
    if (error instanceof UnreadableDocument) return undefined;
    throw error;
  });
  if (document === undefined) return undefined;
  const report = buildReport(document, {
    ...{ fileName: 'any.pdf', sha256: '0'.repeat(64), createdAt: '2026-03-10T09:00:00.000Z' },
  });
  const reply = readerReplySchema.safeParse({
    outcome: 'read',
    report,
    blocks: document.blocks,
    rows: rowsToStore(document.rows),
  });
  if (!reply.success) return JSON.stringify(reply.error.issues.slice(0, 3));
  if (reply.data.outcome !== 'read') return 'not read';
  const broken = brokenCites(reply.data);
  return broken === 0 ? undefined : `${broken} quotes are not in the text`;
}

/** Parts of lines: values that the analyser looks for, in many scripts, and unexpected text. */
const part = fc.oneof(
  fc.constantFrom(
    ...[
      'Invoice no: 4471',
      'Rechnung Nr. 12-9 vom 05.03.2018',
      'Total',
      'Net',
      'VAT 20 %',
      'Date',
      'Due date',
    ],
    ...[
      '£1,240.00',
      '1.234,56 €',
      '-3,00',
      '31/12/2026',
      '2026-02-30',
      'GB29 NWBK 6016 1331 9268 19',
      'a@b.example',
    ],
    ...[
      'สัญญาเช่าฉบับนี้ทำขึ้นระหว่าง',
      '契約書は二部作成し、各自一部を保有する。',
      'يبدأ العقد في أول مارس.',
      'खंड एक।',
    ],
    ...[
      'The Tenant shall pay the rent by 3 May 2026.',
      'Harlow Ltd',
      '1. Terms',
      '+44 117 496 0182',
      '$1 $& $`',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(fc.constantFrom('a', '9', 'ส', '字', '.', '-', 'É', '1 ', '=', '😀'), fc.nat({ max: 600 }))
    .map(([sign, count]) => sign.repeat(count)),
  fc.constantFrom('\t', '    ', '  '),
);
const line = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(' '));
const lines = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 7 }), fc.integer({ min: 1, max: 3 }))
  .map(([some, times]) => Array.from({ length: times }, () => some).flat());

const pageOf = (text: readonly string[]): PdfText[] =>
  text.map((words, down) => ({
    ...{ x: 40 + (down % 3) * 150, y: 800 - Math.floor(down / 3) * 14, size: 9 },
    // The PDF writer draws only Latin letters.
    text: words.replace(/[^\x20-\x7e]/g, '').slice(0, 2000),
  }));

const FORMS: readonly ((text: readonly string[]) => Buffer)[] = [
  (text) => Buffer.from(text.join('\n')),
  (text) => Buffer.from(text.join('\n\n')),
  (text) => Buffer.from(`<html><body><p>${text.join('</p><table><tr><td>')}</body></html>`),
  (text) =>
    Buffer.from(
      `From: a@b.example\nTo: c@d.example\nSubject: x\nDate: Mon, 2 Mar 2026 09:00:00 +0000\n\n${text.join('\n')}`,
    ),
  (text) => writePdf([pageOf(text)]),
  // Several pages, which may be several documents.
  (text) => writePdf(text.map((_, page) => pageOf(text.slice(page)))),
  (text) =>
    writeDocx([
      ...text.map((words) => plain(words)),
      { rows: [text.slice(0, 4).map(plain), text.slice(0, 3).map(plain)] },
    ]),
];

/** The words without characters that XML does not allow. */
function plain(words: string): string {
  return words.replace(/[^\x20-\uffff]|[<>&\ud800-\udfff\ufffe\uffff\x7f-\x9f]/g, '');
}

test('the report of any document fits its schema and quotes only the document’s text', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.nat({ max: FORMS.length - 1 }), async (text, form) => {
      expect(await faultOf(FORMS[form]?.(text) ?? Buffer.alloc(0))).toBeUndefined();
    }),
    { numRuns: propertyRuns(16) },
  );
});

test('text without a space, in any script, gives phrases and a report that fit their schema', async () => {
  const thai = 'สัญญาเช่าฉบับนี้ทำขึ้นระหว่างผู้ให้เช่าและผู้เช่าตามเงื่อนไขดังต่อไปนี้'.repeat(8);
  expect(await faultOf(Buffer.from(`${thai}\n\n${thai}\n\n${thai}\n`))).toBeUndefined();
  expect(await faultOf(Buffer.from(`${'x'.repeat(300)} `.repeat(9)))).toBeUndefined();
});

const MADE = Object.values(makeDocuments());

test('a document with changed, missing or added bytes leads to a report or to a sentence', async () => {
  const change = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat({ max: 255 }),
    fc.nat({ max: 40 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: MADE.length - 1 }),
      fc.array(change, { minLength: 1, maxLength: 8 }),
      async (which, changes) => {
        let bytes = Buffer.from(MADE[which] ?? '');
        for (const [share, value, cut] of changes) {
          const at = Math.floor(share * bytes.length);
          if (cut > 30) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + cut)]);
          else bytes[Math.min(at, bytes.length - 1)] = value;
        }
        expect(await faultOf(bytes)).toBeUndefined();
      },
    ),
    { numRuns: propertyRuns(16) },
  );
});
