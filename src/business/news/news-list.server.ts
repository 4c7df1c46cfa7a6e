import { z } from 'zod';
import { MESSAGES } from '../../contract/messages.ts';
import { ServiceError } from '../../contract/service-error.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { declareFunction } from '../functions/declare-function.server.ts';
import { createFeeds } from './fetch-feeds.server.ts';
import { MOST_NEWS, type NewsItem } from './list-news.contract.ts';

interface Post {
  title: string;
  content: string;
  url: string;
  published_at: Date;
}

/** The function `news`: the agency's own published posts, then what the feeds say, each newest first (`spec/readings.md`). */
export function mountNews(door: Door, { database, log, outbound, settings, siteUrl }: Resources): void {
  const feeds = createFeeds({ database, outbound, log, addresses: settings.NEWS_FEEDS });
  declareFunction(door, {
    name: 'news',
    method: 'GET',
    callers: 'anyone',
    body: z.object({}),
    limit: { count: 120, seconds: 60 },
    async handle(): Promise<NewsItem[]> {
      const posts = await database.many<Post>(
        `select title, content, url, published_at from public.news_posts
         where published_at <= now() order by published_at desc, id limit $1`,
        [MOST_NEWS],
      );
      const own = posts.map((post) => ({
        title: post.title,
        date: post.published_at.toISOString(),
        content: post.content,
        url: new URL(post.url, siteUrl).href,
      }));
      const items = [...own, ...(await feeds.latest())].slice(0, MOST_NEWS);
      if (items.length === 0) throw new ServiceError(503, 'no_news', MESSAGES.news.failed);
      return items;
    },
  });
}
