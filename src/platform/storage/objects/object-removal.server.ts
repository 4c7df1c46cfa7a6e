import { z } from 'zod';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import { storageErrors } from '../storage-errors.server.ts';
import {
  addressed,
  asStorageError,
  callerOf,
  checkedBody,
  type StorageScope,
} from '../storage-scope.server.ts';
import { OBJECT_COLUMNS, type StoredObject } from './object-lookup.server.ts';
import { objectName } from './object-name.contract.ts';

const removal = z.object({
  prefixes: z
    .array(
      z.union([
        z.string().transform((path) => ({ path })),
        z.object({ path: z.string(), versionId: z.string().optional() }),
      ]),
    )
    .min(1)
    .max(1000),
});

/**
 * DELETE of objects: the reply leaves out objects that do not exist or that the caller may not delete
 * (docs/contracts/platform.md §3).
 */
export function mountRemove(scope: StorageScope): void {
  const { server } = scope;
  server.delete('/object/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucket } = request.params as { bucket: string };
    const { prefixes } = checkedBody(removal, request);
    return remove(scope, caller, bucket, prefixes);
  });
  server.delete('/object/:bucket/*', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucketId, name } = addressed(request);
    const removed = await remove(scope, caller, bucketId, [{ path: name }]);
    if (removed.length === 0) throw storageErrors.noSuchKey();
    return { message: 'Successfully deleted' };
  });
}

/**
 * @trigger storage.objects queue_deletion
 * @trigger storage.objects release_stored_credit
 * @trigger storage.objects delete_voice_file
 */
async function remove(
  scope: StorageScope,
  caller: Caller,
  bucketId: string,
  entries: readonly { path: string; versionId?: string | undefined }[],
): Promise<StoredObject[]> {
  const named = entries.flatMap(({ path, versionId }) => {
    const name = objectName(path);
    return name === undefined ? [] : [{ name, version: versionId ?? null }];
  });
  const removed = await scope.resources.database
    .asCaller(caller, (queries) =>
      queries.many(
        `delete from storage.objects
          where bucket_id = $1 and name = any($2) and not exists (
            select 1 from unnest($2::text[], $3::text[]) as entry (name, version)
             where entry.name = objects.name and entry.version <> objects.version)
         returning ${OBJECT_COLUMNS}`,
        [bucketId, named.map(({ name }) => name), named.map(({ version }) => version)],
      ),
    )
    .catch((error) => {
      throw asStorageError(error);
    });
  if (removed.length > 0) scope.unlinkSoon();
  return removed;
}
