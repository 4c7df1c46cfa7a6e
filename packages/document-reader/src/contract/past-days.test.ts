import { expect, test } from 'vitest';
import { readOn } from './past-days.contract.ts';
import { type Attention, type Report, reportSchema } from './report.contract.ts';

const warning = (code: string, text: string): Attention => ({ code, severity: 'warn', text, cites: [] });

const REPORT: Report = reportSchema.parse({
  schema: 'report/1',
  createdAt: '2024-03-10T09:00:00.000Z',
  engine: { name: 'local', version: '1' },
  status: 'complete',
  document: {
    ...{ title: 'Lease', kind: 'lease', kindConfidence: 1, language: 'en', pages: 1 },
    ...{ words: 10, readingMinutes: 1, sha256: '' },
  },
  summary: { short: '', points: [] },
  attention: [
    warning('payment_due', '£12.00 is due on 2 April 2024.'),
    warning('payment_due', 'A total that is due on 1 May 2023 is due on 30 April 2024.'),
    warning('ends', 'It ends on 31 March 2027.'),
    // An automation may call anything a date.
    warning('payment_due', 'Payment is due on Michaelmas.'),
    warning('own', 'The rent is due on 2 April 2024.'),
  ],
  fields: [],
  obligations: [
    {
      kind: 'notice_day',
      text: 'Notice for the end on 31 March 2027 has to be given by 31 January 2027, as the period is two months.',
      deadline: '2027-01-31',
      cites: [],
    },
    {
      kind: 'duty',
      party: 'Tenant',
      text: 'It has to be given by 1 May 2024.',
      deadline: '2024-05-01',
      cites: [],
    },
  ],
  parts: [
    {
      name: 'pages 1 to 2',
      short: '',
      attention: [warning('payment_due', '£3.00 is due on 9 April 2024.')],
      fields: [],
    },
  ],
  outline: [],
  phrases: [],
  coverage: { pagesRead: 1, pagesSkipped: [] },
  warnings: [],
  timings: {},
});

const toldOn = (day: string) => {
  const { attention, obligations = [], parts = [] } = readOn(REPORT, day);
  return [...attention, ...obligations, ...parts.flatMap((part) => part.attention)].map(({ text }) => text);
};

test('a sentence about a day that is past says so; on the day itself, and where no day can be read, it stays', () => {
  const written = toldOn('2024-04-02');
  expect(written[0]).toBe('£12.00 is due on 2 April 2024.');
  expect(toldOn('2024-04-03')).toEqual(['£12.00 was due on 2 April 2024.', ...written.slice(1)]);
  expect(toldOn('2027-02-01')).toEqual([
    '£12.00 was due on 2 April 2024.',
    'A total that is due on 1 May 2023 was due on 30 April 2024.',
    'It ends on 31 March 2027.',
    'Payment is due on Michaelmas.',
    'The rent is due on 2 April 2024.',
    'Notice for the end on 31 March 2027 had to be given by 31 January 2027, as the period is two months.',
    'It has to be given by 1 May 2024.',
    '£3.00 was due on 9 April 2024.',
  ]);
  expect(toldOn('2027-04-01')[2]).toBe('It ended on 31 March 2027.');
  expect(REPORT.attention[0]?.text).toBe('£12.00 is due on 2 April 2024.');
});
