import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { Embed } from '../knowledge/fact-search.server.ts';
import { coreOf } from '../likeness/core-words.server.ts';
import { type Example, ExampleLikeness, type LabelLikeness } from '../likeness/example-likeness.server.ts';
import {
  digestOf,
  ofLengthOne,
  type PackedVector,
  readGenerated,
  readPacked,
  unpacked,
} from '../likeness/packed-vectors.server.ts';
import { readTrained, scoresOf, type TrainedWeights } from '../likeness/trained-weights.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';

/** A question that the agency's topics answer, and how like what was said is to the ways of asking it. */
export interface LikeQuestion extends LabelLikeness {
  /** What the trained weights say of its meaning, about 1 for what is asked; null where no meaning could be had. */
  readonly score: number | null;
}

const FOLDER = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'topics');
/** Where the meaning of the examples is: a digest of their words, then a line for each. */
export const VECTORS_FILE = path.join(FOLDER, 'caller-examples.vectors');
/** Where what was learned from them is. */
export const WEIGHTS_FILE = path.join(FOLDER, 'caller-examples.weights');

/** What callers say, in the order of the file, under the question that has the answer; null: none of the agency's. */
export const CALLER_EXAMPLES: readonly Example[] = readExamples(
  readFileSync(path.join(FOLDER, 'caller-examples.txt'), 'utf8'),
);

/** The questions that there are, as they are asked back. */
export const COMMON_QUESTIONS: readonly string[] = [
  ...new Set(CALLER_EXAMPLES.flatMap(({ label }) => label ?? [])),
];

/** What the generated files must have been made of. */
export const examplesDigest = (): string =>
  digestOf(CALLER_EXAMPLES.map(({ label, words }) => `${label}: ${coreOf(words)}`));

function readExamples(text: string): Example[] {
  const examples: Example[] = [];
  let label: string | null = null;
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    if (!line.startsWith('=')) examples.push({ label, words: normaliseWords(line) });
    else {
      label = line.slice(1).trim() || null;
      if (label !== null) examples.push({ label, words: normaliseWords(label) });
    }
  }
  return examples;
}

let vectors: readonly PackedVector[] | null = null;
let learned: TrainedWeights | null = null;

/** Read at the first question. @throws Error where the file is of other examples */
function packedVectors(): readonly PackedVector[] {
  vectors ??= readGenerated(VECTORS_FILE, examplesDigest()).map(readPacked);
  return vectors;
}

/** The meaning of the examples' core words, vectors of length one. @throws Error where the file is of other examples */
export const exampleVectors = (): readonly Float32Array[] =>
  packedVectors().map((one) => ofLengthOne(unpacked(one)));

/** What was learned from the examples; read at the first question. @throws Error where it is of others */
export function exampleWeights(): TrainedWeights {
  learned ??= readTrained(WEIGHTS_FILE, examplesDigest());
  return learned;
}

/** The examples, to be compared with. */
export const CALLER_LIKENESS = new ExampleLikeness(CALLER_EXAMPLES, packedVectors);

/**
 * How like what was said is to each of the questions, in the order of the examples.
 *
 * @param words as `normaliseWords` leaves them
 * @param embed meaning beside words; without it, or where it is late, words alone count
 */
export async function likeQuestions(words: string, embed: Embed | undefined): Promise<LikeQuestion[]> {
  const [meaning] = (await embed?.([coreOf(words)]).catch(() => [])) ?? [];
  const scores = meaning === undefined ? null : scoresOf(exampleWeights().rows, meaning);
  return CALLER_LIKENESS.compare(words, meaning ?? null).map((one, at) => ({
    ...one,
    score: scores?.[at] ?? null,
  }));
}
