import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { ObligationsList } from './obligations-list.web.tsx';

test('the page lists the duties of each party, those with a day first, and says what it does not list', () => {
  claims('Who has to do what, and by when.');
  const page = renderToStaticMarkup(
    createElement(ObligationsList, {
      obligations: [
        { kind: 'duty', party: 'Tenant', text: 'The Tenant shall keep <it> clean.', cites: [] },
        {
          kind: 'duty',
          party: 'Supplier',
          text: 'It shall deliver by 30 June 2026.',
          deadline: '2026-06-30',
          cites: [],
        },
      ],
    }),
  );
  expect(page.indexOf('Supplier')).toBeLessThan(page.indexOf('Tenant'));
  expect(page).toContain('By 30 June 2026.');
  expect(page).toContain('keep &lt;it&gt; clean.');
  expect(page).toContain('Sentences that bind a party, word for word. Duties in other words are not listed.');
  expect(renderToStaticMarkup(createElement(ObligationsList, { obligations: undefined }))).toBe('');
});
