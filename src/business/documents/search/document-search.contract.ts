import type { Cite } from '@northline/document-reader/report.contract';

/** `POST /functions/v1/search-documents` and `POST /functions/v1/similar-documents`. */
export const SEARCH_FUNCTIONS = {
  search: '/functions/v1/search-documents',
  similar: '/functions/v1/similar-documents',
} as const;

/** Longest search, characters. */
export const LONGEST_SEARCH = 300;

/** A part of a found passage; `hit` marks the searched words. */
export interface SnippetPart {
  readonly text: string;
  readonly hit: boolean;
}

/** A found passage. */
export interface SearchHit {
  readonly file_id: string;
  readonly file_name: string;
  /** The report's title and kind. */
  readonly title: string;
  readonly kind: string;
  readonly page: number | null;
  readonly snippet: readonly SnippetPart[];
  /** The place of the found words in the document. */
  readonly cite: Cite;
}

/**
 * Answer of `search-documents`. `how` says what was found: passages with all the words, in any form; with `some` of them;
 * with similarly written words, which `instead` names; or with the letters, anywhere.
 */
export interface SearchAnswer {
  readonly how: 'words' | 'some' | 'similar' | 'letters' | 'nothing';
  readonly instead: readonly string[];
  readonly hits: readonly SearchHit[];
  /** Number of the user's reports whose text is not indexed yet. */
  readonly waiting: number;
}

/** A document that uses the same words; `score` is 0 to 1. */
export interface SimilarDocument {
  readonly file_id: string;
  readonly file_name: string;
  readonly title: string;
  readonly kind: string;
  readonly score: number;
  /** The words that both use most. */
  readonly shared: readonly string[];
}
