import { coreOf } from '../likeness/core-words.server.ts';
import { product } from '../likeness/meaning-model.server.ts';
import { type Term, termsOf } from '../likeness/word-meanings.server.ts';
import type { Fact } from './prompt-reading.server.ts';
import { hasWanted, type Question } from './question-reading.server.ts';

/** Turns texts into vectors of length one; the product of two says how similar their meanings are. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** How well a fact answers a question. */
export interface FoundFact {
  readonly fact: Fact;
  /** Share of the question's telling words that the fact has, 0 to 1; rare words count more. */
  readonly words: number;
  /** Similarity of meaning, -1 to 1; null without embeddings. */
  readonly meaning: number | null;
  /**
   * Words, meaning, and whether the fact has the kind of answer that is wanted, together: from 1 on it answers
   * the question.
   */
  readonly score: number;
}

interface Indexed {
  readonly fact: Fact;
  readonly stems: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

const FROM_GROUP = 0.9;
/** Most facts that are compared by meaning; further ones are compared by words only. */
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

  /** The facts, best score first. */
  async find(question: Question): Promise<FoundFact[]> {
    const near = await this.#near(question.words);
    const total = question.terms.reduce((sum, term) => sum + this.#weight(term), 0);
    return this.#facts
      .map((indexed, at) => {
        const words = total === 0 ? 0 : this.#shared(indexed, question.terms) / total;
        const meaning = near.length === 0 ? null : (near[at] ?? 0);
        const score = scoreOf(indexed.fact, question, words, meaning);
        return { fact: indexed.fact, words, meaning, score };
      })
      .sort((one, other) => other.score - one.score);
  }

  /** How similar the meaning of the words is to the nearest of some texts; 0 without embeddings. */
  async likenessTo(texts: readonly string[], words: string): Promise<number> {
    const [asked, ...others] = (await this.#embed?.([coreOf(words), ...texts]).catch(() => [])) ?? [];
    return asked === undefined ? 0 : Math.max(0, ...others.map((other) => product(asked, other)));
  }

  /** Whether the prompt has this word, or one with the same meaning. */
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

  /** Rare words say more; a word that the prompt does not have says most of all. */
  #weight({ stem, group }: Term): number {
    const found = this.#frequency.get(stem) ?? (group === null ? undefined : this.#frequency.get(group)) ?? 0;
    return Math.log(1 + (this.#facts.length + 1) / (found + 1));
  }

  /** Compares the first facts only: a prompt as long as a book is searched by words. */
  async #near(words: string): Promise<readonly number[]> {
    const embed = this.#embed;
    if (embed === null || this.#facts.length === 0) return [];
    const meant = this.#facts.slice(0, MOST_MEANT);
    const texts = meant.flatMap(({ fact }) => textsOf(fact));
    // Where the model is missing or late, only words are compared.
    const [asked, ...vectors] = await embed([coreOf(words), ...texts]).catch(() => []);
    if (asked === undefined) return [];
    let at = 0;
    return meant.map(({ fact }) => {
      const own = vectors.slice(at, at + textsOf(fact).length);
      at += own.length;
      return Math.max(...own.map((vector) => product(asked, vector)));
    });
  }
}

/** The texts of a fact whose meaning is compared: the fact itself, and the fact under its heading. */
export function textsOf({ text, context }: Fact): string[] {
  return context === '' ? [text] : [text, `${context}: ${text}`];
}

/**
 * Weights of words and of the kind of answer beside meaning, chosen on `bench/voice/assistants` and judged on
 * assistants that had no part in it (decision 0581).
 */
const WORDS = 0.5;
const KIND = 0.2;
/** Without vectors, words count for both. */
const WORDS_ALONE = 0.9;

function scoreOf(fact: Fact, { wanted }: Question, words: number, meaning: number | null): number {
  const has = hasWanted(wanted, fact.text);
  const kind = has === undefined ? 0 : has ? KIND : -KIND;
  return meaning === null ? WORDS_ALONE * words + kind : WORDS * words + meaning + kind;
}
