import type { DocumentKind } from '@northline/document-reader/report.contract';

/** Functions of rules. */
export const RULE_FUNCTIONS = {
  list: '/functions/v1/list-rules',
  save: '/functions/v1/save-rule',
  remove: '/functions/v1/remove-rule',
  try: '/functions/v1/try-rule',
} as const;

export const MOST_RULES = 50;
/** Documents that a dry run looks at. */
export const DRY_RUN_DOCUMENTS = 100;
/** Mails and webhooks that an account's rules send in a day; further documents say that the limit was reached. */
export const MOST_SENT_A_DAY = 200;

/** What a document must have: everything that is given. */
export interface Wanted {
  readonly kind?: DocumentKind | undefined;
  /** Words in the sender's name, in any case. */
  readonly sender?: string | undefined;
  /** Bounds of the total, in whatever currency. */
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  /** The label of a field, and words that its value contains; without words it only has to be there. */
  readonly field?: { readonly label: string; readonly contains?: string | undefined } | undefined;
}

/** What is done with it: everything that is given. */
export interface Acts {
  readonly tag?: string | undefined;
  /** A name with `{kind}`, `{sender}`, `{number}`, `{date}`, `{due}`, `{total}`, `{title}` or `{a field's label}`. */
  readonly name?: string | undefined;
  /** Mail to the account's own address. */
  readonly mail?: true | undefined;
  /** The address of a program that answered our proof. */
  readonly webhook?: string | undefined;
  /** Days before the day of a field. */
  readonly remind?: { readonly label: string; readonly days: number } | undefined;
}

/** A rule as its owner sees it. */
export interface DocumentRule {
  readonly id: string;
  readonly name: string;
  readonly wanted: Wanted;
  readonly acts: Acts;
  readonly active: boolean;
  /** Number of documents with which it did something. */
  readonly runs: number;
  /** Signs its webhooks, `whsec_…`; null without a webhook. */
  readonly secret: string | null;
}

/** One action and its result, as a sentence without a full stop: `tag “Energy”`. */
export interface DoneAct {
  readonly act: keyof Acts;
  readonly text: string;
}

/** A document in a dry run. */
export interface TriedDocument {
  readonly file_id: string;
  readonly file_name: string;
  readonly acts: readonly DoneAct[];
}

/** The answer of `try-rule`. */
export interface DryRun {
  /** Number of documents that were looked at. */
  readonly looked: number;
  /** Those that the rule would have met. */
  readonly met: readonly TriedDocument[];
}
