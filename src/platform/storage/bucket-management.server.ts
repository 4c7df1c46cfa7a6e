import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { LIMITS } from '../../kernel/contract/limits.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { storageErrors } from './storage-errors.server.ts';
import { asStorageError, callerOf, checked, checkedBody, type StorageScope } from './storage-scope.server.ts';

/** Decimal, as the original service reads them. */
const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };
const SIZE = /^(\d+(?:\.\d+)?)\s*([kmg]?b)?$/i;
const sizeLimit = z.union([z.int().min(0), z.string().max(64).transform(readSize)]).nullish();
/** A type, or all types of a kind: `image/*`. */
const MIME_TYPE = /^[\w.+-]+\/[\w.+*-]+$/;
const options = {
  public: z.boolean().nullish(),
  file_size_limit: sizeLimit,
  allowed_mime_types: z
    .array(
      z
        .string()
        .max(128)
        .transform((type) => {
          if (!MIME_TYPE.test(type)) throw storageErrors.invalidMimeType(type);
          return type;
        }),
    )
    .max(100)
    .nullish(),
};
const creation = z.object({
  id: z.string().optional(),
  name: z.string(),
  type: z.string().nullish(),
  versioning_status: z.string().nullish(),
  ...options,
});
const change = z.object({ versioning_status: z.string().nullish(), ...options });
const listing = z.object({
  limit: z.coerce.number().int().min(1).default(1000),
  offset: z.coerce.number().int().min(0).default(0),
  search: z.string().max(256).default(''),
  sortColumn: z.enum(['id', 'name', 'created_at', 'updated_at']).default('id'),
  sortOrder: z.enum(['asc', 'desc']).default('asc'),
});
const COLUMNS =
  'id, name, owner, public, file_size_limit::int8::float8 as file_size_limit, allowed_mime_types, created_at, updated_at';

/**
 * Bytes of a size with a unit, such as `1.5MB`. @throws ServiceError InvalidRequest in the original service's
 * words
 */
function readSize(text: string): number {
  const [, digits, unit = 'b'] = SIZE.exec(text) ?? [];
  if (digits === undefined) throw storageErrors.invalidFileSize();
  return Math.round(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1));
}

/**
 * `/bucket`: everything runs under the caller's rights; only the server's key has rights to buckets.
 * @trigger storage.objects queue_deletion
 * @trigger storage.objects release_stored_credit
 */
export function mountBuckets(scope: StorageScope): void {
  mountBucketReads(scope);
  mountBucketChanges(scope);
  mountBucketRemoval(scope);
  mountLifecycle(scope);
}

type AsCaller = <T>(request: FastifyRequest, work: (queries: Queries) => Promise<T>) => Promise<T>;

function queriesAsCaller(scope: StorageScope): AsCaller {
  return async (request, work) => {
    const caller = await callerOf(scope, request);
    return scope.resources.database.asCaller(caller, work).catch((error) => {
      throw asStorageError(error);
    });
  };
}

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

function requireBucket(touched: number): void {
  if (touched === 0) throw storageErrors.noSuchBucket();
}

function mountBucketReads(scope: StorageScope): void {
  const asCaller = queriesAsCaller(scope);
  scope.server.get('/bucket', (request) => {
    const { limit, offset, search, sortColumn, sortOrder } = checked(listing, request.query);
    // Both words come from an allow-list above.
    return asCaller(request, (queries) =>
      queries.many(
        uncheckedSql<object>(
          `select ${COLUMNS}, type from storage.buckets where strpos(lower(name), lower($1)) > 0
          order by ${sortColumn} ${sortOrder}, id limit $2 offset $3`,
          'composed',
        ),
        [search, limit, offset],
      ),
    );
  });
  scope.server.get('/bucket/:id', async (request) => {
    const bucket = await asCaller(request, (queries) =>
      queries.maybe(`select ${COLUMNS} from storage.buckets where id = $1`, [idOf(request)]),
    );
    if (bucket === undefined) throw storageErrors.noSuchBucket();
    return bucket;
  });
}

function mountBucketChanges(scope: StorageScope): void {
  const asCaller = queriesAsCaller(scope);
  scope.server.post('/bucket', async (request) => {
    const body = checkedBody(creation, request);
    refuseFeatures(body);
    const id = body.id ?? body.name;
    await asCaller(request, (queries) =>
      queries.run(
        `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
         values ($1, $2, $3, $4, $5)`,
        [id, body.name, body.public ?? false, body.file_size_limit ?? null, body.allowed_mime_types ?? null],
      ),
    );
    return { name: id };
  });
  scope.server.put('/bucket/:id', async (request) => {
    const body = checkedBody(change, request);
    refuseFeatures(body);
    const touched = await asCaller(request, (queries) =>
      queries.run(
        `update storage.buckets set public = coalesce($2, public),
           file_size_limit = case when $3 then $4 else file_size_limit end,
           allowed_mime_types = case when $5 then $6 else allowed_mime_types end, updated_at = now()
         where id = $1`,
        [
          idOf(request),
          body.public,
          body.file_size_limit !== undefined,
          body.file_size_limit,
          body.allowed_mime_types !== undefined,
          body.allowed_mime_types,
        ],
      ),
    );
    requireBucket(touched);
    return { message: 'Successfully updated' };
  });
}

function mountBucketRemoval(scope: StorageScope): void {
  const asCaller = queriesAsCaller(scope);
  scope.server.post('/bucket/:id/empty', async (request) => {
    await asCaller(request, async (queries) => {
      requireBucket(await queries.run('select 1 from storage.buckets where id = $1', [idOf(request)]));
      await queries.run('delete from storage.objects where bucket_id = $1', [idOf(request)]);
    });
    scope.unlinkSoon();
    return { message: 'Empty bucket has been queued. Completion may take up to an hour.' };
  });
  scope.server.delete('/bucket/:id', async (request) => {
    await asCaller(request, async (queries) => {
      const filled = await queries.maybe('select 1 from storage.objects where bucket_id = $1 limit 1', [
        idOf(request),
      ]);
      if (filled !== undefined) throw storageErrors.bucketNotEmpty();
      requireBucket(await queries.run('delete from storage.buckets where id = $1', [idOf(request)]));
    });
    return { message: 'Successfully deleted' };
  });
}

function mountLifecycle(scope: StorageScope): void {
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const handler = async (request: FastifyRequest): Promise<never> => {
      const { role } = await callerOf(scope, request);
      throw role === 'service_role' ? storageErrors.notEnabled('lifecycle') : storageErrors.accessDenied();
    };
    scope.server.route({ method, url: '/bucket/:id/lifecycle', handler });
  }
}

/** Refuses features that clients know and this service lacks, and a limit above the service's own. */
function refuseFeatures(body: z.output<typeof change> & { type?: string | null | undefined }): void {
  const { type, versioning_status: versioning, file_size_limit: limit } = body;
  if (type !== undefined && type !== null && type !== 'STANDARD')
    throw storageErrors.notEnabled('bucketTypes');
  if (versioning !== undefined && versioning !== null && versioning !== 'DISABLED') {
    throw storageErrors.notEnabled('versioning');
  }
  if (typeof limit === 'number' && limit > LIMITS.uploadBytes) throw storageErrors.tooLarge(Number.NaN);
}
