import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Fact } from '../corrections/fact-correction.contract.ts';
import { KeyFacts } from '../corrections/key-facts.web.tsx';
import { SensitiveMask } from '../viewer/sensitive-mask.web.tsx';
import { SensitiveDataList } from './sensitive-data-list.web.tsx';

test('the page masks sensitive data until the reader asks for it, also for a screen reader', () => {
  const cite = { block: 'b1', page: 1, quote: 'DE89 3704 0044 0532 0130 00', start: 0, end: 27 };
  const pii = [{ class: 'iban' as const, count: 1, cites: [cite] }];
  const fact = { key: 'iban', label: 'IBAN', type: 'text', value: cite.quote, confidence: 0.9, source: 'text', cites: [cite] } as unknown as Fact;
  const page = renderToStaticMarkup(
    <SensitiveMask pii={pii}>
      <KeyFacts facts={[fact]} fileId="f1" />
      <SensitiveDataList pii={pii} />
    </SensitiveMask>,
  );
  expect(page).toContain('Bank accounts (IBAN)');
  expect(page).toContain('•••• 00');
  // In the key facts as well, where the value stood in full.
  expect(page.match(/•••• 00/g)?.length).toBeGreaterThanOrEqual(4);
  expect(page).toContain('Show it');
  expect(page).not.toContain('0532');
  const left = renderToStaticMarkup(
    createElement(SensitiveDataList, { pii: [{ class: 'health', count: 2, cites: [] }] }),
  );
  expect(left).toContain('The person who shared this left it out.');
  expect(renderToStaticMarkup(createElement(SensitiveDataList, { pii: [] }))).toBe('');
});
