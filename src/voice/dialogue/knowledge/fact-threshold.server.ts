import type { Term } from '../likeness/word-meanings.server.ts';
import type { FoundFact } from './fact-search.server.ts';
import { hasWanted, type Question, type Wanted } from './question-reading.server.ts';

/**
 * A fact that is ahead of the next one answers the question from the higher score on, one that is far ahead from the
 * lower one, and any fact for which words, meaning and kind alone are enough (decision 0700).
 */
const TOLD = 1.5;
const AHEAD = 0.1;
const TOLD_FAR_AHEAD = 0.9;
const FAR_AHEAD = 0.3;
const TOLD_PLAIN = 1.1;
/** From here on a fact is offered if no fact answers the question. */
const OFFERED = 0.6;
/** How much these bars rise where a price is asked for with a word that the prompt does not have. */
const STRANGE_PRICE = 0.3;
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
  const [best, second] = found;
  if (best === undefined) return { is: 'unknown' };
  const { terms, wanted } = question;
  const bar = wanted === 'price' && !terms.every(knows) ? STRANGE_PRICE : 0;
  if (!lacksWanted(question, best) && isTold(best, second, bar)) return { is: 'told' };
  const least = best.meaning === null ? BY_WORDS.offered : OFFERED;
  const facts = found.filter((one) => one.score >= least && !lacksWanted(question, one));
  return facts.length === 0 || bar > 0 ? { is: 'unknown' } : { is: 'offered', facts };
}

function isTold(best: FoundFact, second: FoundFact | undefined, bar: number): boolean {
  if (best.meaning === null) return best.score >= BY_WORDS.told + bar && best.words >= BY_WORDS.least;
  if (best.plain >= TOLD_PLAIN + bar) return true;
  const ahead = best.score - (second?.score ?? 0);
  return (
    (ahead >= AHEAD && best.score >= TOLD + bar) || (ahead >= FAR_AHEAD && best.score >= TOLD_FAR_AHEAD + bar)
  );
}

/** Whether a fact cannot answer a question because it has nothing of the kind that is asked for. */
const lacksWanted = ({ wanted }: Question, { fact }: FoundFact): boolean =>
  NEEDED.has(wanted) && hasWanted(wanted, fact.text) === false;
