import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import {
  CALLER_EXAMPLES,
  CALLER_LIKENESS,
  exampleVectors,
  exampleWeights,
  likeQuestions,
} from './caller-examples.server.ts';

const BENCH = path.join(PROJECT_ROOT, 'bench', 'voice');

test('the vectors are those of the examples, of length one', () => {
  const vectors = exampleVectors();
  expect(vectors).toHaveLength(CALLER_EXAMPLES.length);
  for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
});

test('what was learned has a row for each question and one for none of them', () => {
  const { rows, weights, told } = exampleWeights();
  expect(rows).toHaveLength(CALLER_LIKENESS.labels.length);
  expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([513]));
  expect(weights).toHaveLength(8);
  expect(told).toBeGreaterThan(0.25);
  expect(told).toBeLessThan(0.9);
});

test('no example is a line by which understanding is measured', () => {
  const files = [
    'requests.held-out.txt',
    ...readdirSync(path.join(BENCH, 'assistants')).map((name) => `assistants/${name}`),
  ];
  const measured = files
    .filter((name) => /(held-out|spoken)\.txt$/.test(name))
    .flatMap((name) => readFileSync(path.join(BENCH, name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('>'))
    .map((line) => normaliseWords(line.slice(1)));
  const questions = new Set(CALLER_EXAMPLES.map(({ label }) => normaliseWords(label ?? '')));
  const learned = CALLER_EXAMPLES.filter(({ words }) => !questions.has(words) && measured.includes(words));
  expect(learned).toEqual([]);
});

test('an example is nearest to its own question, also by words alone', async () => {
  const like = await likeQuestions('where would i download an invoice', undefined);
  const [best] = like.sort((one, other) => other.words - one.words);
  expect(best).toMatchObject({ label: 'Where are my invoices?', nearest: 0, score: null });
});

test('every question has at least twenty-five ways of asking it, and none of them is under two', () => {
  const counts = Map.groupBy(CALLER_EXAMPLES, ({ label }) => label);
  expect([...counts].filter(([, own]) => own.length < 25).map(([label]) => label)).toEqual([]);
  const places = Map.groupBy(CALLER_EXAMPLES, ({ words }) => words);
  expect([...places].filter(([, own]) => own.length > 1).map(([words]) => words)).toEqual([]);
});
