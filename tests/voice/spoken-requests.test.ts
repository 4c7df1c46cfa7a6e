import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRequests } from '../../bench/voice/support/request-file.ts';
import { typeRequest } from '../../bench/voice/support/typed-requests.ts';
import { plainWords } from '../../src/voice/dialogue/spoken/word-normalisation.server.ts';
import {
  drawSentences,
  parseGrammar,
  seededDraw,
} from '../../src/voice/engines/recognition/phrase-expansion.server.ts';

/** Shorter requests, such as yes, no, letters and digits, are nobody's own wording. */
const LEAST_WORDS = 5;

test('no held-out request is among the phrases of the language model, nor among the tuned ones', () => {
  const folder = `${import.meta.dirname}/../../src/voice/engines/recognition`;
  const grammar = parseGrammar(readFileSync(`${folder}/caller-phrases.txt`, 'utf8'));
  const anything: readonly string[] = ['pro', 'basic', 'premium', 'lead generation', 'smith', 'sarah'];
  const classes = new Map(
    ['plan', 'service', 'first', 'last']
      .map((name) => [name, anything] as const)
      .concat([...grammar.classes]),
  );
  const phrases = new Set(
    drawSentences(grammar.phrases, classes, 60_000, seededDraw(7)).map((words) => words.join(' ')),
  );
  const tuned = new Set(linesOf('dev'));
  const known = linesOf('held-out').filter((line) => phrases.has(line) || tuned.has(line));
  expect(known).toEqual([]);
});

function linesOf(part: 'dev' | 'held-out'): string[] {
  return readRequests(part)
    .flatMap(({ lines }) => lines.map(({ say }) => plainWords(say)))
    .filter((words) => words.length >= LEAST_WORDS)
    .map((words) => words.join(' '));
}

test('the set has at least a hundred requests, half of them held out', () => {
  expect(readRequests('dev').length).toBeGreaterThanOrEqual(80);
  expect(readRequests('held-out').length).toBeGreaterThanOrEqual(80);
});

test('every request for which rules were made succeeds when each word is understood', async () => {
  const asked = await Promise.all(readRequests('dev').map((request) => typeRequest(request, false)));
  expect(asked.filter(({ succeeded }) => !succeeded).map(({ lines }) => lines)).toEqual([]);
});

test('so do nine in ten of those for which no rule was made', async () => {
  const asked = await Promise.all(readRequests('held-out').map((request) => typeRequest(request, false)));
  expect(asked.filter(({ succeeded }) => succeeded).length / asked.length).toBeGreaterThan(0.9);
});
