import { storageErrors } from '../storage-errors.server.ts';
import { addressed, callerOf, type StorageScope } from '../storage-scope.server.ts';
import {
  findBucket,
  findObject,
  findObjectAsCaller,
  requireVersion,
  type StoredObject,
} from './object-lookup.server.ts';

/** GET /object/info: read by the client's `info()` and `exists()` (docs/contracts/platform.md §3). */
export function mountDescribe(scope: StorageScope): void {
  for (const url of ['/object/info/:bucket/*', '/object/info/authenticated/:bucket/*']) {
    scope.server.get(url, async (request, reply) => {
      const caller = await callerOf(scope, request);
      const { bucketId, name } = addressed(request);
      const object = await findObjectAsCaller(scope.resources.database, caller, bucketId, name);
      requireVersion(request, object);
      reply.header('etag', object.metadata.eTag);
      return describe(object);
    });
  }
  scope.server.get('/object/info/public/:bucket/*', async (request, reply) => {
    const { database } = scope.resources;
    const { bucketId, name } = addressed(request);
    if (!(await findBucket(database, bucketId)).public) throw storageErrors.noSuchBucket();
    const object = await findObject(database, bucketId, name);
    if (object === undefined) throw storageErrors.noSuchKey();
    requireVersion(request, object);
    reply.header('etag', object.metadata.eTag);
    return describe(object);
  });
}

function describe(object: StoredObject): object {
  const { metadata } = object;
  return {
    id: object.id,
    name: object.name,
    version: object.version,
    bucket_id: object.bucket_id,
    size: metadata.size,
    content_type: metadata.mimetype,
    content_encoding: metadata.contentEncoding ?? null,
    cache_control: metadata.cacheControl,
    etag: metadata.eTag,
    metadata: object.user_metadata ?? {},
    last_modified: metadata.lastModified,
    created_at: object.created_at,
  };
}
