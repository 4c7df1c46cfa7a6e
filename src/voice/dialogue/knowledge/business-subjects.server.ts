import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { coreOf } from '../likeness/core-words.server.ts';
import { product } from '../likeness/meaning-model.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';

const FILE = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'knowledge', 'business-subjects.txt');
/** How sharply the nearest subject stands out: smaller is sharper. */
const SHARPNESS = 0.05;
/** A fact is compared with statements and, less, with questions. */
const BY_STATEMENT = 0.8;

interface Subject {
  readonly questions: readonly string[];
  readonly statements: readonly string[];
}

/**
 * Subjects that people ask businesses about, such as payment, parking or cancelling. A question and a fact that
 * share no word and mean little alone often have the same subject: `Which ones do you stock?` and `We have
 * Bosch and Miele.` (decision 0700).
 */
const SUBJECTS: readonly Subject[] = readFileSync(FILE, 'utf8')
  .split(/^= .*$/m)
  .slice(1)
  .map((part) => {
    const linesOf = (mark: string): string[] =>
      part.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []));
    const questions = linesOf('? ').map((line) => coreOf(normaliseWords(line)));
    return { questions, statements: linesOf('- ') };
  });

/** All texts whose vectors a `SubjectReader` needs, in this order. */
export const SUBJECT_TEXTS: readonly string[] = SUBJECTS.flatMap(({ questions, statements }) => [
  ...questions,
  ...statements,
]);

/** How much a text is about each subject: numbers from 0 to 1 that sum to 1. */
export type SubjectShares = readonly number[];

/** Compares texts with the subjects, given the vectors of `SUBJECT_TEXTS`. */
export class SubjectReader {
  readonly #subjects: readonly { questions: readonly Float32Array[]; statements: readonly Float32Array[] }[];

  constructor(vectors: readonly Float32Array[]) {
    let at = 0;
    const next = (count: number): readonly Float32Array[] => {
      at += count;
      return vectors.slice(at - count, at);
    };
    this.#subjects = SUBJECTS.map(({ questions, statements }) => ({
      questions: next(questions.length),
      statements: next(statements.length),
    }));
  }

  /** @param vector of a question's core words */
  ofQuestion(vector: Float32Array): SubjectShares {
    return sharesOf(this.#subjects.map(({ questions }) => nearest(questions, vector)));
  }

  ofFact(vector: Float32Array): SubjectShares {
    return sharesOf(
      this.#subjects.map(
        ({ questions, statements }) =>
          BY_STATEMENT * nearest(statements, vector) + (1 - BY_STATEMENT) * nearest(questions, vector),
      ),
    );
  }
}

const nearest = (vectors: readonly Float32Array[], to: Float32Array): number =>
  Math.max(...vectors.map((vector) => product(vector, to)));

function sharesOf(likenesses: readonly number[]): number[] {
  const most = Math.max(...likenesses);
  const raised = likenesses.map((one) => Math.exp((one - most) / SHARPNESS));
  const sum = raised.reduce((one, other) => one + other, 0);
  return raised.map((one) => one / sum);
}
