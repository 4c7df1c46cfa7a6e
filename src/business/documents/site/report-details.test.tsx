import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CiteChips } from '../viewer/quote-jump.web.tsx';
import { KeyPhrases } from './report-details.web.tsx';

const wordsOf = (page: string): string => page.replace(/<[^>]+>/g, '');

test('key phrases are what a document comes back to, not its heading or a word of its form', () => {
  const phrases = [
    { text: 'INVOICE', count: 9, cites: [] },
    { text: 'tenant', count: 3, cites: [] },
    { text: 'deposit', count: 7, cites: [] },
    { text: 'notice period', count: 2, cites: [] },
  ];
  expect(wordsOf(renderToStaticMarkup(createElement(KeyPhrases, { phrases })))).toBe(
    'Key phrasesdeposit 7×notice period 2×',
  );
  expect(renderToStaticMarkup(createElement(KeyPhrases, { phrases: phrases.slice(0, 2) }))).toBe('');
});

test('two places of a value are two words, also for copying and screen readers', () => {
  const cites = [0, 40].map((start) => ({ block: 'b1', page: 1, quote: '£12.00', start, end: start + 6 }));
  expect(wordsOf(renderToStaticMarkup(createElement(CiteChips, { cites })))).toBe('p. 1 p. 1');
});
