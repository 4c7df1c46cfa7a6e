import { expect, test } from 'vitest';
import { escapePattern, phrasePattern } from './text-pattern.contract.ts';

const PRINTABLE = String.fromCodePoint(...Array.from({ length: 95 }, (_, at) => at + 32));

test.each(['', 'u', 'giu'])('every character means itself (flags "%s")', (flags) => {
  for (const sign of PRINTABLE) {
    const pattern = new RegExp(`^${escapePattern(sign)}$`, flags);
    expect(
      [...PRINTABLE].filter(
        (other) => other.match(pattern) !== null && other.toLowerCase() !== sign.toLowerCase(),
      ),
    ).toEqual([]);
    expect(sign).toMatch(pattern);
  }
});

test('the words of a phrase may be apart', () => {
  const pattern = new RegExp(phrasePattern(' 1980-05-03 (on file) '), 'u');
  expect('born 1980-05-03\n(on  file).').toMatch(pattern);
  expect('born 1980-05-03 on file').not.toMatch(pattern);
});
