import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fillTemplate, greetedName, greetPerson, readTemplate } from './mail-templates.ts';

const COMMON = { brand: 'Northline', siteUrl: 'https://site.example' };

test('a value is text, whatever it holds, and a subject stays one line', () => {
  const mail = readTemplate('en/changed.md', 'Subject: Now {newAddress}\n\nThe address is {newAddress}.', [
    'newAddress',
  ]);
  const filled = fillTemplate(mail, { ...COMMON, newAddress: '{brand}\n\n[Click](https://evil.example)' });
  expect(filled.subject).toBe('Now {brand} [Click](https://evil.example)');
  expect(filled.parts.map(({ kind }) => kind)).toEqual(['text']);
  expect(JSON.stringify(filled.parts[0])).toContain('{brand}');
});

test('a paragraph with a list is repeated for each entry, and left out for none', () => {
  const text = 'Subject: Files\n\n{words}\n\nReady: {names}, and {more} more.\n\n> [Stop]({siteUrl}/stop)';
  const mail = readTemplate('en/files.md', text, ['words', 'names', 'more']);
  const said = (words: string[], names: string[], more: string[]) =>
    fillTemplate(mail, { ...COMMON, words, names, more }).parts;
  expect(said(['one', 'two'], ['a, b'], ['3'])).toEqual([
    { kind: 'text', text: 'one' },
    { kind: 'text', text: 'two' },
    { kind: 'text', text: 'Ready: a, b, and 3 more.' },
    { kind: 'link', text: 'Stop', href: 'https://site.example/stop' },
  ]);
  expect(said([], [], [])).toHaveLength(1);
});

test.each([
  ['an unknown variable {hrefs}', 'welcome', 'Subject: Hello\n\n[Go]({hrefs})\n\n{href}'],
  ['does not say {href}', 'welcome', 'Subject: Hello'],
  ['lacks its subject', 'welcome', 'Hello from {brand}: {href}'],
  ['lacks its subject', 'sms-code', 'Subject: Your code\n\n{href}'],
])('the product does not start with a message that has %s', (fault, kind, text) => {
  expect(() => readTemplate(`de/${kind}.md`, text, ['href'])).toThrow(fault);
  expect(() => readTemplate(`de/${kind}.md`, text, ['href'])).toThrow(`The message de/${kind}.md`);
});

test('a greeting has the name of a person, escaped; a text that is no name leaves it out', () => {
  const mail = { text: 'Hello,\n\nHello, again.', html: '<h1>Hello,</h1><p>Hello,</p><p>Hello, again.</p>' };
  expect(greetPerson(mail, "Zoë & Søn $& O'Neil")).toEqual({
    text: "Hello Zoë & Søn $& O'Neil,\n\nHello, again.",
    html: '<h1>Hello,</h1><p>Hello Zoë &amp; Søn $&amp; O&#x27;Neil,</p><p>Hello, again.</p>',
  });
  expect(greetPerson({ ...mail, text: 'Guten Tag,\n\nja', html: '<p>Guten Tag,</p>' }, 'Eva')).toEqual({
    text: 'Guten Tag Eva,\n\nja',
    html: '<p>Guten Tag Eva,</p>',
  });
  expect(greetPerson(mail, undefined)).toBe(mail);
  const other = { text: 'Your code: 1', html: '<p>Hello,</p>' };
  expect(greetPerson(other, 'Eva')).toBe(other);
});

test.each([
  ['Eleanor Shaw', { full_name: ' Eleanor\r\nBcc:\u202e  Shaw ' }, 'Eleanor Bcc: Shaw'],
  ['the given name first', { given_name: 'Eleanor', full_name: 'Eleanor Shaw' }, 'Eleanor'],
  ['J. R. Smith', { name: 'J. R. Smith' }, 'J. R. Smith'],
  ['李小龙', { name: '李小龙' }, '李小龙'],
  ['60 letters', { full_name: 'é'.repeat(60) }, 'é'.repeat(60)],
  ['61 letters', { full_name: 'é'.repeat(61) }, undefined],
  ['an address', { full_name: 'Win at evil.example' }, undefined],
  ['a mail address', { full_name: 'me@evil' }, undefined],
  ['markup', { full_name: '<b>Eve</b>' }, undefined],
  ['no letter', { full_name: '+44 20 7946' }, undefined],
  ['nothing', { full_name: '  ', name: 7 }, undefined],
])('the name in greetings: %s', (_what, metadata, name) => {
  expect(greetedName(metadata)).toBe(name);
});

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const FOLDERS = [
  'platform/auth/mails',
  ...['billing', 'bookings', 'courses', 'documents', 'enquiries', 'messages', 'teams'].map(
    (feature) => `business/${feature}/mails`,
  ),
];

test.each(FOLDERS)(
  '%s says everything in both languages: the same parts with the same variables',
  (folder) => {
    const filesOf = (language: string) => readdirSync(path.join(ROOT, folder, language)).toSorted();
    expect(filesOf('de')).toEqual(filesOf('en'));
    for (const file of filesOf('en')) {
      const [english, german] = ['en', 'de'].map((language) => {
        const text = readFileSync(path.join(ROOT, folder, language, file), 'utf8');
        const variables = [
          ...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)),
        ].toSorted();
        const { parts } = readTemplate(`${language}/${file}`, text, variables);
        return { text, variables, shape: parts.map(({ kind }) => kind) };
      });
      expect(german?.variables, file).toEqual(english?.variables);
      expect(german?.shape, file).toEqual(english?.shape);
      expect(english?.shape.filter((kind) => kind === 'button').length, file).toBeLessThanOrEqual(1);
      expect(german?.text, file).not.toBe(english?.text);
    }
  },
);
