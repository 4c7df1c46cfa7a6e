import { z } from 'zod';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { LONGEST_SEARCH, type SearchAnswer, type SearchHit } from './document-search.contract.ts';
import { letterSpans, markedSpans, type Span, showPlace, wholeAmounts } from './found-place.server.ts';
import type { PassagePlace } from './passage-building.server.ts';
import { mostAlike, partsOf } from './word-likeness.server.ts';

/** The user whose documents are searched; `fileId` null means all of them. */
export interface SearchScope {
  readonly userId: string;
  readonly fileId: string | null;
}

/** A passage as the database returns it, with the places of the found words. */
export interface FoundPassage {
  readonly file_id: string;
  readonly file_name: string;
  readonly title: string;
  readonly kind: string;
  readonly page: number | null;
  readonly text: string;
  readonly places: PassagePlace[];
  readonly spans: readonly Span[];
}

const MOST_HITS = 40;
/** Most passages of one document in a search over all documents. */
const MOST_OF_ONE = 3;
const MOST_CANDIDATES = 3000;
/** Most similar words that are compared in this process, which blocks all other requests. */
const MOST_COMPARED = 200;

/**
 * The function `search-documents`: full text search over one or all of the user's documents, best first. If no document
 * has the words, it searches for similarly written words, and then for the letters anywhere.
 */
export function declareSearchDocuments(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'search-documents',
    callers: 'users',
    body: z.object({ query: z.string().trim().min(1).max(LONGEST_SEARCH), file_id: z.uuid().nullish() }),
    limit: { count: 120, seconds: 60, burst: 40 },
    heavyFor: 'customers',
    handle: ({ caller, body }) => {
      const scope = { userId: requireUser(caller), fileId: body.file_id ?? null };
      // With the caller's rights, so that the row policies decide whose text may be found.
      return database.asCaller(caller, (queries) => searchDocuments(queries, scope, body.query));
    },
  });
}

/** The answer of `search-documents`. */
export async function searchDocuments(
  queries: Queries,
  scope: SearchScope,
  query: string,
): Promise<SearchAnswer> {
  const clean = query.replaceAll('\0', ' ').toWellFormed();
  const { waiting } = await queries.one(
    `select count(*)::integer as waiting /* not null */ from northline_app.analysis_reports r
      where r.user_id = $1 and not exists (
        select 1 from northline_app.analysis_index i where i.file_id = r.file_id and i.analysis_id = r.analysis_id)`,
    [scope.userId],
  );
  const answer = (
    how: SearchAnswer['how'],
    found: readonly FoundPassage[],
    instead: readonly string[] = [],
  ): SearchAnswer => ({ how, instead, hits: found.flatMap(hitOf), waiting });
  const words = await wordsQuery(queries, scope, clean);
  if (words !== undefined) {
    const found = await findPassages(queries, scope, words);
    if (found.length > 0) return answer('words', found);
    const any = await wordsQuery(queries, scope, clean, true);
    const some = any === undefined || any === words ? [] : await findPassages(queries, scope, any);
    if (some.length > 0) return answer('some', some);
  }
  const alike = await alikeQuery(queries, scope, clean);
  if (alike !== undefined) {
    const found = await findPassages(queries, scope, alike.query);
    if (found.length > 0) return answer('similar', found, alike.instead);
  }
  const found = await findLetters(queries, scope, clean);
  return answer(found.length > 0 ? 'letters' : 'nothing', found);
}

/**
 * The search as a query of PostgreSQL: the words as written, or in the word forms of the languages of the user's documents.
 * With `any`, one of the words is enough, as for a question. Undefined if it contains no word.
 */
