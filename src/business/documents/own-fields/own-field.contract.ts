import type { Cite, DocumentKind } from '@northline/document-reader/report.contract';

/** Functions for the fields that customers name. */
export const OWN_FIELD_FUNCTIONS = {
  define: '/functions/v1/define-own-field',
  remove: '/functions/v1/remove-own-field',
  teach: '/functions/v1/teach-own-field',
  table: '/functions/v1/own-field-table',
  export: '/functions/v1/export-own-fields',
} as const;

/** Most fields for a kind of document, and of an account. */
export const MOST_FIELDS_OF_A_KIND = 20;
export const MOST_FIELDS = 100;
/** Examples that a field learns from: the latest ones. */
export const MOST_EXAMPLES = 12;
/** Before this number, the page asks for more examples. */
export const ENOUGH_EXAMPLES = 3;
/** Longest name of a field, characters. */
export const LONGEST_NAME = 60;

/** Keys of such fields in a report begin with this; their id follows. */
export const OWN_KEY = 'own:';

/**
 * From whose documents a field is read: its owner's, those of the owner's team, or those of all customers. Only operators of
 * the agency give a field to all customers; it is the agency's then.
 */
export const FIELD_REACHES = ['own', 'team', 'customers'] as const;
export type FieldReach = (typeof FIELD_REACHES)[number];

/** The reach of a field, from its columns. */
export function reachOf({
  user_id: owner,
  team_id: team,
}: Pick<OwnField, 'user_id' | 'team_id'>): FieldReach {
  if (owner === null) return 'customers';
  return team === null ? 'own' : 'team';
}

/** A field that a customer or the agency named. */
export interface OwnField {
  readonly id: string;
  /** Who named it; null if it is the agency's. */
  readonly user_id: string | null;
  /** The team that shares it. */
  readonly team_id: string | null;
  readonly kind: DocumentKind;
  readonly name: string;
  /** Grows whenever something else was learned; 0 without an example. */
  readonly version: number;
}

/** Its value in one document. */
export interface OwnFieldValue {
  readonly field_id: string;
  /** Null if the document does not have it. */
  readonly value: string | null;
  readonly normalized: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly cites: readonly Cite[];
  /** A person gave it: an example. */
  readonly given: boolean;
  /** The version of the field that it was read with. */
  readonly version: number;
}

/** Where a person drew the box: page from 1, and its middle as shares of the page's width and height. */
export interface DrawnPlace {
  readonly page: number;
  readonly x: number;
  readonly y: number;
}

/** A document in the table of its kind. */
export interface OwnFieldDocument {
  readonly file_id: string;
  readonly file_name: string;
  readonly title: string;
  /** ISO time of the upload. */
  readonly created_at: string;
  readonly values: readonly Omit<OwnFieldValue, 'cites'>[];
}

/** The answer of `own-field-table`. */
export interface OwnFieldTable {
  /** The kinds of the customer's documents, with the number of documents and of fields. */
  readonly kinds: readonly {
    readonly kind: DocumentKind;
    readonly documents: number;
    readonly fields: number;
  }[];
  readonly kind: DocumentKind | null;
  readonly fields: readonly (OwnField & { readonly examples: number })[];
  readonly documents: readonly OwnFieldDocument[];
  /** Whether there are more documents than are listed. */
  readonly more: boolean;
  /** Whose fields the caller may make of a field of their own. */
  readonly reaches: readonly FieldReach[];
}
