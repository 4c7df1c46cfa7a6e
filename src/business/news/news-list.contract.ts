/**
 * One item of `GET /functions/v1/news` (docs/specification/site.md §3); the reply is an array of them, newest
 * first.
 */
export interface NewsItem {
  readonly title: string;
  /** ISO 8601. */
  readonly date: string;
  /** Plain text. */
  readonly content: string;
  /**
   * The address of the whole text: own posts have a page on this site, articles of feeds are at their source.
   */
  readonly url: string;
}

/** Most items in a reply. */
export const MOST_NEWS = 12;

/** `GET /functions/v1/news-article?id=`: one published post of the agency. */
export interface NewsArticle {
  readonly title: string;
  /** ISO 8601. */
  readonly date: string;
  /** Plain text; `## ` begins a heading, `- ` a list item; an empty line separates paragraphs. */
  readonly content: string;
  /** Where to read more, a path or an https address; null when there is no more. */
  readonly url: string | null;
}

/** Longest texts of a post, characters; the database has the same limits. */
export const NEWS_LENGTHS = { title: 200, content: 4000, url: 500 } as const;

/** `GET operator-news?q=&after=`: newest first, at most 50, including posts with a future date. */
export interface ConsolePostPage {
  readonly rows: readonly {
    readonly id: string;
    readonly title: string;
    readonly content: string;
    readonly url: string | null;
    readonly published_at: string;
  }[];
  readonly next: string | null;
}
