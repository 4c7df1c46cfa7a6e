import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { findBucket, findObjectAsCaller } from './find-object.server.ts';
import { objectName } from './object-name.contract.ts';
import { storageErrors } from './storage-errors.server.ts';
import { asStorageError, callerOf, checkedBody, type StorageScope } from './storage-scope.server.ts';

const transfer = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  destinationKey: z.string(),
  destinationBucket: z.string().optional(),
});

/**
 * POST /object/move and /object/copy. Both ask the database first, so that neither is a way
 * around a bucket's rules: nobody may change a row of `user-uploads`, and a copy into it
 * would need a credit, which only an upload takes (security.md, attack 27).
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
    await findBucket(database, toBucket);
    return { caller, source, to, toBucket };
  }

  server.post('/object/move', async (request) => {
    const { caller, source, to, toBucket } = await read(request);
    const moved = await database
      .asCaller(caller, (queries) =>
        queries.run(
          'update storage.objects set bucket_id = $2, name = $3, updated_at = now() where id = $1',
          [source.id, toBucket, to],
        ),
      )
      .catch((error) => {
        throw asStorageError(error);
      });
    if (moved === 0) throw storageErrors.accessDenied();
    return { message: 'Successfully moved' };
  });

  server.post('/object/copy', async (request) => {
    const { caller, source, to, toBucket } = await read(request);
    if (caller.role !== 'service_role') throw storageErrors.accessDenied();
    const version = randomUUID();
    await objects.duplicate(source.version, version);
    await database
      .run(
        `insert into storage.objects (id, bucket_id, name, owner_id, version, metadata, user_metadata)
         values ($1::uuid, $2, $3, $4, $1::text, $5, $6)`,
        [version, toBucket, to, source.owner_id, source.metadata, source.user_metadata],
      )
      .catch(async (error) => {
        await objects.remove(version);
        throw asStorageError(error);
      });
    return { Key: `${toBucket}/${to}`, Id: version };
  });
}
