import { z } from 'zod';
import { MESSAGES } from '../../kernel/contract/messages.ts';
import { newsPath } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { createFeeds } from './feed-fetch.server.ts';
import { MOST_NEWS, type NewsArticle, type NewsItem } from './news-list.contract.ts';

/**
 * The function `news`: the agency's own published posts, then the items of the feeds, each newest first
 * (docs/specification/site.md §10).
 */
export function mountNews(http: HttpContext, resources: Resources): void {
  const { database, log, outbound, settings, siteUrl } = resources;
  declareArticle(http, resources);
  const feeds = createFeeds({ database, outbound, log, settings });
  declareFunction(http, {
    name: 'news',
    method: 'GET',
    callers: 'anyone',
    body: z.object({}),
    limit: { count: 120, seconds: 60 },
    async handle(): Promise<NewsItem[]> {
      const posts = await database.many(
        `select id, title, content, published_at from public.news_posts
         where published_at <= now() order by published_at desc, id limit $1`,
        [MOST_NEWS],
      );
      const own = posts.map((post) => ({
        title: post.title,
        date: post.published_at.toISOString(),
        content: post.content,
        url: `${siteUrl}${newsPath(post.id)}`,
      }));
      const items = [...own, ...(await feeds.latest())].slice(0, MOST_NEWS);
      if (items.length === 0) throw new ServiceError(503, 'no_news', MESSAGES.news.failed);
      return items;
    },
  });
}

/** `news-article`: one published post. Errors: 404 `not_found`. */
function declareArticle(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'news-article',
    method: 'GET',
    callers: 'anyone',
    body: z.object({ id: z.uuid() }),
    limit: { count: 120, seconds: 60 },
    async handle({ body }): Promise<NewsArticle> {
      const post = await database.maybe(
        'select title, content, url, published_at from public.news_posts where id = $1 and published_at <= now()',
        [body.id],
      );
      if (post === undefined) throw new ServiceError(404, 'not_found', 'There is no such article.');
      const { title, content, url, published_at: at } = post;
      return { title, content, url, date: at.toISOString() };
    },
  });
}
