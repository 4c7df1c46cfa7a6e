/**
 * One item of `GET /functions/v1/news` (docs/specification/site.md §3); the answer is an array of them, newest first.
 */
export interface NewsItem {
  readonly title: string;
  /** ISO 8601. */
  readonly date: string;
  /** Plain text. */
  readonly content: string;
  /** Where the whole text is; own posts may lead to a place on this site. */
  readonly url: string;
}

/** Most items that the function answers. */
export const MOST_NEWS = 12;
