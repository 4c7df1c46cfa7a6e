/** What the console's search finds, in the order in which it is shown. */
export const SEARCH_KINDS = [
  'customer',
  'enquiry',
  'call',
  'booking',
  'message',
  'invoice',
  'lesson',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Fewest characters that are searched for. */
export const FEWEST_SEARCHED = 2;

/** One thing that was found. */
export interface SearchHit {
  readonly kind: SearchKind;
  readonly id: string;
  /** The customer whose thing it is; null where it has no account. */
  readonly owner: string | null;
  readonly title: string;
  /** A line about it: an address, a service, a summary. */
  readonly about: string;
  /** ISO 8601. */
  readonly at: string;
}

/** `GET operator-search?q=`: at most {@link MOST_OF_A_KIND} of each kind, the newest first. */
export interface SearchHits {
  readonly hits: readonly SearchHit[];
}

/** Most hits of one kind. */
export const MOST_OF_A_KIND = 5;
