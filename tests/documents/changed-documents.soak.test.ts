import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  brokenCites,
  readDocument,
} from '../../packages/document-reader/src/samples/document-reader.fixture.ts';
import { makeDocuments } from '../../packages/document-reader/src/samples/make-documents.fixture.ts';
import { makeInvoice } from '../../packages/document-reader/src/samples/make-invoices.fixture.ts';
import { writeOldWord } from '../../packages/document-reader/src/samples/write-old-word.fixture.ts';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';

const CORPUS = path.join(PROJECT_ROOT, '..', 'shared', 'corpus', 'documents');
const LARGEST = 2 * 1024 * 1024;
/** Milliseconds for as many as fit: a reader takes most of a second to start. */
const MS = 45_000;

const documents: Buffer[] = [
  ...Object.values(makeDocuments()),
  makeInvoice(7, 'de').pdf,
  writeOldWord(['Service agreement', 'The supplier repairs the lift within two days of a call.']),
  ...(existsSync(CORPUS)
    ? globSync('*.{pdf,doc,docx,odt,rtf,txt}', { cwd: CORPUS })
        .map((name) => path.join(CORPUS, name))
        .filter((file) => statSync(file).size <= LARGEST)
        .map((file) => readFileSync(file))
    : []),
];

test('for any changed document, the reader’s process ends with a report whose quotes are in it, or with a sentence', async () => {
  const change = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat({ max: 255 }),
    fc.nat({ max: 400 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: documents.length - 1 }),
      fc.array(change, { minLength: 1, maxLength: 12 }),
      async (which, changes) => {
        let bytes = Buffer.from(documents[which] ?? '');
        for (const [share, value, cut] of changes) {
          const at = Math.floor(share * (bytes.length - 1));
          if (cut > 300) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + cut)]);
          else bytes[at] = value;
        }
        const reply = await readDocument('changed', bytes, { ocrPages: 0 });
        if (reply.outcome === 'read') expect(brokenCites(reply)).toBe(0);
        else expect(reply.sentence).toMatch(/^\p{Lu}.{20,}[.]$/u);
      },
    ),
    { numRuns: 2000, interruptAfterTimeLimit: MS },
  );
});
