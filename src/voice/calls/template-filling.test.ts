import { expect, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import type { CallAssistant } from '../engines/engines.server.ts';
import { fillAssistant } from './template-filling.server.ts';

const NOW = new Date('2026-07-01T22:30:00Z');

function fill(assistant: CallAssistant): { filled: CallAssistant; warnings: string[] } {
  const warnings: string[] = [];
  const context = { now: NOW, zone: 'Europe/Berlin', brand: 'Harbour & Söhne', warn: (line: string) => warnings.push(line) };
  return { filled: fillAssistant(assistant, context), warnings };
}

function filledText(
  firstMessage: string,
  variableValues: NonNullable<CallAssistant['variableValues']> = {},
): string | undefined {
  const { filled, warnings } = fill({ firstMessage, variableValues });
  expect(warnings).toEqual([]);
  return filled.firstMessage;
}

test('templates are filled in every text of an assistant, with the time of the agency', () => {
  showsSettings('assistant', 'variableValues.*');
  showsSettings('phoneCall', 'customer.name', 'customers[].name');
  const { filled } = fill({
    firstMessage: 'Hello {{ name }}, it is {{time}}, and this is {{brand}}.',
    endCallMessage: 'Bye {{name}}{{missing}}.',
    model: {
      provider: 'embedded',
      messages: [{ role: 'system', content: 'It is {{now}}: {{date}}, {{month}} {{day}}, {{year}}.' }],
    },
    messagePlan: { idleMessages: ['{{name}}?'], idleTimeoutSeconds: 9 },
    hooks: [{ on: 'customer.speech.timeout', do: [{ type: 'say', exact: ['{{name}}, hello?'] }] }],
    variableValues: { name: 'Ann' },
  });
  expect(filled.firstMessage).toBe('Hello Ann, it is 12:30 AM, and this is Harbour & Söhne.');
  expect(filled.endCallMessage).toBe('Bye Ann.');
  expect(filled.model?.messages?.[0]?.content).toBe('It is Jul 2, 2026 12:30 AM: Jul 2, 2026, July 2, 2026.');
  expect(filled.messagePlan).toEqual({ idleMessages: ['Ann?'], idleTimeoutSeconds: 9 });
  expect(filled.hooks?.[0]?.do).toEqual([{ type: 'say', exact: ['Ann, hello?'] }]);
});

test.each([
  ['{{ name | upcase }}', 'ANN'],
  ['{{ missing | default: "friend" }}', 'friend'],
  ['{{ now | date: "%A %d %B %Y, %H:%M" }}', 'Thursday 02 July 2026, 00:30'],
  ['{{ now | date: "%a %I:%M %p", "America/New_York" }}', 'Wed 06:30 PM'],
  ['{{ "2026-07-01T22:30:00Z" | date: "%H:%M" }}', '00:30'],
  ['{{ customer.name.first }}{{ customer.nobody.first }}', 'Ann'],
  ['{% if seats > 3 %}a group{% else %}a pair{% endif %}', 'a group'],
  ['{% for item in items %}{{ item }};{% endfor %}', 'tea;milk;'],
  ['{{ month | slice: 0, 3 }} {{ year | plus: 1 }}', 'Jul 2027'],
])('%s is filled as %s', (template, text) => {
  const values = {
    name: 'Ann',
    seats: 4,
    items: ['tea', 'milk'],
    customer: { name: { first: 'Ann' } },
  };
  expect(filledText(template, values)).toBe(text);
});

test('the word now is the moment of the call', () => {
  const before = Date.now();
  const seconds = Number(filledText('{{ "now" | date: "%s" }}'));
  expect(seconds).toBeGreaterThanOrEqual(Math.floor(before / 1000));
  expect(seconds).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
});

test('a value of a caller is never a template', () => {
  expect(filledText('Hello {{ name }}.', { name: '{{ secret }}', secret: 'x' })).toBe('Hello {{ secret }}.');
});

test.each([
  ['a loop without an end', '{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}'],
  ['an array too long for any text', '{% for i in (1..999999999) %}{{ i }}{% endfor %}'],
  [
    'loops that are each allowed',
    '{% for i in (1..1000) %}{% for j in (1..1000) %}x{% endfor %}{% endfor %}',
  ],
  ['a text that doubles', `{% assign a = "xxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(40)}{{ a }}`],
  ['a text longer than any', `{{ name }}${'x'.repeat(200_001)}`],
  ['a file of the product', '{% include "package.json" %}'],
  ['a file by its path', '{% render "../../../etc/passwd" %}'],
  ['a layout', '{% layout "/etc/passwd" %}'],
  ['no end', 'Hello {{ name'],
  ['a tag that does not exist', '{% wipe %}'],
])('a hostile or broken template is left as it is written, and the log says so: %s', (_what, template) => {
  const { filled, warnings } = fill({
    firstMessage: template,
    endCallMessage: 'Bye {{ name }}.',
    variableValues: { name: 'Ann' },
  });
  expect(filled.firstMessage).toBe(template);
  expect(filled.endCallMessage).toBe('Bye Ann.');
  expect(warnings).toEqual([expect.stringContaining('left as it is written')]);
});

test.each([
  '{{ name.constructor }}',
  '{{ name.__proto__ }}',
  '{{ list.constructor.constructor }}',
  '{{ __proto__.x }}',
])('a template reaches nothing but the values: %s', (template) => {
  expect(filledText(template, { name: 'Ann', list: [] })).toBe('');
});
