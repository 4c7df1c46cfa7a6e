import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Items } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { ItemsTable } from './items-table.web.tsx';

const items: Items = {
  source: 'text',
  rows: [
    {
      text: 'Desk <lamp>',
      quantity: '3',
      unit: 'pcs',
      price: '40.00',
      taxRate: '20',
      amount: '120.00',
      cites: [],
    },
    {
      ...{ text: 'Cable set', amount: '21.00' },
      cites: [{ block: 'b1', page: 2, quote: '21.00', start: 10, end: 15 }],
    },
  ],
  sum: '141.00',
};

const shown = (more: Partial<Items>): string =>
  renderToStaticMarkup(createElement(ItemsTable, { items: { ...items, ...more } }));

test('the page shows the items as a table with their places, and names their sum only if it is one of the document’s', () => {
  claims('A summary, its line items as a table, and what of it is sensitive.');
  const page = shown({});
  expect(page).toContain('Desk &lt;lamp&gt;</th><td class="num" data-label="Quantity">3 pcs</td>');
  expect(page).toContain('20%');
  expect(page).toContain('p. 2: show “21.00” in the document');
  expect(page).toContain('>141.00</td>');
  expect(page.replace(/<button.*?<\/button>/g, '')).not.toMatch(/document/);
  expect(shown({ sumIs: 'net_total' })).toContain('It is the net total of the document.');
  expect(shown({ sumIs: 'total' })).toContain('It is the total of the document.');
  expect(shown({ sumIs: 'subtotal' })).toContain('The document prints this sum.');
  expect(shown({ source: 'xml' })).toContain('From the e-invoice data inside the file.');
});
