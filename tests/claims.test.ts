import { expect, test } from 'vitest';
import { collectSentences, findClaimFaults } from '../scripts/docs/sentence-claims.ts';

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

test('every sentence is claimed or quoted by a test, or claims nothing for a reason; every claim is still said', () => {
  expect(findClaimFaults()).toEqual({ unclaimed: [], unsaid: [] });
});

test('a sentence that no test claims is found', () => {
  const [first] = collectSentences();
  if (first === undefined) throw new Error('There are no sentences.');
  // Built here, so that this test does not quote it.
  const text = ['Nobody', 'has', 'written', 'a', 'test', 'of', 'this.'].join(' ');
  const sentence = { ...first, text, constant: undefined };
  expect(findClaimFaults([sentence]).unclaimed).toEqual([sentence]);
});
