import { coreOf } from '../likeness/core-words.server.ts';
import { product } from '../likeness/packed-vectors.server.ts';
import { type Term, termsOf } from '../likeness/word-meanings.server.ts';
import { likelihoodOf } from './fact-likelihood.server.ts';
import type { Fact } from './prompt-reading.server.ts';
import { hasWanted, type Question } from './question-reading.server.ts';
import {
  chanceOfSubject,
  SUBJECT_QUESTIONS,
  SUBJECT_STATEMENTS,
  sharedSubject,
  subjectChances,
} from './subject-examples.server.ts';

/** Turns texts into vectors of length one; the product of two says how similar their meanings are. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** How a fact compares with a question. */
export interface ComparedFact {
  readonly fact: Fact;
  /** Share of the question's telling words that the fact has, 0 to 1; rare words count more. */
  readonly words: number;
  /** Similarity of meaning, -1 to 1; 0 without embeddings. */
  readonly meaning: number;
  /** How likely both are about the same subject, 0 to 1; 0 without embeddings. */
  readonly subject: number;
  /** Combines words, meaning, and whether the fact has the kind of answer that is wanted: 1 is certain. */
  readonly score: number;
  /**
   * The features for its likelihood: the above, how far the other facts are behind, and how much of the fact
   * was asked for; empty without embeddings.
   */
  readonly features: readonly number[];
}

/** How well a fact answers a question. */
export interface FoundFact extends ComparedFact {
  /** How likely it answers the question, 0 to 1. */
  readonly likely: number;
}

/** How similar the meaning of a fact is to a question's. */
interface NearFact {
  readonly likeness: number;
  readonly subject: number;
}

interface Indexed {
  readonly fact: Fact;
  readonly stems: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

const FROM_GROUP = 0.9;
const IN_CONTEXT = 0.95;
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

  /** The facts, most likely first. */
  async find(question: Question): Promise<FoundFact[]> {
    const compared = await this.compare(question);
    return compared
      .map((one) => ({
        ...one,
        likely: one.features.length === 0 ? byWords(one) : likelihoodOf(one.features),
      }))
      .sort((one, other) => other.likely - one.likely);
  }

  /** The facts, best score first. */
  async compare(question: Question): Promise<ComparedFact[]> {
    const near = await this.#near(question.words);
    const total = question.terms.reduce((sum, term) => sum + this.#weight(term), 0);
    const found = this.#facts
      .map((indexed, at) => {
        const words = total === 0 ? 0 : this.#shared(indexed, question.terms) / total;
        const meaning = near[at]?.likeness ?? null;
        const score = scoreOf(indexed.fact, question, words, meaning);
        const subject = near[at]?.subject ?? 0;
        return { fact: indexed.fact, words, meaning: meaning ?? 0, subject, score };
      })
      .sort((one, other) => other.score - one.score);
    return found.map((one, at) => ({
      ...one,
      features: near.length === 0 ? [] : featuresOf(one, found, at, question),
    }));
  }

  /**
   * How likely the words are about a subject that callers ask any business about, 0 to 1; 0 without
   * embeddings.
   */
  async chanceOf(subject: string, words: string): Promise<number> {
    const [asked] = (await this.#embed?.([coreOf(words)]).catch(() => [])) ?? [];
    return asked === undefined ? 0 : chanceOfSubject(subject, words, asked);
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
  async #near(words: string): Promise<readonly NearFact[]> {
    const embed = this.#embed;
    if (embed === null || this.#facts.length === 0) return [];
    const meant = this.#facts.slice(0, MOST_MEANT);
    const texts = meant.flatMap(({ fact }) => textsOf(fact));
    // Where the model is missing or late, only words are compared.
    const [asked, ...vectors] = await embed([coreOf(words), ...texts]).catch(() => []);
    if (asked === undefined) return [];
    const subjects = subjectChances(SUBJECT_QUESTIONS, words, asked);
    let at = 0;
    return meant.map(({ fact }) => {
      const own = vectors.slice(at, at + textsOf(fact).length);
      at += own.length;
      const likeness = own.map((vector, which) => product(asked, vector) * (which === 0 ? 1 : IN_CONTEXT));
      return {
        likeness: Math.max(...likeness),
        subject: sharedSubject(subjects, subjectsOf(fact, own.at(-1) ?? [])),
      };
    });
  }
}

/** The subjects of facts, kept as long as their vectors: they are the same for every question. */
const statementSubjects = new WeakMap<object, readonly number[]>();

function subjectsOf(fact: Fact, meaning: ArrayLike<number>): readonly number[] {
  const known =
    statementSubjects.get(meaning) ?? subjectChances(SUBJECT_STATEMENTS, textsOf(fact).at(-1) ?? '', meaning);
  statementSubjects.set(meaning, known);
  return known;
}

/** The texts of a fact whose meaning is compared: the fact itself, and the fact under its heading. */
export function textsOf({ text, context }: Fact): string[] {
  return context === '' ? [text] : [text, `${context}: ${text}`];
}

/** Weights of words and meaning, chosen on the paraphrases of `bench/voice/assistants/*.dev.txt`. */
const WORDS = 0.62;
const MEANING = 0.75;
const WORDS_ALONE = 0.9;

/** The likelihood without embeddings: enough to tell the fact, to ask back, or neither. */
const byWords = ({ score, words }: ComparedFact): number =>
  score >= 0.6 && words >= 0.5 ? 0.7 : score >= 0.5 && words >= 0.3 ? 0.3 : 0;
/** How many of the best facts a fact is compared with. */
const COMPARED = 8;

/** The features whose weights `scripts/voice/train-understanding.ts` learned; the first is constant. */
function featuresOf(
  { fact, words, meaning, subject }: Omit<ComparedFact, 'features'>,
  found: readonly Omit<ComparedFact, 'features'>[],
  at: number,
  { wanted, terms }: Question,
): number[] {
  const others = found.slice(0, COMPARED).filter((_, place) => place !== at);
  const ahead = (of: 'words' | 'meaning' | 'subject'): number =>
    Math.max(0, ...others.map((other) => other[of]));
  const has = hasWanted(wanted, fact.text);
  const own = termsOf(fact.text);
  const asked = own.filter(({ stem, group }) =>
    terms.some((term) => term.stem === stem || (group !== null && term.group === group)),
  ).length;
  return [
    1,
    words,
    meaning,
    has === undefined ? 0 : has ? 1 : -1,
    asked / Math.max(1, own.length),
    meaning - ahead('meaning'),
    words - ahead('words'),
    subject,
    subject - ahead('subject'),
  ];
}

function scoreOf(fact: Fact, { wanted }: Question, words: number, meaning: number | null): number {
  const has = hasWanted(wanted, fact.text);
  const kind = has === undefined ? 0 : has ? 0.15 : -0.25;
  if (meaning === null) return WORDS_ALONE * words + kind;
  return WORDS * words + MEANING * Math.max(0, meaning) + kind;
}
