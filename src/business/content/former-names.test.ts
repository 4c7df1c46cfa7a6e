import { expect, test } from 'vitest';
import { findFormerNames } from './former-names.server.ts';

const former = ['Northline', 'Kestrel', 'Harbour & Söhne'];

test('every text with a former name is found with its place and the words around it', () => {
  const { found } = findFormerNames(
    {
      brand: { name: 'Quay', contactEmail: 'a@northline.example', socialUrl: 'https://x.example' },
      texts: { 'hero.heading': 'Welcome to Northline!', 'foot.line': 'Norths and lines' },
      services: [{ name: 'KESTREL Phones', text: 'Answers.', picture: 'none' }],
      pages: { about: 'We are {brand}.\n\nFormerly Harbour & Söhne.' },
    },
    { name: 'Quay', former, texts: [{ place: 'Assistant Front office', words: 'Hello from northline.' }] },
  );
  expect(found).toEqual([
    { place: 'texts, hero.heading', name: 'Northline', words: 'Welcome to Northline!' },
    { place: 'services, 1, name', name: 'Kestrel', words: 'KESTREL Phones' },
    { place: 'pages, about', name: 'Harbour & Söhne', words: 'We are {brand}. Formerly Harbour & Söhne.' },
    { place: 'Assistant Front office', name: 'Northline', words: 'Hello from northline.' },
  ]);
});

test('a former name that is a part of the new one is not found in it', () => {
  const texts = [{ place: 'Assistant', words: 'Kestrel Law, at your service' }];
  expect(findFormerNames({}, { name: 'Kestrel Law', former, texts }).found).toEqual([]);
});
