import { coreOf } from '../likeness/core-words.server.ts';
import { product } from '../likeness/meaning-model.server.ts';
import { type Term, termsOf } from '../likeness/word-meanings.server.ts';
import { SUBJECT_TEXTS, SubjectReader, type SubjectShares } from './business-subjects.server.ts';
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
  /** How much the question and the fact have the same subject, 0 to 1. */
  readonly subject: number;
  /** Words, meaning, subject, and whether the fact has the kind of answer that is wanted, together. */
  readonly score: number;
}

interface Indexed {
  readonly fact: Fact;
  readonly stems: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

const FROM_GROUP = 0.9;
const WEIGHT_OF_NAME = 0.1;
/** Most facts that are compared by meaning; further ones are compared by words only. */
export const MOST_MEANT = 200;

/** Facts that can be searched by words and by meaning. */
export class FactSearch {
  readonly #facts: readonly Indexed[];
  readonly #named: ReadonlySet<string>;
  readonly #frequency = new Map<string, number>();
  readonly #embed: Embed | null;
  /** Subjects of the texts of each fact that is compared by meaning, once they are known. */
  #subjects: readonly (readonly SubjectShares[])[] | null = null;

  /** @param organisation name of the business: callers repeat its words without asking about them */
  constructor(facts: readonly Fact[], embed: Embed | null, organisation = '') {
    this.#embed = embed;
    this.#named = new Set(termsOf(organisation).map(({ stem }) => stem));
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
    // A single word that half of the facts have says little.
    const least = Math.log(1 + (this.#facts.length + 1) / 2);
    return this.#facts
      .map((indexed, at) => {
        const words = total === 0 ? 0 : this.#shared(indexed, question.terms) / Math.max(total, least);
        const { meaning, subject } = near.length === 0 ? WORDS_ONLY : (near[at] ?? STRANGERS);
        const score = scoreOf(indexed.fact, question, { words, meaning, subject });
        return { fact: indexed.fact, words, meaning, subject, score };
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
    if (this.#named.has(stem)) return WEIGHT_OF_NAME;
    const found = this.#frequency.get(stem) ?? (group === null ? undefined : this.#frequency.get(group)) ?? 0;
    return Math.log(1 + (this.#facts.length + 1) / (found + 1));
  }

  /** Compares the first facts only: a prompt as long as a book is searched by words. */
  async #near(words: string): Promise<readonly Near[]> {
    const embed = this.#embed;
    if (embed === null || this.#facts.length === 0) return [];
    const meant = this.#facts.slice(0, MOST_MEANT).map(({ fact }) => textsOf(fact));
    // Where the model is missing or late, only words are compared.
    const [reader, [asked, ...vectors]] = await Promise.all([
      subjectReader(embed),
      embed([coreOf(words), ...meant.flat()]),
    ]).catch(() => [null, []] as const);
    if (reader === null || asked === undefined) return [];
    let at = 0;
    const own = meant.map(({ length }) => {
      at += length;
      return vectors.slice(at - length, at);
    });
    this.#subjects ??= own.map((texts) => texts.map((vector) => reader.ofFact(vector)));
    const subjects = this.#subjects;
    const ofQuestion = reader.ofQuestion(asked);
    return own.map((vectorsOfFact, which) => ({
      meaning: Math.max(...vectorsOfFact.map((vector) => product(asked, vector))),
      subject: Math.max(...(subjects[which] ?? []).map((shares) => product(ofQuestion, shares))),
    }));
  }
}

interface Near {
  readonly meaning: number | null;
  readonly subject: number;
}

const WORDS_ONLY: Near = { meaning: null, subject: 0 };
/** A fact beyond those that are compared by meaning. */
const STRANGERS: Near = { meaning: 0, subject: 0 };

const readers = new WeakMap<Embed, Promise<SubjectReader>>();

/** The reader for the vectors of one model, made once: hundreds of texts are not asked for with each question. */
function subjectReader(embed: Embed): Promise<SubjectReader> {
  const made = readers.get(embed) ?? embed(SUBJECT_TEXTS).then((vectors) => new SubjectReader(vectors));
  readers.set(embed, made);
  // One that failed is made anew by the next question.
  made.catch(() => readers.delete(embed));
  return made;
}

/**
 * The texts of a fact whose meaning is compared: its clauses, if it has several, the fact itself, and the fact under
 * its heading.
 */
export function textsOf({ text, context }: Fact): string[] {
  const clauses = text.split(CLAUSES).filter((clause) => clause.split(' ').length >= LEAST_CLAUSE);
  return [...(clauses.length > 1 ? clauses : []), text, ...(context === '' ? [] : [`${context}: ${text}`])];
}
const CLAUSES = /; |, (?:and|but|so) |: /;
const LEAST_CLAUSE = 3;

/**
 * Weights of meaning, words, subject and kind of answer: a logistic fit on made-up businesses that took no part in
 * training the vectors (decision 0860).
 */
const MEANING = 15.2;
const WORDS = 0.8;
const SUBJECT = 2.3;
const HAS_KIND = 0.4;
const LACKS_KIND = -0.8;
/** Without vectors, words and kind count for all of them. */
const WORDS_ALONE = { words: 0.9, kind: 0.2 } as const;

function scoreOf(
  fact: Fact,
  { wanted }: Question,
  { words, meaning, subject }: Near & { readonly words: number },
): number {
  const has = hasWanted(wanted, fact.text);
  const ofKind = (yes: number, no: number): number => (has === undefined ? 0 : has ? yes : no);
  if (meaning === null) return ofKind(WORDS_ALONE.kind, -WORDS_ALONE.kind) + WORDS_ALONE.words * words;
  return MEANING * meaning + WORDS * words + SUBJECT * subject + ofKind(HAS_KIND, LACKS_KIND);
}
