import type { Cite } from '@northline/document-reader/report.contract';
import type { SearchHit } from '../search/document-search.contract.ts';

/** `POST /functions/v1/ask-documents`. */
export const ASK_DOCUMENTS = '/functions/v1/ask-documents';

/** A sentence of an answer, with the words of the document that prove it, exactly as they are there. */
export interface AnswerSentence {
  readonly text: string;
  readonly file_id: string;
  readonly file_name: string;
  readonly cite: Cite;
}

/**
 * Answer of `ask-documents`. `how` is `answer` if a language model answered and every shown sentence has a quote from the
 * text; otherwise it is `passages`: the places that fit the question best, and `why` gives the reason.
 */
export interface DocumentAnswer {
  readonly how: 'answer' | 'passages';
  readonly why: 'no_model' | 'budget' | 'unavailable' | 'unverified' | null;
  readonly sentences: readonly AnswerSentence[];
  /** Number of the model's sentences that are not shown, as their quotes are not in the text. */
  readonly left_out: number;
  readonly passages: readonly SearchHit[];
}
