import { expect, test } from 'vitest';
import { childElements, descendants, readXml, textContent, XmlError } from './xml-reader.ts';

const LIMITS = { maxBytes: 100_000 };

function refusal(text: string, limits: Parameters<typeof readXml>[1] = LIMITS): string {
  try {
    readXml(text, limits);
  } catch (error) {
    expect(error).toBeInstanceOf(XmlError);
    return (error as Error).message;
  }
  throw new Error(`accepted: ${text.slice(0, 200)}`);
}

test('elements, attributes and text come in document order, with any prefix', () => {
  const root = readXml(
    `\uFEFF<?xml version="1.0"?><!-- note --><a:root xmlns:a="urn:a" xml:lang="de">one<b x=' &amp;1 '/>two<a:b>&#x41;&#66;</a:b></a:root>`,
    LIMITS,
  );
  expect(root.name).toBe('root');
  expect(root.attributes.get('lang')).toBe('de');
  expect(root.children.map((child) => (typeof child === 'string' ? child : child.name))).toEqual([
    'one',
    'b',
    'two',
    'b',
  ]);
  const [first, second] = childElements(root, 'b');
  expect(first?.attributes.get('x')).toBe(' &1 ');
  expect(textContent(second)).toBe('AB');
  expect(textContent(root)).toBe('onetwoAB');
});

test('text stays text: no numbers, no trimming, CDATA unchanged', () => {
  const root = readXml('<r><v> 007 </v><v>true</v><v><![CDATA[<p>&amp;</p>]]></v><v>a&#13;b</v></r>', LIMITS);
  expect(descendants(root, 'v').map(textContent)).toEqual([' 007 ', 'true', '<p>&amp;</p>', 'a\rb']);
});

test('names of HTML are decoded only when requested', () => {
  expect(textContent(readXml('<r>a&nbsp;b</r>', LIMITS))).toBe('a&nbsp;b');
  expect(textContent(readXml('<r>a&nbsp;b&lt;</r>', { ...LIMITS, htmlEntities: true }))).toBe('a\u00a0b<');
});

test('a document type is refused unless allowed, and its entities always', () => {
  const plain = '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://example.com/rss.dtd"><r>a</r>';
  expect(refusal(plain)).toBe('the document has a document type');
  const accepting = { ...LIMITS, documentType: true };
  expect(textContent(readXml(plain, accepting))).toBe('a');
  for (const declared of [
    '<!ENTITY a "aaaa">',
    '<!ENTITY a SYSTEM "file:///etc/passwd">',
    '<!ENTITY % a SYSTEM "http://example.com/a.dtd"> %a;',
  ]) {
    refusal(`<!DOCTYPE r [${declared}]><r>&a;</r>`);
    refusal(`<!DOCTYPE r [${declared}]><r>&a;</r>`, accepting);
    refusal(`<r><!DOCTYPE r [${declared}]>&a;</r>`, accepting);
    refusal(`<?x <!-- ?><!DOCTYPE r [${declared}]><r b="-->">&a;</r>`, accepting);
  }
});

test('an entity that refers to another one is never expanded', () => {
  const text = '<!DOCTYPE r [<!ENTITY a "&b;&b;">]><r>&a;</r>';
  refusal(text);
  const read = (): string => textContent(readXml(text, { ...LIMITS, documentType: true }));
  expect(read()).toBe('&a;');
});

test('size, depth and form have limits', () => {
  expect(refusal(`<r>${'ä'.repeat(60_000)}</r>`)).toBe('the document is too large');
  refusal('<a>'.repeat(70) + '</a>'.repeat(70));
  expect(readXml('<a>'.repeat(60) + '</a>'.repeat(60), LIMITS).name).toBe('a');
  for (const text of [
    '',
    'no xml',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a b=c/>',
    '{"a": 1}',
    '<html><br></html>',
  ]) {
    refusal(text);
  }
});

test('names that JavaScript reserves do not change any object', () => {
  refusal('<r><__proto__>x</__proto__></r>');
  const root = readXml('<r><valueOf toString="1"/></r>', LIMITS);
  expect(root.children).toHaveLength(1);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});
