import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { factWeights, likelihoodOf } from './fact-likelihood.server.ts';
import {
  chanceOfSubject,
  HOURS_SUBJECT,
  SUBJECT_QUESTIONS,
  SUBJECT_STATEMENTS,
  sharedSubject,
  subjectChances,
} from './subject-examples.server.ts';

const BENCH = path.join(PROJECT_ROOT, 'bench', 'voice', 'assistants');
/** Stands in for the vector where only words count. */
const NO_MEANING = new Float32Array(512);

test('questions and statements have the same subjects, each asked in eight ways at least', () => {
  const { labels } = SUBJECT_QUESTIONS.likeness;
  expect(SUBJECT_STATEMENTS.likeness.labels).toEqual(labels);
  expect(labels).toContain(HOURS_SUBJECT);
  const asked = Map.groupBy(SUBJECT_QUESTIONS.examples, ({ label }) => label);
  expect([...asked].filter(([, own]) => own.length < 8).map(([label]) => label)).toEqual([]);
});

test('no example is a line by which understanding is measured', () => {
  const measured = readdirSync(BENCH)
    .filter((name) => /(held-out|spoken)\.txt$/.test(name))
    .flatMap((name) => readFileSync(path.join(BENCH, name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('>'))
    .map((line) => normaliseWords(line.slice(1)));
  const learned = SUBJECT_QUESTIONS.examples.filter(({ words }) => measured.includes(words));
  expect(learned).toEqual([]);
});

test('a question and what answers it have one subject, also by words alone; what is no business’s has none', () => {
  const of = (words: string) => subjectChances(SUBJECT_QUESTIONS, words, NO_MEANING);
  const said = (words: string) => subjectChances(SUBJECT_STATEMENTS, words, NO_MEANING);
  const parking = said('Parking is free behind the building.');
  const opening = said('We are open Monday to Friday.');
  const asked = of('is there a car park for customers');
  expect(asked.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 6);
  expect(sharedSubject(asked, parking)).toBeGreaterThan(sharedSubject(asked, opening));
  const hours = (words: string) => chanceOfSubject(HOURS_SUBJECT, words, NO_MEANING);
  expect(hours('what time do you open in the morning')).toBeGreaterThan(hours('tell me a story'));
});

test('a fact that shares more with a question is likelier to answer it', () => {
  const { weights, told } = factWeights();
  expect(weights).toHaveLength(9);
  expect(told).toBeGreaterThan(0.3);
  const alike = likelihoodOf([1, 1, 0.8, 1, 1, 0.4, 0.5, 0.9, 0.8]);
  const strange = likelihoodOf([1, 0, 0.1, -1, 0, -0.3, -0.5, 0, -0.5]);
  expect(alike).toBeGreaterThan(0.8);
  expect(strange).toBeLessThan(0.05);
});
