import { expect, test } from 'vitest';
import { readSpokenDigits, readSpokenNumber } from './spoken-digits.server.ts';
import { readSpokenEmail } from './spoken-email.server.ts';
import { joinLetters } from './spoken-letters.server.ts';

test.each([
  ['oh seven seven double four', '07744'],
  ['plus four four two oh seven nine four six', '+44207946'],
  ['twenty one thirty', '2130'],
  ['call me at 07700 900 123', '07700900123'],
  ['it is for you', ''],
])('the digits of "%s" are "%s"', (words, digits) => {
  expect(readSpokenDigits(words)).toBe(digits);
});

test.each([
  ['two hundred and fifty', 250],
  ['about three thousand four hundred', 3400],
  ['seventeen', 17],
  ['none at all', null],
])('the number of "%s" is %s', (words, number) => {
  expect(readSpokenNumber(words)).toBe(number);
});

test.each([
  ['s m i t h', 'smith'],
  ['a double l e n', 'allen'],
  ['s for sugar m i t h', 'smith'],
  ['s as in sugar m i t h', 'smith'],
])('the letters of "%s" are "%s"', (words, word) => {
  expect(joinLetters(words)).toEqual({ words: word, spelt: [word] });
});

test.each(['com', 'con', 'come', 'comma'])('no address ends in "%s" but .com', (ending) => {
  expect(readSpokenEmail(`my address is anna at example dot ${ending} please`)).toBe('anna@example.com');
});

test('a word that every object has is neither digit, number nor letter', () => {
  const words = 'constructor tostring valueof';
  expect(readSpokenDigits(`${words} one two`)).toBe('12');
  expect(readSpokenNumber('constructor')).toBeNull();
  expect(joinLetters('constructor a b c')).toEqual({ words: 'constructor abc', spelt: ['abc'] });
});
