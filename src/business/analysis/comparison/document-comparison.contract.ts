import type { Cite } from '@northline/document-reader/report.contract';

/** `POST /functions/v1/compare-documents` with `{file_id, other_id}`. */
export const COMPARE_DOCUMENTS = '/functions/v1/compare-documents';

/** A document of a comparison. */
export interface ComparedDocument {
  readonly file_id: string;
  readonly file_name: string;
  readonly title: string;
}

/** A fact that the two documents tell differently; undefined where one of them has none. */
export interface ChangedFact {
  readonly key: string;
  readonly label: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A piece of a changed paragraph. */
export interface ChangePart {
  readonly text: string;
  readonly mark: 'same' | 'added' | 'removed';
}

/** A paragraph that only one of the two has, or that they word differently. */
export interface TextChange {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly parts: readonly ChangePart[];
  /** Places in the earlier and in the later document. */
  readonly before: Cite | undefined;
  readonly after: Cite | undefined;
}

/** Answer of `compare-documents`: what became of the earlier document in the later one. */
export interface DocumentComparison {
  /** By the time of their upload. */
  readonly earlier: ComparedDocument;
  readonly later: ComparedDocument;
  readonly facts: readonly ChangedFact[];
  readonly changes: readonly TextChange[];
  /** Changes that are not listed, beyond the most that are shown. */
  readonly unlisted: number;
  /** Paragraphs that both have. */
  readonly same: number;
  /** False: the two differ so much that their paragraphs were compared without their order. */
  readonly ordered: boolean;
}
