import { readXml, textContent } from '@northline/xml/xml-reader';
import { expect, test } from 'vitest';
import { escapeHtml } from '../../contract/html-escape.ts';

test('what was escaped reads back from XML', () => {
  for (const text of [`<&>"'`, ']]>', 'plain', '&amp;', 'ä€😀']) {
    const root = readXml(`<r a="${escapeHtml(text)}">${escapeHtml(text)}</r>`, { maxBytes: 1000 });
    expect([root.attributes.get('a'), textContent(root)]).toEqual([text, text]);
  }
});
