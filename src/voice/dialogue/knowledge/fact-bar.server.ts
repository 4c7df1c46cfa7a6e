import type { Term } from '../likeness/word-meanings.server.ts';
import { factWeights } from './fact-likelihood.server.ts';
import type { ComparedFact } from './fact-search.server.ts';
import { hasWanted, type Question, type Wanted } from './question-reading.server.ts';

/** Less is enough where words and meaning agree, or where the others are far behind. */
const LESS_IF_SURE = 0.18;
const STRANGE = 0.8;
const LACKING = 0.9;
/** What such a question wants is plain to see in its answer. */
const NEEDED: ReadonlySet<Wanted> = new Set(['price', 'duration', 'phone', 'email', 'year']);
/** What words alone find is no likelier than this. */
const MOST = 0.7;
const SURE = 0.6;
const AHEAD_FROM = 0.52;
const AHEAD = 0.14;

/** A question, the fact that answers it best, and the next. */
export interface Found {
  readonly question: Question;
  readonly best: ComparedFact;
  readonly second: ComparedFact | undefined;
}

/**
 * How likely a fact must be the answer to be told.
 *
 * @param knows whether the prompt has a word
 * @param told what was learned of questions; a little less is enough where nothing else can be meant
 */
export function barOf(
  { question, best, second }: Found,
  knows: (term: Term) => boolean,
  told: number = best.features.length === 0 ? MOST : factWeights().told,
): number {
  // A price of something that the prompt never names is nobody's.
  if (question.wanted === 'price' && !question.terms.every(knows)) return STRANGE;
  // What has no price, time or number is no answer to who asks for one, however many words they share.
  if (lacksWanted(question, best)) return LACKING;
  const bar = Math.min(MOST, told);
  return isSure(best, question) || isAhead(best, second) ? bar - LESS_IF_SURE : bar;
}

/** Whether a fact is no answer to a question, as it has nothing of what is asked for. */
export const lacksWanted = ({ wanted }: Question, { fact }: ComparedFact): boolean =>
  NEEDED.has(wanted) && hasWanted(wanted, fact.text) === false;

function isSure({ score, words, meaning }: ComparedFact, { terms }: Question): boolean {
  if (terms.length === 0) return meaning >= 0.42;
  return score >= SURE && (words >= 0.5 || meaning >= 0.5);
}

/** The others are far behind. */
function isAhead(best: ComparedFact, second: ComparedFact | undefined): boolean {
  const behind = best.score - (second?.score ?? 0);
  return best.score >= AHEAD_FROM && behind >= AHEAD && best.words >= 0.3 && best.meaning >= 0.28;
}
