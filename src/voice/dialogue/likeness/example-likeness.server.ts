import { coreOf } from './core-words.server.ts';
import type { PackedVector } from './packed-vectors.server.ts';
import { stemOf } from './word-meanings.server.ts';

/** One thing that people say, with a label for what they mean. */
export interface Example {
  /** Null where no label fits. */
  readonly label: string | null;
  /** As `normaliseWords` leaves them. */
  readonly words: string;
}

/** How similar some words are to the examples of one label. */
export interface LabelLikeness {
  readonly label: string | null;
  /** Similarity in meaning to the nearest example, -1 to 1; 0 without a vector. */
  readonly nearest: number;
  /** Mean of the four nearest. */
  readonly near: number;
  /** Similarity in words, 0 to 1: mostly that of the nearest example, a little of the second. */
  readonly words: number;
}

/** How many of the examples nearest in meaning count. */
const NEAREST = 4;
/** The second example's part of the similarity in words. */
const NEXT = 0.25;

/** The examples that have a word or a pair of words, and the weight of each example. */
interface WordIndex {
  readonly places: ReadonlyMap<string, readonly number[]>;
  readonly lengths: readonly number[];
}

/** Examples that words are compared with: by meaning, and by words and pairs of words. */
export class ExampleLikeness {
  /** Each label once, in the order of the examples. */
  readonly labels: readonly (string | null)[];
  readonly #examples: readonly Example[];
  readonly #labelAt: Uint16Array;
  readonly #vectors: () => readonly PackedVector[];
  #index: WordIndex | null = null;

  /**
   * @param vectors returns those of the examples' core words, in their order; called at the first comparison
   */
  constructor(examples: readonly Example[], vectors: () => readonly PackedVector[]) {
    this.labels = [...new Set(examples.map(({ label }) => label))];
    this.#examples = examples;
    this.#labelAt = Uint16Array.from(examples, ({ label }) => this.labels.indexOf(label));
    this.#vectors = vectors;
  }

  /**
   * Compares words with all examples.
   *
   * @param meaning the vector of their core words; null where there is none
   * @param leftOut examples that do not count: while learning, an example is compared with the others only
   */
  compare(
    words: string,
    meaning: ArrayLike<number> | null,
    leftOut: (at: number) => boolean = () => false,
  ): LabelLikeness[] {
    const inMeaning = this.labels.map(() => new Float64Array(NEAREST).fill(-1));
    const inWords = this.labels.map(() => new Float64Array(2));
    const shared = this.#inWords(coreOf(words));
    const vectors = meaning === null ? [] : this.#vectors();
    const asked = Float32Array.from(meaning ?? []);
    for (const [at, label] of this.#labelAt.entries()) {
      if (leftOut(at)) continue;
      insert(inWords[label], shared[at] ?? 0);
      const own = vectors[at];
      if (own !== undefined) insert(inMeaning[label], likenessOf(own, asked));
    }
    return this.labels.map((label, at) => {
      const [first = 0, second = 0] = inWords[at] ?? [];
      const nearest = [...(inMeaning[at] ?? [])].filter((one) => one > -1);
      return {
        label,
        nearest: nearest[0] ?? 0,
        near: nearest.reduce((sum, one) => sum + one, 0) / Math.max(1, nearest.length),
        words: (1 - NEXT) * first + NEXT * second,
      };
    });
  }

  #indexed(): WordIndex {
    if (this.#index !== null) return this.#index;
    const features = this.#examples.map(({ words }) => featuresOf(coreOf(words)));
    const places = new Map<string, number[]>();
    for (const [at, own] of features.entries())
      for (const feature of own) {
        const known = places.get(feature);
        if (known === undefined) places.set(feature, [at]);
        else known.push(at);
      }
    this.#index = { places, lengths: features.map((own) => this.#lengthOf(own, places)) };
    return this.#index;
  }

  /** Rare words say more. */
  #weightOf(feature: string, places: WordIndex['places']): number {
    return Math.log((this.#examples.length + 1) / ((places.get(feature)?.length ?? 0) + 1)) ** 2;
  }

  #lengthOf(features: ReadonlySet<string>, places: WordIndex['places']): number {
    return Math.sqrt([...features].reduce((sum, one) => sum + this.#weightOf(one, places), 0));
  }

  #inWords(core: string): Float64Array {
    const { places, lengths } = this.#indexed();
    const said = featuresOf(core);
    const shared = new Float64Array(this.#examples.length);
    for (const feature of said) {
      const weight = this.#weightOf(feature, places);
      for (const at of places.get(feature) ?? []) shared[at] = (shared[at] ?? 0) + weight;
    }
    const length = this.#lengthOf(said, places);
    return shared.map((sum, at) => sum / Math.max(1, length * (lengths[at] ?? 1)));
  }
}

/**
 * Product of two vectors of length one. It runs some thousand times a turn, so its arguments always have the
 * same types.
 */
function likenessOf({ step, steps }: PackedVector, asked: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < steps.length; at++) sum += (steps[at] ?? 0) * (asked[at] ?? 0);
  return sum * step;
}

/** Keeps a descending list of the greatest values. */
function insert(greatest: Float64Array | undefined, value: number): void {
  if (greatest === undefined) return;
  let at = greatest.length - 1;
  if (value <= (greatest[at] ?? 0)) return;
  for (; at > 0 && (greatest[at - 1] ?? 0) < value; at--) greatest[at] = greatest[at - 1] ?? 0;
  greatest[at] = value;
}

/** Words and pairs of words, without their endings. */
function featuresOf(words: string): Set<string> {
  const stems = words.split(' ').map(stemOf);
  return new Set([...stems, ...stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`)]);
}
