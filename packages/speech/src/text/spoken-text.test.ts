import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LONGEST_TEXT, spokenText } from './spoken-text.ts';
import { FOREIGN, writtenText } from './written-text.fixture.ts';

const LINES = readFileSync(path.join(import.meta.dirname, 'said.fixture.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line.includes('\t'))
  .map((line) => line.split('\t') as [string, string]);

/** Without capitals, hyphens and the last mark. */
const compared = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('-', ' ')
    .replace(/[.!?]+$/, '')
    .replace(/\s+/g, ' ')
    .trim();

describe('what is written becomes what is said', () => {
  test.each(LINES)('%s', (written, readings) => {
    const said = compared(spokenText(written.replaceAll('\\n', '\n')));
    expect(readings.split('|').map(compared)).toContain(said);
  });

  test('the article is small and a letter is a capital, whatever the text has', () => {
    expect(spokenText('A dog. Option A.')).toBe('a dog. Option A.');
    expect(spokenText('a, b or c; VAT')).toBe('A, B or C; V A T');
  });

  test('nothing is said of a text without words, and no text is read for ever', () => {
    for (const empty of ['', '   ', '…', '?!', '👍👍', '---', '***', '```\n```', '()[]{}'])
      expect(spokenText(empty)).toBe('');
    expect(spokenText('word '.repeat(10_000)).split(' ')).toHaveLength(LONGEST_TEXT / 5);
  });
});

test('ten thousand texts: no digit is left, nothing is lost, and marks never stand together', () => {
  fc.assert(
    fc.property(writtenText(), (text) => {
      const said = spokenText(text);
      expect(said).not.toMatch(/\d/);
      expect(said).not.toMatch(/[^A-Za-z' .,;:!?]/);
      expect(said).not.toMatch(/[.,;:!?] ?[.,;:!?]|^[ .,;:!?]|\s\s/);
      if (/[\dA-Za-zÀ-ÖØ-öø-ž]|[а-яА-Я]/.test(text) || FOREIGN.some((word) => text.includes(word)))
        expect(said).toMatch(/[A-Za-z]/);
    }),
    { numRuns: 10_000, seed: 1 },
  );
});
