import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { type Example, ExampleLikeness } from '../likeness/example-likeness.server.ts';
import { digestOf } from '../likeness/packed-vectors.server.ts';
import { chancesOf, readTrained, scoresOf, type TrainedWeights } from '../likeness/trained-weights.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';

const FOLDER = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'knowledge');
const STATEMENT = '<';

/** The subject of questions that a business's hours answer, however they are asked. */
export const HOURS_SUBJECT = 'opening hours';

/** Examples of how the subjects of any business are put into words, either by callers or by the business. */
export interface SubjectExamples {
  readonly examples: readonly Example[];
  readonly likeness: ExampleLikeness;
  /** The file of the weights that were learned from them. */
  readonly file: string;
  /** The digest of the examples, which the file has to state. */
  readonly digest: string;
}

const ALL = readFileSync(path.join(FOLDER, 'subject-examples.txt'), 'utf8').split('\n');

/** What callers ask, by subject; null for questions that do not concern a business. */
export const SUBJECT_QUESTIONS = subjectExamples('subject-questions.weights', (line) => !isStatement(line));
/** How businesses state the same subjects. */
export const SUBJECT_STATEMENTS = subjectExamples('subject-statements.weights', isStatement);

function isStatement(line: string): boolean {
  return line.startsWith(STATEMENT);
}

function subjectExamples(name: string, isOwn: (line: string) => boolean): SubjectExamples {
  const examples: Example[] = [];
  let label: string | null = null;
  for (const line of ALL.filter((one) => one !== '' && !one.startsWith('#'))) {
    if (line.startsWith('=')) label = line.slice(1).trim() || null;
    else if (isOwn(line)) examples.push({ label, words: normaliseWords(line.replace(STATEMENT, '')) });
  }
  return {
    examples,
    likeness: new ExampleLikeness(examples, () => []),
    file: path.join(FOLDER, name),
    digest: digestOf(examples.map(({ label: subject, words }) => `${subject}: ${words}`)),
  };
}

const learned = new Map<string, TrainedWeights>();

function weightsOf({ file, digest }: SubjectExamples): TrainedWeights {
  const known = learned.get(file) ?? readTrained(file, digest);
  learned.set(file, known);
  return known;
}

/**
 * The features for the chance of a subject: its similarity in words, the learned score of its meaning, and
 * whether it is no subject at all.
 */
export const subjectFeatures = (words: number, score: number, label: string | null): number[] => [
  words,
  score,
  label === null ? 1 : 0,
];

/**
 * The chance of each subject that a text is about it, in the order of the examples' subjects.
 *
 * @param text a question or a statement
 * @param meaning its vector
 */
export function subjectChances(of: SubjectExamples, text: string, meaning: ArrayLike<number>): number[] {
  const { rows, weights } = weightsOf(of);
  const scores = scoresOf(rows, meaning);
  const features = of.likeness
    .compare(normaliseWords(text), null)
    .map(({ label, words }, at) => subjectFeatures(words, scores[at] ?? 0, label));
  return chancesOf(features, weights);
}

/** The chance that a question is about a subject, 0 to 1. @param meaning the vector of its core words */
export function chanceOfSubject(subject: string, words: string, meaning: ArrayLike<number>): number {
  const at = SUBJECT_QUESTIONS.likeness.labels.indexOf(subject);
  return subjectChances(SUBJECT_QUESTIONS, words, meaning)[at] ?? 0;
}

/** The chance that two texts are about the same subject, 0 to 1; texts without a subject share none. */
export function sharedSubject(one: readonly number[], other: readonly number[]): number {
  return SUBJECT_QUESTIONS.likeness.labels.reduce(
    (sum, label, at) => (label === null ? sum : sum + (one[at] ?? 0) * (other[at] ?? 0)),
    0,
  );
}
