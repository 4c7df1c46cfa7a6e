import { z } from 'zod';
import { moment } from '../../../kernel/contract/times.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { storageErrors } from '../storage-errors.server.ts';
import { callerOf, checkedBody, type StorageScope } from '../storage-scope.server.ts';
import type { StoredObject } from './object-lookup.server.ts';

/** Longer lists are cut to this length, because clients have to read by pages anyway. */
const MOST_LISTED = 10_000;
const MOST_BY_CURSOR = 1000;
const SORT_COLUMNS = ['name', 'created_at', 'updated_at', 'last_accessed_at'] as const;
const listing = z.object({
  prefix: z.string().max(1024).default(''),
  limit: z
    .int()
    .min(1)
    .default(100)
    .transform((limit) => Math.min(limit, MOST_LISTED)),
  offset: z.int().min(0).max(1_000_000_000).default(0),
  search: z.string().max(256).default(''),
  sortBy: z
    .object({
      column: z.enum(SORT_COLUMNS).default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
    })
    .prefault({}),
});
const listingByCursor = z.object({
  prefix: z.string().max(1024).default(''),
  limit: z
    .int()
    .min(1)
    .default(1000)
    .transform((limit) => Math.min(limit, MOST_BY_CURSOR)),
  cursor: z.string().max(4096).optional(),
  with_delimiter: z.boolean().default(false),
  sortBy: z
    .object({
      column: z.enum(['name', 'created_at', 'updated_at']).default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
    })
    .prefault({}),
});

/** Whether a text is a time in PostgreSQL's own form: `2026-01-31 09:30:00.5+00` or `infinity`. */
const isSorted = (time: string): boolean =>
  /^-?infinity$/.test(time) ||
  moment.safeParse(time.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).success;
const cursorParts = z.tuple([z.string().refine(isSorted), z.string()]);

type Entry = Pick<StoredObject, 'created_at' | 'updated_at' | 'last_accessed_at' | 'metadata'> & {
  name: string;
  id: string | null;
};

/**
 * POST /object/list and /object/list-v2: the level below a prefix, folders first, with the objects that the
 * caller may see.
 */
export function mountList(scope: StorageScope): void {
  const { server, resources } = scope;
  server.post('/object/list/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucket } = request.params as { bucket: string };
    const { prefix, limit, offset, search, sortBy } = checkedBody(listing, request);
    const { column, order } = sortBy;
    // Both words come from an allow-list above. Folders have no times, so they are sorted by name.
    const sorting = `is_file, ${column === 'name' ? '' : `${column} ${order},`} name ${order}`;
    return resources.database.asCaller(caller, (queries) =>
      queries.many(uncheckedSql<Entry>(`${LEVEL} order by ${sorting} limit $4 offset $5`, 'composed'), [
        bucket,
        folderPrefix(prefix),
        search,
        limit,
        offset,
      ]),
    );
  });
  server.post('/object/list-v2/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucket } = request.params as { bucket: string };
    const { prefix, limit, cursor, with_delimiter, sortBy } = checkedBody(listingByCursor, request);
    const after = cursor === undefined ? null : readCursor(cursor);
    const rows = await resources.database.asCaller(caller, (queries) =>
      queries.many(
        uncheckedSql<Entry & { key: string; sorted: string }>(
          levelByCursor(sortBy.column, sortBy.order),
          'composed',
        ),
        [
          bucket,
          prefix.normalize('NFC'),
          after?.sorted ?? null,
          after?.key ?? null,
          limit + 1,
          with_delimiter,
        ],
      ),
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      hasNext: rows.length > limit,
      folders: page
        .filter(({ id }) => id === null)
        .map(({ key }) => ({ key: key.replace(/\/$/, ''), name: key })),
      objects: page.filter(({ id }) => id !== null).map(({ sorted: _, ...object }) => object),
      ...(rows.length > limit && last !== undefined ? { nextCursor: writeCursor(last) } : {}),
    };
  });
}

/** Where a page ended: the value by which it is sorted, and the key. */
interface Cursor {
  readonly sorted: string;
  readonly key: string;
}

function writeCursor({ sorted, key }: Cursor): string {
  return Buffer.from(JSON.stringify([sorted, key])).toString('base64url');
}

/** @throws ServiceError InvalidRequest */
function readCursor(cursor: string): Cursor {
  try {
    const [sorted, key] = cursorParts.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return { sorted, key };
  } catch {
    throw storageErrors.invalidRequest('cursor: not one of this service');
  }
}

function folderPrefix(prefix: string): string {
  const folder = prefix.normalize('NFC').replace(/^\/+|\/+$/g, '');
  return folder === '' ? '' : `${folder}/`;
}

/** $1 bucket, $2 prefix with its slash, $3 beginning of the entry. Literal text: `%` is no wildcard here. */
const LEVEL = `
  select name, id, created_at, updated_at, last_accessed_at, metadata from (
    select distinct on (segment, is_file)
           segment as name, is_file,
           case when is_file then id end as id,
           case when is_file then created_at end as created_at,
           case when is_file then updated_at end as updated_at,
           case when is_file then last_accessed_at end as last_accessed_at,
           case when is_file then metadata end as metadata
      from (
        select split_part(substr(name, length($2) + 1), '/', 1) as segment,
               strpos(substr(name, length($2) + 1), '/') = 0 as is_file,
               id, created_at, updated_at, last_accessed_at, metadata
          from storage.objects
         where bucket_id = $1 and starts_with(name, $2)
      ) below
     where starts_with(lower(segment), lower($3))
     order by segment, is_file
  ) entries`;

/**
 * $1 bucket, $2 prefix, $3 and $4 the end of the previous page or null, $5 rows, $6 whether to group deeper
 * objects into folders. When sorted by a time, folders come first, because they have none.
 */
function levelByCursor(column: 'name' | 'created_at' | 'updated_at', order: 'asc' | 'desc'): string {
  const beyond = order === 'asc' ? '>' : '<';
  const first = order === 'asc' ? '-infinity' : 'infinity';
  const time =
    column === 'name' ? "'epoch'::timestamptz" : `coalesce(case when is_file then ${column} end, '${first}')`;
  return `
  select key, key as name, id, created_at, updated_at, last_accessed_at, metadata, sorted::text
    from (
      select distinct on (key) key,
             case when is_file then id end as id,
             case when is_file then created_at end as created_at,
             case when is_file then updated_at end as updated_at,
             case when is_file then last_accessed_at end as last_accessed_at,
             case when is_file then metadata end as metadata,
             ${time} as sorted
        from (
          select id, created_at, updated_at, last_accessed_at, metadata, rest.is_file,
                 case when rest.is_file then name
                      else $2 || split_part(substr(name, length($2) + 1), '/', 1) || '/' end collate "C" as key
            from storage.objects,
                 lateral (select not $6::boolean or strpos(substr(name, length($2) + 1), '/') = 0 as is_file) rest
           where bucket_id = $1 and starts_with(name, $2)
        ) entries
       order by key
    ) level
   where $4::text is null or (sorted, key) ${beyond} ($3::text::timestamptz, $4::text collate "C")
   order by sorted ${order}, key ${order}
   limit $5`;
}