export async function wordsQuery(
  queries: Queries,
  { userId }: SearchScope,
  query: string,
  any = false,
): Promise<string | undefined> {
  const { query: made } = await queries.one(
    `select string_agg(format('(%s)', case when $3::boolean then replace(each.q::text, '&', '|') else each.q::text end), ' | ') as query
       from (select websearch_to_tsquery(c.config::regconfig, $1) as q
               from (select config from northline_app.analysis_index where user_id = $2
                     union select 'pg_catalog.simple') as c) as each
      where numnode(each.q) > 0`,
    [withAmounts(any ? query.replace(/["-]/g, ' ') : query), userId, any],
  );
  return made ?? undefined;
}

/** The database reads 1,350 as the numbers 1 and 350: an amount is searched as these in a row. */
const withAmounts = (query: string): string =>
  query.includes('"')
    ? query
    : query.replace(/(?<![\w-])\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?!\w)/g, '"$&"');

/** The passages that a query finds, best first, and over all documents at most three of each. */
export async function findPassages(
  queries: Queries,
  { userId, fileId }: SearchScope,
  query: string,
  most = MOST_HITS,
): Promise<FoundPassage[]> {
  const rows = await queries.many(
    `select best.file_id, f.file_name, i.title, i.kind, best.page, best.text, best.places,
            ts_headline(i.config::regconfig, best.text, $3::tsquery,
              'HighlightAll=true, StartSel=' || chr(1) || ', StopSel=' || chr(2)) as headline /* not null */
       from (select p.*, ts_rank_cd(p.lexemes, $3::tsquery, 33) as rank,
                    row_number() over (partition by p.file_id
                      order by ts_rank_cd(p.lexemes, $3::tsquery, 33) desc, p.position) as place
               from northline_app.analysis_passages p
              where p.user_id = $1 and p.lexemes @@ $3::tsquery and ($2::uuid is null or p.file_id = $2)) as best
       join northline_app.analysis_index i on i.file_id = best.file_id
       join public.user_files f on f.id = best.file_id and f.deleted_at is null
      where $2::uuid is not null or best.place <= $4
      order by best.rank desc, i.indexed_at desc, best.position limit $5`,
    [userId, fileId, query, MOST_OF_ONE, most],
  );
  return rows.map(({ headline, ...row }) => {
    const spans = wholeAmounts(markedSpans(row.text, headline), row.text, query);
    // A corrected value is found where the first value stands, and is not printed there.
    return {
      ...row,
      spans: spans.length > 0 ? spans : letterSpans(row.text, /\S+/.exec(row.text)?.[0] ?? ''),
    };
  });
}

/** The same search with the most similar words of the documents; undefined if there are none. */
async function alikeQuery(
  queries: Queries,
  { userId, fileId }: SearchScope,
  query: string,
): Promise<{ query: string; instead: string[] } | undefined> {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{3,30}/gu))].slice(0, 8);
  if (words.length === 0) return undefined;
  const groups: string[][] = [];
  for (const word of words) {
    const rows = await queries.many(
      `select each.word /* not null */ from (
          select distinct w.word from northline_app.analysis_index i, unnest(i.words) as w (word)
           where i.user_id = $1 and ($2::uuid is null or i.file_id = $2) and w.word like any ($3::text[])
             and (length(w.word) between $4 and $5 or w.word like $6) limit $7) as each
        order by (select count(*) from unnest($3::text[]) as part where each.word like part) desc limit $8`,
      [
        userId,
        fileId,
        partsOf(word).map((part) => `%${part}%`),
        word.length - 3,
        word.length + 3,
        `${word}%`,
        MOST_CANDIDATES,
        MOST_COMPARED,
      ],
    );
    const alike = mostAlike(
      word,
      rows.map((row) => row.word),
    );
    if (alike.length === 0) return undefined;
    groups.push(alike);
  }
  return {
    query: groups.map((group) => `(${group.map((word) => `'${word}'`).join(' | ')})`).join(' & '),
    instead: groups.map(([best]) => best ?? '').filter((word) => !words.includes(word)),
  };
}

/** The passages that contain the letters at any place, for names, numbers and scripts without spaces. */
async function findLetters(
  queries: Queries,
  { userId, fileId }: SearchScope,
  query: string,
): Promise<FoundPassage[]> {
  const rows = await queries.many(
    `select p.file_id, f.file_name, i.title, i.kind, p.page, p.text, p.places
       from northline_app.analysis_passages p
       join northline_app.analysis_index i on i.file_id = p.file_id
       join public.user_files f on f.id = p.file_id and f.deleted_at is null
      where p.user_id = $1 and ($2::uuid is null or p.file_id = $2) and p.text ilike $3
      order by i.indexed_at desc, p.position limit $4`,
    [userId, fileId, `%${query.replace(/[\\%_]/g, '\\$&')}%`, MOST_HITS],
  );
  return rows.map((row) => ({ ...row, spans: letterSpans(row.text, query) }));
}

/** The hit for a found passage; empty if none of its words has a place. */
export function hitOf(found: FoundPassage): SearchHit[] {
  const { snippet, cite } = showPlace(found, found.spans);
  if (cite === undefined) return [];
  const { file_id, file_name, title, kind, page } = found;
  return [{ file_id, file_name, title, kind, page, snippet, cite }];
}
