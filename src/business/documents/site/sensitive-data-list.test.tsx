import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SensitiveDataList } from './sensitive-data-list.web.tsx';

test('the page masks sensitive data until the reader asks for it, also for a screen reader', () => {
  const cite = { block: 'b1', page: 1, quote: 'DE89 3704 0044 0532 0130 00', start: 0, end: 27 };
  const page = renderToStaticMarkup(
    createElement(SensitiveDataList, { pii: [{ class: 'iban', count: 1, cites: [cite] }] }),
  );
  expect(page).toContain('Bank accounts (IBAN)');
  expect(page).toContain('•••• 00');
  expect(page).toContain('Show it');
  expect(page).not.toContain('0532');
  const left = renderToStaticMarkup(
    createElement(SensitiveDataList, { pii: [{ class: 'health', count: 2, cites: [] }] }),
  );
  expect(left).toContain('The person who shared this left it out.');
  expect(renderToStaticMarkup(createElement(SensitiveDataList, { pii: [] }))).toBe('');
});
