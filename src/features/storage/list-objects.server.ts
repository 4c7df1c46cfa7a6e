import { z } from 'zod';
import { findBucket, type StoredObject } from './find-object.server.ts';
import { callerOf, checkedBody, type StorageScope } from './storage-scope.server.ts';

const SORT_COLUMNS = ['name', 'created_at', 'updated_at', 'last_accessed_at'] as const;
const listing = z.object({
  prefix: z.string().max(1024).default(''),
  limit: z.int().min(1).max(1000).default(100),
  offset: z.int().min(0).max(1_000_000).default(0),
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
  limit: z.int().min(1).max(1000).default(1000),
  cursor: z.string().max(2048).optional(),
  with_delimiter: z.boolean().default(false),
});

type Entry = Pick<StoredObject, 'created_at' | 'updated_at' | 'last_accessed_at' | 'metadata'> & {
  name: string;
  id: string | null;
};

/** POST /object/list and /object/list-v2: the level below a prefix, folders first, as the caller sees it. */
export function mountList(scope: StorageScope): void {
  const { server, resources } = scope;
  server.post('/object/list/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucket } = request.params as { bucket: string };
    const { prefix, limit, offset, search, sortBy } = checkedBody(listing, request);
    await findBucket(resources.database, bucket);
    const { column, order } = sortBy;
    // Both words come from an allow-list above. A folder has no times, so folders go by name.
    const sorting = `is_file, ${column === 'name' ? '' : `${column} ${order},`} name ${order}`;
    return resources.database.asCaller(caller, (queries) =>
      queries.many<Entry>(`${LEVEL} order by ${sorting} limit $4 offset $5`, [
        ...[bucket, folderPrefix(prefix), search, limit, offset],
      ]),
    );
  });
  server.post('/object/list-v2/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucket } = request.params as { bucket: string };
    const { prefix, limit, cursor, with_delimiter } = checkedBody(listingByCursor, request);
    await findBucket(resources.database, bucket);
    const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
    const rows = await resources.database.asCaller(caller, (queries) =>
      queries.many<Entry & { key: string }>(KEYS, [
        bucket,
        prefix.normalize('NFC'),
        after,
        limit + 1,
        with_delimiter,
      ]),
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      hasNext: rows.length > limit,
      folders: page.filter(({ id }) => id === null).map(({ key }) => ({ key, name: key })),
      objects: page.filter(({ id }) => id !== null),
      ...(rows.length > limit && last !== undefined
        ? { nextCursor: Buffer.from(last.key).toString('base64url') }
        : {}),
    };
  });
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
               strpos(substr(name, length($2) + 1), '/') = 0 as is_file, objects.*
          from storage.objects
         where bucket_id = $1 and starts_with(name, $2)
      ) below
     where starts_with(lower(segment), lower($3))
     order by segment, is_file
  ) entries`;

/** $1 bucket, $2 prefix, $3 last key of the page before, $4 rows, $5 fold what lies deeper into folders. */
const KEYS = `
  select distinct on (key) key, key as name,
         case when is_file then id end as id,
         case when is_file then created_at end as created_at,
         case when is_file then updated_at end as updated_at,
         case when is_file then last_accessed_at end as last_accessed_at,
         case when is_file then metadata end as metadata
    from (
      select objects.*, rest.is_file,
             case when rest.is_file then name
                  else $2 || split_part(substr(name, length($2) + 1), '/', 1) || '/' end collate "C" as key
        from storage.objects,
             lateral (select not $5::boolean or strpos(substr(name, length($2) + 1), '/') = 0 as is_file) rest
       where bucket_id = $1 and starts_with(name, $2)
    ) entries
   where key > $3
   order by key
   limit $4`;
