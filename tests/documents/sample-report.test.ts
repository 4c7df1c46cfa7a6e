import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  brokenCites,
  type Read,
} from '../../packages/document-reader/src/samples/document-reader.fixture.ts';
import { readSample, SAMPLE_REPORT_FILE } from '../../scripts/docs/sample-report.ts';
import { SAMPLE, SAMPLE_FACTS } from '../../src/business/documents/sharing/sample-report.contract.ts';
import { claims } from '../support/claims.ts';

test('the sample report is what the reader makes of the sample document today, and each of its quotes is in it', async () => {
  claims(
    'The document is made up; the report is what our program made of it, unchanged.',
    'This is a sample.',
    'The sample report is a whole one, made from a sample document by the same program that reads yours.',
    'Open the sample report: every fact in it leads to its place in the document.',
    'What the document is, who is in it, the dates and the money: each with the words that it comes from.',
    'Each quote was compared with the text.',
    'Every quote was checked against the document’s text.',
    'Page …: ….',
    'Every answer can be traced to the page, the call or the rule that it came from.',
    'Reports are made by software and name the place in the document that each fact comes from, so that you can check it.',
  );
  const kept = readFileSync(SAMPLE_REPORT_FILE, 'utf8');
  expect(kept, 'write it with `node scripts/docs/sample-report.ts`').toBe(await readSample());
  expect(brokenCites(JSON.parse(kept) as Read)).toBe(0);
  const { fields, document } = (JSON.parse(kept) as Read).report;
  expect(fields.map(({ label, value, cites }) => ({ label, value, page: cites[0]?.page }))).toEqual(
    expect.arrayContaining([...SAMPLE_FACTS]),
  );
  expect(document).toMatchObject({ title: 'Assured shorthold tenancy agreement', pages: 2 });
  const served = path.join(path.dirname(SAMPLE_REPORT_FILE), path.basename(SAMPLE.file));
  expect(readFileSync(served).equals(readFileSync(path.join(import.meta.dirname, SAMPLE.fileName)))).toBe(
    true,
  );
});
