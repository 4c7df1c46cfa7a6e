import type { Term } from '../likeness/word-meanings.server.ts';
import { factWeights } from './fact-likelihood.server.ts';
import type { ComparedFact } from './fact-search.server.ts';
import { hasWanted, type Question, type Wanted } from './question-reading.server.ts';

/** How much lower the bar is where words and meaning agree, or where the other facts are far behind. */
const LESS_IF_SURE = 0.18;
const STRANGE = 0.8;
const LACKING = 0.9;
/** Kinds of answers that a text visibly has or does not have. */
const NEEDED: ReadonlySet<Wanted> = new Set(['price', 'duration', 'phone', 'email', 'year']);
/** The bar is never higher than this in the usual case. */
const MOST = 0.7;
const SURE = 0.6;
const AHEAD_FROM = 0.52;
const AHEAD = 0.14;

/** A question, the fact that answers it best, and the second best. */
export interface Found {
  readonly question: Question;
  readonly best: ComparedFact;
  readonly second: ComparedFact | undefined;
}

/**
 * The likelihood from which a fact is given as the answer.
 *
 * @param knows whether the prompt has a word
 * @param told the bar that was learned from questions; it is lowered where nothing else can be meant
 */
export function barOf(
  { question, best, second }: Found,
  knows: (term: Term) => boolean,
  told: number = best.features.length === 0 ? MOST : factWeights().told,
): number {
  // The prompt never names the thing whose price is asked for: its prices are for other things.
  if (question.wanted === 'price' && !question.terms.every(knows)) return STRANGE;
  // A fact without a price, time or number does not answer a question for one, however many words they share.
  if (lacksWanted(question, best)) return LACKING;
  const bar = Math.min(MOST, told);
  return isSure(best, question) || isAhead(best, second) ? bar - LESS_IF_SURE : bar;
}

/** Whether a fact cannot answer a question because it has nothing of the kind that is asked for. */
export const lacksWanted = ({ wanted }: Question, { fact }: ComparedFact): boolean =>
  NEEDED.has(wanted) && hasWanted(wanted, fact.text) === false;

function isSure({ score, words, meaning }: ComparedFact, { terms }: Question): boolean {
  if (terms.length === 0) return meaning >= 0.42;
  return score >= SURE && (words >= 0.5 || meaning >= 0.5);
}

/** Whether the other facts are far behind. */
function isAhead(best: ComparedFact, second: ComparedFact | undefined): boolean {
  const behind = best.score - (second?.score ?? 0);
  return best.score >= AHEAD_FROM && behind >= AHEAD && best.words >= 0.3 && best.meaning >= 0.28;
}
