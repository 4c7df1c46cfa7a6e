import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { CALLER_EXAMPLES, exampleVectors, packVector, rankQuestions } from './caller-examples.server.ts';

const BENCH = path.join(PROJECT_ROOT, 'bench', 'voice');

test('the vectors are those of the examples, of length one', () => {
  const vectors = exampleVectors();
  expect(vectors).toHaveLength(CALLER_EXAMPLES.length);
  for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
});

test('a vector loses next to nothing when it is packed', () => {
  const vector = Float32Array.from({ length: 512 }, (_, at) => Math.sin(at));
  const kept = new Int8Array(Buffer.from(packVector(vector), 'base64'));
  const likeness = kept.reduce((sum, one, at) => sum + one * (vector[at] ?? 0), 0);
  expect(likeness / Math.hypot(...kept) / Math.hypot(...vector)).toBeGreaterThan(0.999);
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
  const questions = new Set(CALLER_EXAMPLES.map(({ question }) => normaliseWords(question ?? '')));
  const learned = CALLER_EXAMPLES.filter(({ words }) => !questions.has(words) && measured.includes(words));
  expect(learned).toEqual([]);
});

test('an example is nearest to its own question, also by words alone', async () => {
  const [best] = await rankQuestions('where would i download an invoice', undefined);
  expect(best).toMatchObject({ question: 'Where are my invoices?', meaning: null });
});
