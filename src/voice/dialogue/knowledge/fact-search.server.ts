import type { Fact } from './prompt-reading.server.ts';
import { hasWanted, type Question } from './question-reading.server.ts';
import { type Term, termsOf } from './word-meanings.server.ts';

/** Turns texts into vectors of length one, whose product says how alike two are in meaning. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** How well a fact answers a question. */
export interface FoundFact {
  readonly fact: Fact;
  /** Share of the question's telling words that it has, 0 to 1; rare words count more. */
  readonly words: number;
  /** Likeness of meaning, -1 to 1; 0 without embeddings. */
  readonly meaning: number;
  /** Of both, and of the kind of answer that is wanted: 1 is certain. */
  readonly score: number;
  /** How likely it answers the question, 0 to 1: of all that, of how far the others are behind, of how much of it was asked for. */
  readonly likely: number;
}

interface Indexed {
  readonly fact: Fact;
  readonly stems: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

const FROM_GROUP = 0.9;
const IN_CONTEXT = 0.95;
/** Facts that are compared in meaning; the others by their words. */
export const MOST_MEANT = 200;

/** Facts that can be searched by words and by meaning. */
export class FactSearch {
  readonly #facts: readonly Indexed[];
  readonly #frequency = new Map<string, number>();
  readonly #embed: Embed | null;

  constructor(facts: readonly Fact[], embed: Embed | null) {
    this.#embed = embed;
    this.#facts = facts.map((fact) => {
      const terms = termsOf(`${fact.text} ${fact.context}`);
      return {
        fact,
        stems: new Set(terms.map(({ stem }) => stem)),
        groups: new Set(terms.flatMap(({ group }) => group ?? [])),
      };
    });
    for (const { stems, groups } of this.#facts)
      for (const key of [...stems, ...groups]) this.#frequency.set(key, (this.#frequency.get(key) ?? 0) + 1);
  }

  /** The facts, best first. */
  async find(question: Question): Promise<FoundFact[]> {
    const meanings = await this.#meanings(question.words);
    const total = question.terms.reduce((sum, term) => sum + this.#weight(term), 0);
    const found = this.#facts
      .map((indexed, at) => {
        const words = total === 0 ? 0 : this.#shared(indexed, question.terms) / total;
        const meaning = meanings[at] ?? null;
        const score = scoreOf(indexed.fact, question, words, meaning);
        return { fact: indexed.fact, words, meaning: meaning ?? 0, score };
      })
      .sort((one, other) => other.score - one.score);
    return found
      .map((one, at) => ({
        ...one,
        likely: meanings.length === 0 ? byWords(one) : likelihood(one, found, at, question),
      }))
      .sort((one, other) => other.likely - one.likely);
  }

  /** Whether the prompt has this word, or one that means the same. */
  knows({ stem, group }: Term): boolean {
    return this.#frequency.has(stem) || (group !== null && this.#frequency.has(group));
  }

  #shared({ stems, groups }: Indexed, terms: readonly Term[]): number {
    return terms.reduce((sum, term) => {
      const weight = this.#weight(term);
      if (stems.has(term.stem)) return sum + weight;
      return term.group !== null && groups.has(term.group) ? sum + weight * FROM_GROUP : sum;
    }, 0);
  }

  /** Rare words tell more; one that the prompt does not have tells most of all. */
  #weight({ stem, group }: Term): number {
    const found = this.#frequency.get(stem) ?? (group === null ? undefined : this.#frequency.get(group)) ?? 0;
    return Math.log(1 + (this.#facts.length + 1) / (found + 1));
  }

  /** Of the first facts only: a prompt of a book's length is searched by words. */
  async #meanings(words: string): Promise<readonly number[]> {
    const embed = this.#embed;
    if (embed === null || this.#facts.length === 0) return [];
    const meant = this.#facts.slice(0, MOST_MEANT);
    const texts = meant.flatMap(({ fact }) => textsOf(fact));
    // The caller is answered by words alone where the model is not there, or late.
    const [asked, ...vectors] = await embed([words, ...texts]).catch(() => []);
    if (asked === undefined) return [];
    let at = 0;
    return meant.map(({ fact }) => {
      const own = vectors.slice(at, at + textsOf(fact).length);
      at += own.length;
      return Math.max(...own.map((vector, which) => product(asked, vector) * (which === 0 ? 1 : IN_CONTEXT)));
    });
  }
}

/** What of a fact is compared in meaning: itself, and itself under its heading. */
export function textsOf({ text, context }: Fact): string[] {
  return context === '' ? [text] : [text, `${context}: ${text}`];
}

/** Weights of words and meaning, set on the paraphrases of `bench/voice/assistants/*.dev.txt`. */
const WORDS = 0.62;
const MEANING = 0.75;
const WORDS_ALONE = 0.9;

/**
 * A logistic fit on every paraphrase that rules were ever tuned on (clinic, restaurant, plumber), of the eight best facts of
 * each; `hotel` and `vet` had no part in it.
 */
const FIT = {
  base: -3.17,
  words: 1.9,
  meaning: 2.3,
  kind: 1.35,
  asked: 3.3,
  meaningAhead: 5,
  wordsAhead: 2.5,
} as const;
/** Without embeddings: told, asked back, or neither. */
const byWords = ({ score, words }: Pick<FoundFact, 'score' | 'words'>): number =>
  score >= 0.6 && words >= 0.5 ? 0.7 : score >= 0.5 && words >= 0.3 ? 0.3 : 0;
/** Facts that were compared in the fit. */
const COMPARED = 8;

function likelihood(
  { fact, words, meaning }: Omit<FoundFact, 'likely'>,
  found: readonly Omit<FoundFact, 'likely'>[],
  at: number,
  { wanted, terms }: Question,
): number {
  const others = found.slice(0, COMPARED).filter((_, place) => place !== at);
  const ahead = (of: 'words' | 'meaning'): number => Math.max(0, ...others.map((other) => other[of]));
  const has = hasWanted(wanted, fact.text);
  const own = termsOf(fact.text);
  const asked = own.filter(({ stem, group }) =>
    terms.some((term) => term.stem === stem || (group !== null && term.group === group)),
  ).length;
  const score =
    FIT.base +
    FIT.words * words +
    FIT.meaning * meaning +
    FIT.kind * (has === undefined ? 0 : has ? 1 : -1) +
    (FIT.asked * asked) / Math.max(1, own.length) +
    FIT.meaningAhead * (meaning - ahead('meaning')) +
    FIT.wordsAhead * (words - ahead('words'));
  return 1 / (1 + Math.exp(-score));
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

function scoreOf(fact: Fact, { wanted }: Question, words: number, meaning: number | null): number {
  const has = hasWanted(wanted, fact.text);
  const kind = has === undefined ? 0 : has ? 0.15 : -0.25;
  if (meaning === null) return WORDS_ALONE * words + kind;
  return WORDS * words + MEANING * Math.max(0, meaning) + kind;
}
