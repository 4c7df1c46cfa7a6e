import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { PublishedSite, Section } from '../../kernel/contract/site-content.ts';
import { moment } from '../../kernel/contract/times.ts';
import { type ConsolePostPage, NEWS_LENGTHS } from '../news/news-list.contract.ts';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  pageOf,
  SEARCH,
  sent,
} from './operator-gate.server.ts';

const PER_PAGE = 50;

/** Sections of the home page that have an address of their own; those of plans are there while plans are sold. */
const PLACES: Readonly<Partial<Record<Section, (site: PublishedSite) => boolean>>> = {
  services: () => true,
  courses: ({ plans }) => plans.courses.length > 0,
  documents: () => true,
  phone: () => true,
  news: () => true,
};

/** The addresses within the home page, as `/#documents`. */
const homePlaces = (site: PublishedSite): string[] =>
  site.sections.filter((name) => PLACES[name]?.(site) === true).map((name) => `/#${name}`);

/** The console's functions about news; the procedures of `migrations/baseline/17-news.sql` write the audit log. */
export function servePosts(scope: OperatorScope): void {
  const { site } = scope.resources;
  declareForOperators(scope, {
    name: 'news',
    method: 'GET',
    input: z.object({ q: SEARCH, after: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { q, after }): Promise<ConsolePostPage> {
      const rows = await queries.many(
        `select id /* not null */, title /* not null */, content /* not null */, url, published_at /* not null */
           from operator.news_posts
          where ($1 = '' or title ilike $2 or content ilike $2)
            and ($3 = '' or (published_at, id) < (select published_at, id from operator.news_posts where id::text = $3))
          order by published_at desc, id desc limit $4`,
        [q, containing(q), after, PER_PAGE + 1],
      );
      return pageOf(rows, PER_PAGE, sent, (row) => row.id);
    },
  });
  declareForOperators(scope, {
    name: 'save-news',
    method: 'POST',
    input: z.object({
      id: z.uuid().nullable(),
      title: z.string().trim().min(1).max(NEWS_LENGTHS.title),
      content: z.string().trim().min(1).max(NEWS_LENGTHS.content),
      url: z
        .string()
        .trim()
        .max(NEWS_LENGTHS.url)
        .regex(
          /^(\/(?!\/)|https:\/\/)\S*$/,
          'must be a path on this site or an address that begins with https://',
        )
        .refine((url) => !url.startsWith('/#') || homePlaces(site).includes(url), {
          error: () => `must be a part of the home page: ${homePlaces(site).join(', ')}`,
        })
        .nullable(),
      published_at: moment,
    }),
    async answer(queries, { id, title, content, url, published_at: at }) {
      const { saved } = await queries.one('select operator.save_news($1, $2, $3, $4, $5) as saved', [
        id,
        title,
        content,
        url,
        at,
      ]);
      if (saved === null) throw noSuchPost();
      return { id: saved };
    },
  });
  declareForOperators(scope, {
    name: 'delete-news',
    method: 'POST',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }) {
      const { found } = await queries.one('select operator.delete_news($1) as found', [id]);
      if (found !== true) throw noSuchPost();
      return { done: true };
    },
  });
}

const noSuchPost = (): ServiceError => new ServiceError(404, 'not_found', 'There is no such post.');
