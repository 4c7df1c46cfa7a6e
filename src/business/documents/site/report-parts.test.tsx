import type { ReportPart } from '@northline/document-reader/report.contract';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ReportParts } from './report-parts.web.tsx';

const cite = { block: 'b4', page: 2, quote: '£12.00', start: 0, end: 6 };
const bill: ReportPart = {
  name: 'Pages 2 to 3',
  pages: { from: 2, to: 3 },
  unsure: true,
  document: { title: 'Invoice 7', kind: 'invoice', kindConfidence: 0.9, language: 'en', words: 40 },
  short: 'Invoice 7: £12.00.',
  attention: [{ code: 'payment_due', severity: 'warn', text: '£12.00 is due on 3 May 2026.', cites: [cite] }],
  fields: [
    {
      ...{ key: 'total', label: 'Total', value: '£12.00', normalized: '12.00', type: 'money' },
      ...{ confidence: 0.9, source: 'text', cites: [cite] },
    },
  ],
};
const locked: ReportPart = {
  name: 'offer.pdf',
  reason: 'This PDF is locked with a password.',
  short: '',
  attention: [],
  fields: [],
};

test('each document of a file is shown with its kind, sentence, warnings and facts, or why it was not read', () => {
  const page = renderToStaticMarkup(createElement(ReportParts, { parts: [bill, locked] }));
  const text = page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  for (const words of [
    'Documents in this file 2',
    'One upload takes one credit, however many documents are in the file.',
    'Pages 2 to 3 · Invoice · It is not certain that a document begins here.',
    'Invoice 7: £12.00.',
    '£12.00 is due on 3 May 2026. p. 2',
    'Total £12.00 p. 2',
    'offer.pdf This PDF is locked with a password.',
  ])
    expect(text).toContain(words);
  expect(renderToStaticMarkup(createElement(ReportParts, { parts: undefined }))).toBe('');
});
