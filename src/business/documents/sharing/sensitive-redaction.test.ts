import { expect, test } from 'vitest';
import type { Block, Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { citeHolds } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { buildReport } from '../../../../packages/document-reader/src/report/report-building.ts';
import type { SharedReport } from './report-share.contract.ts';
import { canRedact, redactShared } from './sensitive-redaction.server.ts';

const TEXTS = [
  'Statement of treatment for Ms Ada Lind, and what it cost. Ms Lind suffers from severe migraine since the accident at the works.',
  'Date of birth: 3 May 1980. Please refund the sum of £120.00 to the account DE89 3704 0044 0532 0130 00 before the end of the month.',
  'The account DE89370400440532013000 belongs to her alone. She was born on 3 May 1980 and lives in Leeds with her sister and two dogs.',
];

function shared(texts: readonly string[] = TEXTS): SharedReport {
  const blocks = texts.map((text, index): Block => ({ id: `b${index}`, type: 'para', text }));
  const report = buildReport(
    { title: undefined, pages: undefined, blocks, rows: [], pagesRead: 0, pagesSkipped: [], warnings: [] },
    { fileName: 'DE89370400440532013000.txt', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' },
  );
  const extra: Field = {
    ...{ key: 'extra:note', label: 'note', value: 'pay DE89 3704 0044 0532 0130 00', type: 'text' },
    ...{ confidence: 0.7, source: 'external', cites: [] },
  } as Field;
  const correction = { key: 'iban', original: 'DE89 3704 0044 0532 0130 00', value: 'GB29' };
  return {
    file_name: 'DE89370400440532013000.txt',
    expires_at: '2026-04-10T09:00:00.000Z',
    without_sensitive: true,
    with_scan: false,
    report: { ...report, fields: [...report.fields, extra] },
    blocks,
    corrections: [{ ...correction, normalized: null, corrected_at: '2026-03-10T09:00:00.000Z' }],
  };
}

test('a report without its sensitive data has none of it in any part, and all other quotes keep their places', async () => {
  const before = shared();
  expect(before.report.pii?.map(({ class: name, count }) => [name, count])).toEqual([
    ['iban', 2],
    ['birth_date', 2],
    ['health', 1],
  ]);
  const after = await redactShared(before);
  const all = JSON.stringify(after);
  for (const secret of ['0532 0130', '05320130', '3 May 1980', '1980-05-03', 'migraine', 'GB29'])
    expect([secret, all.includes(secret)]).toEqual([secret, false]);
  expect(after.corrections).toEqual([]);
  expect(after.report.pii).toEqual([
    { class: 'iban', count: 2, cites: [] },
    { class: 'birth_date', count: 2, cites: [] },
    { class: 'health', count: 1, cites: [] },
  ]);
  const texts = new Map(after.blocks.map(({ id, text }) => [id, text]));
  expect(after.blocks.map(({ text }) => text.length)).toEqual(TEXTS.map(({ length }) => length));
  expect(texts.get('b1')).toContain('Please refund the sum of £120.00 to the account ███');
  const cites = [...after.report.summary.points, ...after.report.fields].flatMap((part) => part.cites);
  expect(cites.every((cite) => citeHolds(cite, texts))).toBe(true);
});

test('special characters in sensitive data have no special meaning: a date with dashes, a sentence with brackets', async () => {
  const text =
    'Date of birth: 1980-05-03 (as on file).\nDiagnosis: asthma (mild/seasonal) - see [1] for the rest.';
  const before = shared([text, 'Her card again says 1980-05-03, and nobody asked.']);
  expect(before.report.pii?.map(({ class: name }) => name)).toEqual(['birth_date', 'health']);
  const after = JSON.stringify((await redactShared(before)).blocks);
  expect(after).not.toContain('1980');
  expect(after).not.toContain('asthma');
  expect(after).toContain('Her card again says ██████████, and nobody asked.');
});

test('sensitive data cannot be left out if some of it is not marked: an old report, and one with too many places', () => {
  const { report } = shared();
  expect(canRedact(report)).toBe(true);
  expect(canRedact({ ...report, pii: undefined })).toBe(false);
  expect(canRedact({ pii: [{ class: 'card', count: 201, cites: [] }] })).toBe(false);
  expect(canRedact({ pii: [] })).toBe(true);
});
