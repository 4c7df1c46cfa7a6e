import type { Term } from '../likeness/word-meanings.server.ts';
import type { FoundFact } from './fact-search.server.ts';
import { hasWanted, type Question, type Wanted } from './question-reading.server.ts';

/** A fact of this score answers the question, and one of the lower score where it is far ahead of the next. */
const TOLD = 1;
const TOLD_AHEAD = 0.55;
const AHEAD = 0.2;
/** From here on a fact is offered if no fact answers the question. */
const OFFERED = 0.45;
/** How much the bars of an answer rise where none of the question's words stands in the prompt. */
const STRANGE = 0.2;
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
 * Decides whether the best fact answers a question. Rather nothing than a wrong answer: a price is not told
 * for a thing that the prompt never names, nor a fact that has no price where one is asked for.
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
  const strange = terms.filter((term) => !knows(term)).length / Math.max(1, terms.length);
  const bar = STRANGE * strange;
  const priceless = wanted === 'price' && strange > 0;
  if (!priceless && !lacksWanted(question, best) && isTold(best, second, bar)) return { is: 'told' };
  const least = best.meaning === null ? BY_WORDS.offered : OFFERED;
  const facts = found.filter((one) => one.score >= least && !lacksWanted(question, one));
  return facts.length === 0 || priceless ? { is: 'unknown' } : { is: 'offered', facts };
}

function isTold(best: FoundFact, second: FoundFact | undefined, bar: number): boolean {
  if (best.meaning === null) return best.score >= BY_WORDS.told && best.words >= BY_WORDS.least;
  const ahead = best.score - (second?.score ?? 0) >= AHEAD;
  return best.score >= TOLD + bar || (ahead && best.score >= TOLD_AHEAD + bar);
}

/** Whether a fact cannot answer a question because it has nothing of the kind that is asked for. */
const lacksWanted = ({ wanted }: Question, { fact }: FoundFact): boolean =>
  NEEDED.has(wanted) && hasWanted(wanted, fact.text) === false;
