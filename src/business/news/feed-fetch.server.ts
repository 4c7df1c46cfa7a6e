import type { Settings } from '../../kernel/config/settings.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import type { OutboundHttp, OutboundReply } from '../../kernel/resources/outbound-http/outbound-http.ts';
import { feedText, MAX_FEED_BYTES, readFeed } from './feed-reader.server.ts';
import type { NewsItem } from './news-list.contract.ts';

declare module '../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.feed_copies.items': Copy['items'];
  }
}

/** What other sites' feeds say. */
export interface Feeds {
  /** Their items, newest first; the last known ones for a feed that cannot be reached. */
  latest(): Promise<NewsItem[]>;
}

const FRESH_MS = 15 * 60_000;
const LONGEST_WAIT_MS = 8000;
const MOST_HOPS = 3;
const LONGEST_VALIDATOR = 300;

interface Copy {
  readonly url: string;
  readonly etag: string;
  readonly last_modified: string;
  readonly items: readonly NewsItem[];
}

/** What the feeds need. */
interface FeedParts {
  readonly database: Database;
  readonly outbound: OutboundHttp;
  readonly log: Log;
  readonly settings: Pick<Settings, 'NEWS_FEEDS'>;
}

/**
 * Keeps copies of the feeds in NEWS_FEEDS. They are fetched through the guarded client when the page is
 * viewed, at most every 15 minutes, and only if they changed. An existing copy is served while a new one is
 * fetched (docs/specification/site.md §10). Copies survive a restart.
 */
export function createFeeds({ database, outbound, log, settings }: FeedParts): Feeds {
  const copies = new Map<string, Copy>();
  let known: Promise<void> | undefined;
  let fetchedAt = 0;
  let fetching: Promise<void> | undefined;
  let addresses = settings.NEWS_FEEDS;

  /** Other feeds in the settings are fetched at once, and the items of feeds that have left it go. */
  function follow(): void {
    if (addresses === settings.NEWS_FEEDS) return;
    addresses = settings.NEWS_FEEDS;
    known = undefined;
    fetchedAt = 0;
    for (const url of copies.keys()) if (!addresses.includes(url)) copies.delete(url);
  }

  async function recall(): Promise<void> {
    const rows = await database.many(
      'select url, etag, last_modified, items from private.feed_copies where url = any ($1)',
      [addresses],
    );
    for (const row of rows) copies.set(row.url, row);
  }

  async function fetchOne(url: string): Promise<void> {
    try {
      const copy = await fetchFeed(outbound, url, copies.get(url));
      // A feed that left the settings meanwhile stays out.
      if (copy === undefined || !addresses.includes(url)) return;
      copies.set(url, copy);
      await keep(database, copy);
    } catch (error) {
      log.warn({ err: error, host: URL.parse(url)?.host }, 'a news feed could not be read');
    }
  }

  return {
    async latest() {
      follow();
      if (addresses.length === 0) return [];
      known ??= recall();
      await known.catch((error) => {
        known = undefined;
        throw error;
      });
      if (fetching === undefined && Date.now() - fetchedAt > FRESH_MS) {
        fetching = Promise.all(addresses.map(fetchOne)).then(() => {
          fetchedAt = Date.now();
          fetching = undefined;
        });
      }
      if (copies.size === 0) await fetching;
      return [...copies.values()]
        .flatMap(({ items }) => items)
        .sort((left, right) => right.date.localeCompare(left.date));
    },
  };
}

/**
 * Fetches a feed once.
 *
 * @param before the copy that is known; then only a changed feed is fetched
 * @returns undefined for a feed that has not changed
 * @throws Error with the reason why there is no feed
 */
export async function fetchFeed(
  outbound: OutboundHttp,
  url: string,
  before?: Copy,
): Promise<Copy | undefined> {
  const reply = await followRedirects(outbound, url, before);
  if (reply.status === 304 && before !== undefined) return undefined;
  if (reply.status !== 200) throw new Error(`the feed answered ${reply.status}`);
  if (reply.cut) throw new Error('the feed is too long');
  return { url, ...validators(reply), items: readFeed(feedText(reply)) };
}

/** Follows redirects, each hop through the same guard (docs/security-attacks.md, attack 36). */
async function followRedirects(
  outbound: OutboundHttp,
  first: string,
  before: Copy | undefined,
): Promise<OutboundReply> {
  let url = first;
  for (let hop = 0; ; hop += 1) {
    const reply = await outbound.request({
      url,
      method: 'GET',
      headers: {
        accept:
          'application/rss+xml, application/atom+xml, application/feed+json, application/json, */*;q=0.1',
        'user-agent': 'Northline/1',
        ...(before === undefined || before.etag === '' ? {} : { 'if-none-match': before.etag }),
        ...(before === undefined || before.last_modified === ''
          ? {}
          : { 'if-modified-since': before.last_modified }),
      },
      maxBytes: MAX_FEED_BYTES,
      totalMs: LONGEST_WAIT_MS,
    });
    const { location } = reply.headers;
    if (![301, 302, 303, 307, 308].includes(reply.status) || location === undefined) return reply;
    const next = URL.parse(location, url);
    if (next === null || hop === MOST_HOPS) throw new Error('the feed leads from one address to the next');
    url = next.href;
  }
}

function validators({ headers }: OutboundReply): Pick<Copy, 'etag' | 'last_modified'> {
  const short = (value: string | undefined): string =>
    value === undefined || value.length > LONGEST_VALIDATOR ? '' : value;
  return { etag: short(headers.etag), last_modified: short(headers['last-modified']) };
}

async function keep(database: Database, copy: Copy): Promise<void> {
  await database.run(
    `insert into private.feed_copies (url, etag, last_modified, items) values ($1, $2, $3, $4)
     on conflict (url) do update set etag = excluded.etag, last_modified = excluded.last_modified,
       items = excluded.items, fetched_at = now()`,
    [copy.url, copy.etag, copy.last_modified, JSON.stringify(copy.items)],
  );
}
