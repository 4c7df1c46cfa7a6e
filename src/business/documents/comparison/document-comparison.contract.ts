import type { Cite } from '@northline/document-reader/report.contract';

/** `POST /functions/v1/compare-documents` with `{file_id, other_id}`. */
export const COMPARE_DOCUMENTS = '/functions/v1/compare-documents';

/** A document of a comparison. */
export interface ComparedDocument {
  readonly file_id: string;
  readonly file_name: string;
  readonly title: string;
}

/** A fact that differs between the two documents; undefined in the document that lacks it. */
export interface ChangedFact {
  readonly key: string;
  readonly label: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A part of a changed paragraph. */
export interface ChangePart {
  readonly text: string;
  readonly mark: 'same' | 'added' | 'removed';
}

/** A paragraph that only one of the two documents has, or that they word differently. */
export interface TextChange {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly parts: readonly ChangePart[];
  /** Its places in the earlier and in the later document. */
  readonly before: Cite | undefined;
  readonly after: Cite | undefined;
}

/** Answer of `compare-documents`: the changes from the earlier document to the later one. */
export interface DocumentComparison {
  /** The document that was uploaded first. */
  readonly earlier: ComparedDocument;
  readonly later: ComparedDocument;
  readonly facts: readonly ChangedFact[];
  readonly changes: readonly TextChange[];
  /** Number of changes beyond the listed ones. */
  readonly unlisted: number;
  /** Number of paragraphs that both have. */
  readonly same: number;
  /** False if the two differ so much that their paragraphs were compared without regard to order. */
  readonly ordered: boolean;
}
