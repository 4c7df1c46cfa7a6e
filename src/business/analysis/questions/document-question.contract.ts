import type { Cite } from '@northline/document-reader/report.contract';
import type { SearchHit } from '../search/document-search.contract.ts';

/** `POST /functions/v1/ask-documents`. */
export const ASK_DOCUMENTS = '/functions/v1/ask-documents';

/** A sentence of an answer, with the words of the document that it stands on: they were found there, letter by letter. */
export interface AnswerSentence {
  readonly text: string;
  readonly file_id: string;
  readonly file_name: string;
  readonly cite: Cite;
}

/**
 * Answer of `ask-documents`. `how` is `answer` when a language model has answered and every shown sentence carries a
 * quote that stands in the text; else `passages`: the places that fit the question best, and `why` there is no more.
 */
export interface DocumentAnswer {
  readonly how: 'answer' | 'passages';
  readonly why: 'no_model' | 'budget' | 'unavailable' | 'unverified' | null;
  readonly sentences: readonly AnswerSentence[];
  /** Sentences of the model that are not shown, as their quotes are not in the text. */
  readonly left_out: number;
  readonly passages: readonly SearchHit[];
}
