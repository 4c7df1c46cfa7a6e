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

/**
 * A question that the agency's topics answer, and how similar the caller's words are to the ways of asking
 * it.
 */
export interface LikeQuestion extends LabelLikeness {
  /**
   * The score that the trained weights give its meaning, about 1 for the question that is asked; null without
   * a vector.
   */
  readonly score: number | null;
}

const FOLDER = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'topics');
/** The file of the examples' vectors: a digest of their words, then a line for each. */
export const VECTORS_FILE = path.join(FOLDER, 'caller-examples.vectors');
/** The file of the weights that were learned from them. */
export const WEIGHTS_FILE = path.join(FOLDER, 'caller-examples.weights');

/**
 * What callers say, in the order of the file, labelled with the question that has the answer; null where the
 * agency has none.
 */
export const CALLER_EXAMPLES: readonly Example[] = readExamples(
  readFileSync(path.join(FOLDER, 'caller-examples.txt'), 'utf8'),
);

/** All the questions, as they are asked back. */
export const COMMON_QUESTIONS: readonly string[] = [
  ...new Set(CALLER_EXAMPLES.flatMap(({ label }) => label ?? [])),
];

/** The digest that the generated files have to state. */
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

/** Reads the vectors at the first question. @throws Error where the file was made from other examples */
function packedVectors(): readonly PackedVector[] {
  vectors ??= readGenerated(VECTORS_FILE, examplesDigest()).map(readPacked);
  return vectors;
}

/**
 * The vectors of the examples' core words, of length one. @throws Error where the file was made from other
 * examples
 */
export const exampleVectors = (): readonly Float32Array[] =>
  packedVectors().map((one) => ofLengthOne(unpacked(one)));

/**
 * The weights learned from the examples, read at the first question. @throws Error where they are from others
 */
export function exampleWeights(): TrainedWeights {
  learned ??= readTrained(WEIGHTS_FILE, examplesDigest());
  return learned;
}

/** The examples, ready for comparison. */
export const CALLER_LIKENESS = new ExampleLikeness(CALLER_EXAMPLES, packedVectors);

/**
 * How similar the words are to each of the questions, in the order of the examples.
 *
 * @param words as `normaliseWords` leaves them
 * @param embed gives vectors of meaning; without it, or where it is late, words alone count
 */
export async function likeQuestions(words: string, embed: Embed | undefined): Promise<LikeQuestion[]> {
  const [meaning] = (await embed?.([coreOf(words)]).catch(() => [])) ?? [];
  const scores = meaning === undefined ? null : scoresOf(exampleWeights().rows, meaning);
  return CALLER_LIKENESS.compare(words, meaning ?? null).map((one, at) => ({
    ...one,
    score: scores?.[at] ?? null,
  }));
}
