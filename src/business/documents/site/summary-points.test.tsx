import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Report } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { Summary } from './report-head.web.tsx';

const RENT = 'The Tenant shall pay the rent on the first day of each month.';
const point = (text: string, quote: string) => ({
  text,
  verified: true,
  cites: [{ block: 'b1', page: 1, quote, start: 0, end: quote.length }],
});

test('sentences of the document are marked as quotes in the summary, and a model’s words are not', () => {
  const points = [
    point(RENT, RENT.replace('the rent on', 'the rent\non')),
    point('Rent is due monthly.', RENT),
  ];
  const report = { summary: { short: 'A tenancy.', points } } as unknown as Report;
  const page = renderToStaticMarkup(createElement(Summary, { report }));
  expect(page).toContain(`<q>${RENT}</q>`);
  expect(page).toContain('<li>Rent is due monthly.');
});
