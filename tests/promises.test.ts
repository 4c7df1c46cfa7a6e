import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  collectSentences,
  describePromises,
  describeStaleTies,
  PROMISES_FILE,
} from '../scripts/docs/promises.ts';

const document = readFileSync(PROMISES_FILE, 'utf8');

test('sentences are found in pages, mails, plans and messages, with what stands inside their elements', () => {
  const all = collectSentences();
  const files = new Set(all.map(({ file }) => file));
  for (const file of ['messages.ts', 'plans.ts', 'legal-texts.ts', 'site-texts.ts'])
    expect(
      [...files].some((one) => one.endsWith(file)),
      file,
    ).toBe(true);
  const texts = all.map(({ text }) => text);
  expect(texts).toContain('Lessons are MP4 or WebM videos.');
  expect(
    texts.filter((text) => text.includes('was said') || text.includes('second factor')).length,
  ).toBeGreaterThan(1);
});

test('every sentence is tied to a test, claims nothing, or was there before: a new one wants a test that quotes it', () => {
  const { text, untied } = describePromises(document);
  expect(untied).toEqual([]);
  expect(text, 'write it with `npm run docs`').toBe(document);
});

test('what the table ties is still said, once, and its tests are still there', () => {
  expect(describeStaleTies()).toEqual([]);
});

test('a sentence that is in none of the lists is found', () => {
  const emptied = document.replace(/## Not tied to a test yet[\s\S]*$/, '## Not tied to a test yet\n');
  const open = document.split('## Not tied to a test yet')[1]?.match(/^- /gm)?.length ?? 0;
  const already = describePromises(document).untied.length;
  expect(describePromises(emptied).untied).toHaveLength(open + already);
});
