import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { Embed } from '../knowledge/fact-search.server.ts';
import { stemOf } from '../knowledge/word-meanings.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';

/** A question that the agency's topics answer, and how likely it is what a caller means. */
export interface MeantQuestion {
  /** As it is asked back; null for what the agency has nothing to do with. */
  readonly question: string | null;
  /** Likeness of its nearest examples in meaning, -1 to 1; null where no meaning could be had. */
  readonly meaning: number | null;
  /** Likeness in words, 0 to 1. */
  readonly words: number;
  /** Of both. */
  readonly likeness: number;
}

/** One thing that callers say. */
export interface CallerExample {
  readonly question: string | null;
  readonly words: string;
}

const FOLDER = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'topics');
const EXAMPLES_FILE = path.join(FOLDER, 'caller-examples.txt');
/** Where the meaning of the examples is: a digest of their text, then a line of base64 for each. */
export const VECTORS_FILE = path.join(FOLDER, 'caller-examples.vectors');

/** What callers say, in the order of the file. */
export const CALLER_EXAMPLES: readonly CallerExample[] = readExamples(readFileSync(EXAMPLES_FILE, 'utf8'));

/** The questions that there are, as they are asked back. */
export const COMMON_QUESTIONS: readonly string[] = [
  ...new Set(CALLER_EXAMPLES.flatMap(({ question }) => question ?? [])),
];

/** What the file of the vectors must have been made of. */
export const examplesDigest = (): string =>
  createHash('sha256')
    .update(CALLER_EXAMPLES.map(({ words }) => words).join('\n'))
    .digest('hex');

function readExamples(text: string): CallerExample[] {
  const examples: CallerExample[] = [];
  let question: string | null = null;
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    if (!line.startsWith('=')) examples.push({ question, words: normaliseWords(line) });
    else {
      question = line.slice(1).trim() || null;
      if (question !== null) examples.push({ question, words: normaliseWords(question) });
    }
  }
  return examples;
}

/** Of a vector of length one; a hundredth of its worth is lost, and seven eighths of its room saved. */
export const packVector = (vector: Float32Array): string => {
  const most = Math.max(...vector.map(Math.abs));
  return Buffer.from(Int8Array.from(vector, (one) => Math.round((one / most) * 127)).buffer).toString(
    'base64',
  );
};

function unpackVector(packed: string): Float32Array {
  const bytes = Buffer.from(packed, 'base64');
  const whole = Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  const length = Math.hypot(...whole);
  return whole.map((one) => one / length);
}

let vectors: readonly Float32Array[] | null = null;

/** The meaning of the examples; read at the first question. @throws Error where the file is of other examples */
export function exampleVectors(): readonly Float32Array[] {
  if (vectors === null) {
    const [digest, ...packed] = readFileSync(VECTORS_FILE, 'utf8').trim().split('\n');
    if (digest !== examplesDigest())
      throw new Error(
        'caller-examples.vectors is of other examples: node scripts/voice/write-example-vectors.ts',
      );
    vectors = packed.map(unpackVector);
  }
  return vectors;
}

/** Words and pairs of words, without their endings. */
function featuresOf(words: string): Set<string> {
  const stems = words.split(' ').map(stemOf);
  return new Set([...stems, ...stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`)]);
}

const FEATURES = CALLER_EXAMPLES.map(({ words }) => featuresOf(words));
const FREQUENCY = new Map<string, number>();
for (const feature of FEATURES.flatMap((one) => [...one]))
  FREQUENCY.set(feature, (FREQUENCY.get(feature) ?? 0) + 1);
const weightOf = (feature: string): number =>
  Math.log((CALLER_EXAMPLES.length + 1) / ((FREQUENCY.get(feature) ?? 0) + 1)) ** 2;
const lengthOf = (features: ReadonlySet<string>): number =>
  Math.sqrt([...features].reduce((sum, one) => sum + weightOf(one), 0));
const LENGTHS = FEATURES.map(lengthOf);

function likenessInWords(words: string): number[] {
  const said = featuresOf(words);
  const length = lengthOf(said);
  return FEATURES.map((own, at) => {
    let shared = 0;
    for (const feature of said) if (own.has(feature)) shared += weightOf(feature);
    return shared / Math.max(1, length * (LENGTHS[at] ?? 1));
  });
}

/** Where the examples of each question stand. */
const PLACES = Map.groupBy(CALLER_EXAMPLES.keys(), (at) => CALLER_EXAMPLES[at]?.question ?? null);
const MEANING = 0.75;
const NEXT = 0.25;

/**
 * The questions that may be meant, the likeliest first.
 *
 * @param words as `normaliseWords` leaves them
 * @param embed meaning beside words; without it, or where it is late, words alone count
 */
export async function rankQuestions(words: string, embed: Embed | undefined): Promise<MeantQuestion[]> {
  const [asked] = (await embed?.([words]).catch(() => [])) ?? [];
  const inWords = likenessInWords(words);
  const inMeaning = asked === undefined ? null : exampleVectors().map((own) => product(own, asked));
  return [...PLACES]
    .map(([question, own]) => {
      const near = (of: readonly number[]): number => nearness(own.map((at) => of[at] ?? 0));
      const shared = near(inWords);
      const meaning = inMeaning === null ? null : near(inMeaning);
      return {
        question,
        meaning,
        words: shared,
        likeness: meaning === null ? shared : MEANING * meaning + (1 - MEANING) * shared,
      };
    })
    .sort((one, other) => other.likeness - one.likeness);
}

/** Of the nearest example, and a little of the next. */
function nearness(likenesses: readonly number[]): number {
  const [first = 0, second = first] = [...likenesses].sort((one, other) => other - one);
  return (1 - NEXT) * first + NEXT * second;
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
