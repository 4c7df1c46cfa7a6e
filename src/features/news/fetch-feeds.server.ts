import type { Log } from '../../resources/log/log.ts';
import type { OutboundHttp } from '../../resources/outbound-http/outbound-http.ts';
import type { NewsItem } from './list-news.contract.ts';
import { readFeed } from './read-feed.server.ts';

/** What other sites' feeds say. */
export interface Feeds {
  /** Their items, newest first; the last known ones of a feed that cannot be reached. */
  latest(): Promise<NewsItem[]>;
}

const FRESH_MS = 15 * 60_000;
const LONGEST_WAIT_MS = 8000;
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Keeps the feeds of NEWS_FEEDS: fetched by the guarded client when somebody asks, at most every
 * 15 minutes; once there is a copy, it is served while a new one is fetched (`spec/readings.md`).
 */
export function createFeeds(outbound: OutboundHttp, addresses: readonly string[], log: Log): Feeds {
  const copies = new Map<string, NewsItem[]>();
  let fetchedAt = 0;
  let fetching: Promise<void> | undefined;

  async function fetchOne(url: string): Promise<void> {
    try {
      const reply = await outbound.request({
        url,
        method: 'GET',
        headers: {
          accept: 'application/rss+xml, application/atom+xml, application/feed+json, application/json',
        },
        maxBytes: MAX_BYTES,
        totalMs: LONGEST_WAIT_MS,
      });
      if (reply.status !== 200) throw new Error(`the feed answered ${reply.status}`);
      copies.set(url, readFeed(reply.body.toString('utf8')));
    } catch (error) {
      log.warn({ err: error, host: URL.parse(url)?.host }, 'a news feed could not be read');
    }
  }

  return {
    async latest() {
      if (addresses.length === 0) return [];
      if (fetching === undefined && Date.now() - fetchedAt > FRESH_MS) {
        fetching = Promise.all(addresses.map(fetchOne)).then(() => {
          fetchedAt = Date.now();
          fetching = undefined;
        });
      }
      if (copies.size === 0) await fetching;
      return [...copies.values()].flat().sort((left, right) => right.date.localeCompare(left.date));
    },
  };
}
