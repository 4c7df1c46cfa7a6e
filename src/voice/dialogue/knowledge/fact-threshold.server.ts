import type { Term } from '../likeness/word-meanings.server.ts';
import type { FoundFact } from './fact-search.server.ts';
import { hasWanted, type Question, type Wanted } from './question-reading.server.ts';

/**
 * The chances that a fact answers the question, among all facts and none, from which on callers hear it or are offered
 * it. Chosen so that some 3 % of the lines of businesses that did not teach the vectors are answered wrongly (decision 0860).
 */
const TOLD = 0.8;
const OFFERED = 0.2;
/** A fact that has most of the question's telling words is told from a lower chance on. */
const WELL_COVERED = 0.75;
const TOLD_WELL_COVERED = 0.5;
/** The score of no fact. Words that the prompt does not have lower it: then the scores of all facts are low. */
const NONE = 6.6;
const STRANGE_WORDS = -2.25;
const NO_WORDS = -1.8;
/** How much the bar by words alone rises where a price is asked for with a word that the prompt does not have. */
const STRANGE_PRICE_BY_WORDS = 0.3;
/** Without vectors a fact answers only if it has most of the words. */
const BY_WORDS = { told: 0.6, offered: 0.5, least: 0.5 } as const;
/** Kinds of answers that a text visibly has or does not have. */
const NEEDED: ReadonlySet<Wanted> = new Set(['price', 'duration', 'phone', 'email', 'year']);

/** What the facts give a question: an answer, some that may be meant, or nothing. */
export type Verdict =
  | { readonly is: 'told' }
  | { readonly is: 'offered'; readonly facts: readonly FoundFact[] }
  | { readonly is: 'unknown' };

/**
 * Decides whether the best fact answers a question. Rather nothing than a wrong answer: a fact without a price is
 * not told where one is asked for, and a price for a thing with another name only if it is very likely.
 *
 * @param found best first
 * @param knows whether the prompt has a word
 */
export function verdictOn(
  question: Question,
  found: readonly FoundFact[],
  knows: (term: Term) => boolean,
): Verdict {
  const [best] = found;
  if (best === undefined) return { is: 'unknown' };
  const { terms, wanted } = question;
  const strange = terms.filter((term) => !knows(term)).length;
  const strangePrice = wanted === 'price' && strange > 0;
  const fits = found.filter((one) => !lacksWanted(question, one));
  if (best.meaning === null) return byWords(best, fits, strangePrice ? STRANGE_PRICE_BY_WORDS : 0);
  const none = NONE + (terms.length === 0 ? NO_WORDS : (STRANGE_WORDS * strange) / terms.length);
  const all = Math.exp(none) + found.reduce((sum, { score }) => sum + Math.exp(score), 0);
  const chance = ({ score }: FoundFact): number => Math.exp(score) / all;
  const bar = best.words >= WELL_COVERED ? TOLD_WELL_COVERED : TOLD;
  if (fits.includes(best) && chance(best) >= bar) return { is: 'told' };
  const facts = fits.filter((one) => chance(one) >= OFFERED);
  return facts.length === 0 || strangePrice ? { is: 'unknown' } : { is: 'offered', facts };
}

function byWords(best: FoundFact, fits: readonly FoundFact[], bar: number): Verdict {
  if (fits.includes(best) && best.score >= BY_WORDS.told + bar && best.words >= BY_WORDS.least)
    return { is: 'told' };
  const facts = fits.filter(({ score }) => score >= BY_WORDS.offered);
  return facts.length === 0 || bar > 0 ? { is: 'unknown' } : { is: 'offered', facts };
}

/** Whether a fact cannot answer a question because it has nothing of the kind that is asked for. */
const lacksWanted = ({ wanted }: Question, { fact }: FoundFact): boolean =>
  NEEDED.has(wanted) && hasWanted(wanted, fact.text) === false;
