import { z } from 'zod';
import type { Caller } from '../../resources/database/caller.ts';
import { OBJECT_COLUMNS, type StoredObject } from './find-object.server.ts';
import { objectName } from './object-name.contract.ts';
import { storageErrors } from './storage-errors.server.ts';
import {
  addressed,
  asStorageError,
  callerOf,
  checkedBody,
  type StorageScope,
} from './storage-scope.server.ts';

const removal = z.object({
  prefixes: z
    .array(z.union([z.string(), z.object({ path: z.string() }).transform(({ path }) => path)]))
    .min(1)
    .max(1000),
});

/** DELETE of objects: missing ones and other people's are simply absent from the answer (contract §3). */
export function mountRemove(scope: StorageScope): void {
  const { server } = scope;
  server.delete('/object/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucket } = request.params as { bucket: string };
    const { prefixes } = checkedBody(removal, request);
    const names = prefixes.map(objectName).filter((name) => name !== undefined);
    return remove(scope, caller, bucket, names);
  });
  server.delete('/object/:bucket/*', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucketId, name } = addressed(request);
    const removed = await remove(scope, caller, bucketId, [name]);
    if (removed.length === 0) throw storageErrors.noSuchKey();
    return { message: 'Successfully deleted' };
  });
}

async function remove(
  scope: StorageScope,
  caller: Caller,
  bucketId: string,
  names: string[],
): Promise<StoredObject[]> {
  const removed = await scope.resources.database
    .asCaller(caller, (queries) =>
      queries.many<StoredObject>(
        `delete from storage.objects where bucket_id = $1 and name = any($2) returning ${OBJECT_COLUMNS}`,
        [bucketId, names],
      ),
    )
    .catch((error) => {
      throw asStorageError(error);
    });
  if (removed.length > 0) scope.unlinkSoon();
  return removed;
}
