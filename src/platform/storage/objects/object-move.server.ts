import { z } from 'zod';
import { LIMITS, UPLOADS_BUCKET } from '../../contract/limits.ts';
import {
  type Bucket,
  demandVersion,
  findBucket,
  findObject,
  findObjectAsCaller,
  type StoredObject,
} from './find-object.server.ts';
import { cancel, refuseUnlistedType, rehearse, reserve, store } from './hold-upload.server.ts';
import { objectName } from './object-name.contract.ts';
import { cacheControl, type UploadBody } from './read-upload-body.server.ts';
import { storageErrors } from './storage-errors.server.ts';
import {
  addressed,
  asStorageError,
  callerOf,
  checkedBody,
  type StorageScope,
} from './storage-scope.server.ts';

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
 * POST /object/move and /object/copy, DELETE /cdn. Moving and copying ask the database as the caller
 * and hold the limits of the bucket they go to, so that neither is a way around a rule: nobody may
 * change a row of `user-uploads`, and a copy into it would need a credit, which only an upload
 * takes (security.md, attack 27). A copy counts against its maker's quota like an upload.
 */
export function mountMove(scope: StorageScope): void {
  const { server, resources } = scope;
  const { database, objects } = resources;

  async function read(request: Parameters<typeof callerOf>[1]) {
    const caller = await callerOf(scope, request);
    const body = checkedBody(transfer, request);
    const [from, to] = [objectName(body.sourceKey), objectName(body.destinationKey)];
    if (from === undefined || to === undefined) throw storageErrors.invalidKey();
    const toBucket = body.destinationBucket ?? body.bucketId;
    const source = await findObjectAsCaller(database, caller, body.bucketId, from);
    demandVersion({ query: { versionId: body.sourceVersionId } }, source);
    const bucket = await findBucket(database, toBucket);
    const kept = described(source, body);
    demandFit(bucket, source.metadata.size, kept.mimeType);
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
    if (bucket.id === UPLOADS_BUCKET && caller.role !== 'service_role') throw storageErrors.accessDenied();
    const replace = request.headers['x-upsert'] === 'true';
    const target = { bucket, name: to, caller, replace };
    await rehearse(scope, target);
    const copy = await reserve(scope, target, source.metadata.size);
    try {
      await objects.duplicate(source.version, copy.id);
      const { metadata } = source;
      const bytes = { bytes: metadata.size, sha256: metadata.eTag.replaceAll('"', '') };
      const id = await store(scope, copy, kept, kept.mimeType, bytes);
      return { Key: `${bucket.id}/${to}`, Id: id };
    } catch (error) {
      await cancel(scope, copy.id);
      // Removed while it was copied: then there was nothing to copy.
      const still = await findObject(database, source.bucket_id, source.name);
      throw still?.version === source.version ? asStorageError(error) : storageErrors.noSuchKey();
    }
  });
  server.delete('/cdn/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    if (caller.role !== 'service_role') throw storageErrors.accessDenied();
    await findBucket(database, (request.params as { bucket: string }).bucket);
    return { message: 'success' };
  });
  // There is no cache between us and the reader that keeps more than its headers allow: nothing to purge.
  server.delete('/cdn/:bucket/*', async (request) => {
    const caller = await callerOf(scope, request);
    if (caller.role !== 'service_role') throw storageErrors.accessDenied();
    const { bucketId, name } = addressed(request);
    await findObjectAsCaller(database, caller, bucketId, name);
    return { message: 'success' };
  });
}

/** What a copy says of itself: the same as its source, or with `copyMetadata: false` what the request says. */
function described(
  { metadata, user_metadata }: StoredObject,
  asked: z.output<typeof transfer>,
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
    : { ...bytes, cacheControl: cacheControl(given), userMetadata: null, mimeType: mimetype.toLowerCase() };
}

/** A bucket's limits hold for what comes from another bucket as well. */
function demandFit(bucket: Bucket, size: number, mimeType: string): void {
  refuseUnlistedType(bucket, mimeType);
  const limit = Number(bucket.file_size_limit ?? LIMITS.uploadBytes);
  if (size > limit) throw storageErrors.tooLarge(limit);
}
