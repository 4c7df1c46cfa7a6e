import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Database, Queries } from '../../../kernel/resources/database/database.ts';
import { storageErrors } from '../storage-errors.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'storage.objects.metadata': StoredObject['metadata'];
    'storage.objects.user_metadata': StoredObject['user_metadata'];
  }
}

/** The columns of a bucket that the service uses. */
export interface Bucket {
  readonly id: string;
  readonly public: boolean;
  /** Bytes, as text from the driver; null means the service's limit. */
  readonly file_size_limit: string | null;
  readonly allowed_mime_types: string[] | null;
}

/** What the service stores about an object's bytes. */
export interface ObjectMetadata {
  readonly eTag: string;
  readonly size: number;
  readonly mimetype: string;
  /** `max-age=3600` or `no-cache`. */
  readonly cacheControl: string;
  /** ISO 8601. */
  readonly lastModified: string;
  readonly contentLength: number;
  /** As the client declared it, e.g. `gzip`; absent when the bytes are not encoded. */
  readonly contentEncoding?: string;
  readonly httpStatusCode: 200;
}

/** A row of storage.objects. */
export interface StoredObject {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly owner_id: string | null;
  readonly version: string;
  readonly metadata: ObjectMetadata;
  readonly user_metadata: Record<string, unknown> | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_accessed_at: Date;
}

/** The columns that clients see; a row without bytes is never committed. */
export const OBJECT_COLUMNS =
  'id, bucket_id, name, owner, owner_id, version /* not null */, metadata /* not null */, user_metadata, created_at, updated_at, last_accessed_at';

/** The bucket, without a check of rights; undefined when it does not exist. */
export function findBucketIfAny(database: Database, id: string): Promise<Bucket | undefined> {
  return database.maybe(
    'select id, public, file_size_limit, allowed_mime_types from storage.buckets where id = $1',
    [id],
  );
}

/** The bucket, without a check of rights. @throws ServiceError NoSuchBucket */
export async function findBucket(database: Database, id: string): Promise<Bucket> {
  const bucket = await findBucketIfAny(database, id);
  if (bucket === undefined) throw storageErrors.noSuchBucket();
  return bucket;
}

/** The object, without a check of rights: for signed and public addresses and our own work. */
export async function findObject(
  queries: Queries,
  bucketId: string,
  name: string,
): Promise<StoredObject | undefined> {
  return queries.maybe(
    `select ${OBJECT_COLUMNS} from storage.objects where bucket_id = $1 and name = $2 and version is not null`,
    [bucketId, name],
  );
}

/**
 * The object, if the caller may see it.
 *
 * @throws ServiceError NoSuchBucket, or NoSuchKey, also for an object that the caller may not see
 */
export async function findObjectAsCaller(
  database: Database,
  caller: Caller,
  bucketId: string,
  name: string,
): Promise<StoredObject> {
  const found = await database.asCaller(caller, (queries) => findObject(queries, bucketId, name));
  if (found !== undefined) return found;
  await findBucket(database, bucketId);
  throw storageErrors.noSuchKey();
}

/**
 * Objects have only their current version: a request that names another (`versionId`) finds nothing.
 *
 * @throws ServiceError NoSuchKey
 */
export function requireVersion({ query }: Pick<FastifyRequest, 'query'>, object: StoredObject): void {
  const { versionId } = query as { versionId?: unknown };
  if (versionId !== undefined && versionId !== object.version) throw storageErrors.noSuchKey();
}
