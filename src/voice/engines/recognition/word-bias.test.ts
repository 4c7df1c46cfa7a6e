import { expect, test } from 'vitest';
import { buildLanguageModel } from './language-model.server.ts';
import { readLanguageModel } from './language-model-lookup.server.ts';
import { separateSpelling, spokenWords, unfinishedText } from './spoken-words.server.ts';
import { BIAS_WEIGHTS, createWordBias, type WordBias } from './word-bias.server.ts';

const MODEL = readLanguageModel(
  buildLanguageModel([
    ['how', 'much', 'is', 'the', 'pro', 'plan'],
    ['how', 'much', 'is', 'the', 'basic', 'plan'],
    ['what', 'is', 'the', 'pro', 'plan'],
  ]),
);

function biasOf(bias: WordBias, ...pieces: readonly string[]): number {
  return bias.end(pieces.reduce((text, piece) => bias.extend(text, piece), bias.start));
}

test('what callers of the assistant say is preferred, in pieces of any size', () => {
  const bias = createWordBias(MODEL, []);
  const whole = biasOf(bias, ' How', ' much', ' is', ' the', ' Pro', ' plan', '?');
  expect(whole).toBeGreaterThan(biasOf(bias, ' How', ' much', ' is', ' the', ' grow', ' clan', '?'));
  expect(biasOf(bias, ' How', ' mu', 'ch', ' is', ' the', ' P', 'ro', ' plan', '?')).toBeCloseTo(whole);
});

test('free words are neither preferred nor refused: each costs the same', () => {
  const bias = createWordBias(MODEL, []);
  const one = biasOf(bias, ' the', ' zyxomma');
  const two = biasOf(bias, ' the', ' zyxomma', ' quorvel');
  expect(two - one).toBeCloseTo(-BIAS_WEIGHTS.word);
  expect(two - one).toBeCloseTo(biasOf(bias, ' the', ' grow', ' clan') - biasOf(bias, ' the', ' grow'));
});

test('the beginning of a phrase counts only as long as the phrase may still come', () => {
  const none = createWordBias(MODEL, []);
  const known = createWordBias(MODEL, ['zantoprix']);
  expect(biasOf(known, ' Zan', 'top', 'rix')).toBeGreaterThan(biasOf(none, ' Zan', 'top', 'rix') + 2);
  expect(biasOf(known, ' Zan', 'zibar')).toBeCloseTo(biasOf(none, ' Zan', 'zibar'));
  // A phrase that is only the beginning of a longer word does not match it.
  expect(biasOf(known, ' Zantoprix', 'es')).toBeCloseTo(biasOf(none, ' Zantoprix', 'es'));
});

test('digits count where a number was asked for, letters where something is spelled', () => {
  const usual = createWordBias(MODEL, []);
  const digits = createWordBias(MODEL, [], 'digits');
  const letters = createWordBias(MODEL, [], 'letters');
  expect(biasOf(digits, ' 8', '1', '2') - biasOf(usual, ' 8', '1', '2')).toBeCloseTo(3 * BIAS_WEIGHTS.digit);
  expect(biasOf(letters, ' h', '-', 'e') - biasOf(usual, ' h', '-', 'e')).toBeCloseTo(
    2 * BIAS_WEIGHTS.letter,
  );
  expect(biasOf(digits, ' yes') - biasOf(usual, ' yes')).toBe(0);
});

test('words are those of the language model', () => {
  expect(spokenWords('Call +44 9 at Helen.Carter@gmail.com, it’s analysed.')).toEqual(
    "call plus four four nine at helen dot carter at gmail dot com it's analyzed".split(' '),
  );
});

test('letters that were spelled stand apart', () => {
  expect(separateSpelling('H-e-l-e-n dot-Carter at gmail dot-com')).toBe(
    'H e l e n dot Carter at gmail dot com',
  );
  expect(separateSpelling('A well-known set-up at 10 a.m.')).toBe('A well-known set-up at 10 am');
  expect(separateSpelling('S.M.I.T.H.')).toBe('S M I T H.');
});

test('a text that may go on has no closing mark, and its digits apart', () => {
  expect(unfinishedText('My number is 0771.')).toBe('My number is 0 7 7 1');
  expect(unfinishedText('How much is it?')).toBe('How much is it');
});
