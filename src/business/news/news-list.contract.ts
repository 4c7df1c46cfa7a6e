/**
 * One item of `GET /functions/v1/news` (docs/specification/site.md §3); the answer is an array of them, newest first.
 */
export interface NewsItem {
  readonly title: string;
  /** ISO 8601. */
  readonly date: string;
  /** Plain text. */
  readonly content: string;
  /** Where the whole text is: own posts have a page of this site, articles of feeds are at their source. */
  readonly url: string;
}

/** Most items that the function answers. */
export const MOST_NEWS = 12;

/** `GET /functions/v1/news-article?id=`: one published post of the agency. */
export interface NewsArticle {
  readonly title: string;
  /** ISO 8601. */
  readonly date: string;
  /** Plain text; headings `## `, list items `- `, and paragraphs with an empty line between them. */
  readonly content: string;
  /** Where there is more, a path or an https address; null where this is all. */
  readonly url: string | null;
}

/** Longest texts of a post, characters; the same as in the database. */
export const NEWS_LENGTHS = { title: 200, content: 4000, url: 500 } as const;

/** `GET operator-news?q=&after=`: newest first, at most 50, also posts that are dated in the future. */
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
