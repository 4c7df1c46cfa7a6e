import { expect, test } from 'vitest';
import { checkCites } from './cite-check.ts';
import type { Block, Cite, Report } from './report.contract.ts';

const blocks: Block[] = [{ id: 'b1', type: 'para', text: 'Rent is £900.00 a month.' }];
const holds: Cite = { block: 'b1', quote: '£900.00', start: 8, end: 15 };
const invented: Cite = { block: 'b1', quote: '£950.00', start: 8, end: 15 };
const ofAnotherFile: Cite = { ...holds, block: 'b9' };
const all = [holds, invented, ofAnotherFile];
const field = {
  key: 'rent',
  label: 'Rent',
  value: '£900.00',
  type: 'money',
  confidence: 1,
  source: 'external',
} as const;

const report: Report = {
  schema: 'report/1',
  createdAt: '2026-03-10T09:00:00.000Z',
  engine: { name: 'external', version: '7' },
  status: 'complete',
  document: {
    ...{ title: 'Lease', kind: 'lease', kindConfidence: 1, language: 'en', pages: null, words: 5 },
    ...{ readingMinutes: 1, sha256: '' },
  },
  summary: {
    short: 'A lease.',
    points: [
      { text: 'True.', cites: [holds], verified: true },
      { text: 'Half of it.', cites: all, verified: true },
      { text: 'Without a place.', cites: [], verified: true },
    ],
  },
  attention: [{ code: 'x', severity: 'info', text: 'Look.', cites: all }],
  fields: [{ ...field, cites: all }],
  items: { source: 'text', sum: '900.00', rows: [{ text: 'Rent', amount: '900.00', cites: all }] },
  tables: [{ header: [], rows: [['1']], summed: [], leftOut: 0, cites: all }],
  obligations: [{ kind: 'duty', text: 'Pay.', cites: all }],
  pii: [{ class: 'iban', count: 1, cites: all }],
  outline: all.map((cite) => ({ level: 1, text: 'Rent', cite })),
  phrases: [],
  coverage: { pagesRead: 1, pagesSkipped: [] },
  warnings: [],
  timings: {},
};

test('attack 39: quotes that do not stand in this very file are taken out of every part of a report', () => {
  const checked = checkCites(report, blocks);
  const { items, tables = [], obligations = [], pii = [] } = checked;
  const parts = [checked.attention, checked.fields, items?.rows ?? [], tables, obligations, pii];
  expect(parts.map((part) => part.map(({ cites }) => cites))).toEqual(parts.map(() => [[holds]]));
  expect(checked.outline.map(({ cite }) => cite)).toEqual([holds]);
});

test('a claim is verified only while it has places and each of them holds', () => {
  expect(checkCites(report, blocks).summary.points.map(({ verified }) => verified)).toEqual([
    true,
    false,
    false,
  ]);
});

test('the check adds no parts that a report does not have', () => {
  const { items, tables, obligations, pii, ...plain } = report;
  expect(Object.keys(checkCites(plain, blocks)).sort()).toEqual(Object.keys(plain).sort());
});
