import { z } from 'zod';
import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { storageErrors } from '../storage-errors.server.ts';
import {
  addressed,
  asStorageError,
  callerOf,
  checkedBody,
  type StorageScope,
} from '../storage-scope.server.ts';
import { bytesLimitOf, refuseUnlistedType } from '../uploads/bucket-limits.server.ts';
import { cacheControl, readMetadataHeader, type UploadBody } from '../uploads/upload-body.server.ts';
import { cancel, requirePermission, reserve, store } from '../uploads/upload-reservation.server.ts';
import {
  type Bucket,
  findBucket,
  findObject,
  findObjectAsCaller,
  requireVersion,
  type StoredObject,
} from './object-lookup.server.ts';
import { objectName } from './object-name.contract.ts';

const transfer = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  destinationKey: z.string(),
  destinationBucket: z.string().optional(),
  sourceVersionId: z.string().optional(),
  copyMetadata: z.boolean().default(true),
  metadata: z
    .object({
      cacheControl: z.string().max(100).optional(),
      mimetype: z
        .string()
        .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/)
        .max(128)
        .optional(),
    })
    .default({}),
});

/**
 * POST /object/move and /object/copy. Both check rights as the caller and respect the limits of the target
 * bucket, so that neither is a way around a rule. Nobody may change a row of `user-uploads`; a copy into it
 * would need a credit, which only an upload takes; and a copy into a bucket with its own rules would not be
 * examined (docs/security-attacks.md, attack 27). A copy counts against the caller's quota like an upload.
 */
export function mountMove(scope: StorageScope): void {
  const { server, resources } = scope;
  const { database, objects } = resources;

  async function read(request: Parameters<typeof callerOf>[1]) {
    const caller = await callerOf(scope, request);
    const body = checkedBody(transfer, request);
    const from = objectName(body.sourceKey);
    const to = objectName(body.destinationKey);
    if (from === undefined) throw storageErrors.invalidKey(body.sourceKey);
    if (to === undefined) throw storageErrors.invalidKey(body.destinationKey);
    const toBucket = body.destinationBucket ?? body.bucketId;
    const source = await findObjectAsCaller(database, caller, body.bucketId, from);
    requireVersion({ query: { versionId: body.sourceVersionId } }, source);
    const bucket = await findBucket(database, toBucket);
    const kept = copiedProperties(source, body, request.headers['x-metadata']);
    requireFits(bucket, source.metadata.size, kept.mimeType);
    return { caller, source, to, bucket, kept };
  }

  server.post('/object/move', async (request) => {
    const { caller, source, to, bucket } = await read(request);
    const moved = await database
      .asCaller(caller, (queries) =>
        queries.run(
          'update storage.objects set bucket_id = $2, name = $3, updated_at = now() where id = $1',
          [source.id, bucket.id, to],
        ),
      )
      .catch((error) => {
        throw asStorageError(error);
      });
    if (moved === 0) throw storageErrors.accessDenied();
    return { message: 'Successfully moved' };
  });

  server.post('/object/copy', async (request) => {
    const { caller, source, to, bucket, kept } = await read(request);
    // A copy takes no credit and is not examined.
    const isGuarded = bucket.id === UPLOADS_BUCKET || scope.rules.has(bucket.id);
    if (isGuarded && caller.role !== 'service_role') throw storageErrors.accessDenied();
    const replace = request.headers['x-upsert'] === 'true';
    const target = { bucket, name: to, caller, replace };
    await requirePermission(scope, target);
    const copy = await reserve(scope, target, source.metadata.size);
    try {
      await objects.duplicate(source.version, copy.id);
      const { metadata } = source;
      const bytes = { bytes: metadata.size, sha256: metadata.eTag.replaceAll('"', '') };
      const id = await store(scope, copy, { ...kept, ...bytes });
      return { Key: `${bucket.id}/${to}`, Id: id };
    } catch (error) {
      await cancel(scope, copy.id);
      // The source was removed during the copy: then there was nothing to copy.
      const still = await findObject(database, source.bucket_id, source.name);
      throw still?.version === source.version ? asStorageError(error) : storageErrors.noSuchKey();
    }
  });
}

/** Purging a cache does nothing, because no cache of ours keeps anything longer than its headers allow. */
export function mountCachePurge(scope: StorageScope): void {
  const purge = async (request: Parameters<typeof callerOf>[1]): Promise<object> => {
    const { role } = await callerOf(scope, request);
    if (role !== 'service_role') throw storageErrors.accessDenied();
    const { bucket } = request.params as { bucket?: string };
    if (bucket !== undefined) await findBucket(scope.resources.database, bucket);
    return { message: 'success' };
  };
  for (const url of ['/cdn', '/cdn/', '/cdn/:bucket']) scope.server.delete(url, purge);
  scope.server.delete('/cdn/:bucket/*', async (request) => {
    addressed(request);
    return purge(request);
  });
}

/** Properties of a copy: those of its source, or with `copyMetadata: false` those of the request. */
function copiedProperties(
  { metadata, user_metadata }: StoredObject,
  asked: z.output<typeof transfer>,
  givenMetadata: string | string[] | undefined,
): Pick<UploadBody, 'cacheControl' | 'userMetadata' | 'contentEncoding'> & { mimeType: string } {
  const { contentEncoding } = metadata;
  const bytes = contentEncoding === undefined ? {} : { contentEncoding };
  const { cacheControl: given, mimetype = metadata.mimetype } = asked.metadata;
  return asked.copyMetadata
    ? {
        ...bytes,
        cacheControl: metadata.cacheControl,
        userMetadata: user_metadata,
        mimeType: metadata.mimetype,
      }
    : {
        ...bytes,
        cacheControl: cacheControl(given),
        userMetadata: readMetadataHeader(givenMetadata),
        mimeType: mimetype.toLowerCase(),
      };
}

/** A bucket's limits also apply to objects from another bucket. */
function requireFits(bucket: Bucket, size: number, mimeType: string): void {
  refuseUnlistedType(bucket, mimeType);
  const limit = bytesLimitOf(bucket);
  if (size > limit) throw storageErrors.tooLarge(limit);
}
