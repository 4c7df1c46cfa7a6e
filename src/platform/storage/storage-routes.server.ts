import { AVATARS_BUCKET } from '../../kernel/contract/avatars.ts';
import { COURSE_VIDEOS_BUCKET, UPLOADS_BUCKET } from '../../kernel/contract/limits.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { mountBuckets } from './bucket-management.server.ts';
import { createScan } from './content/content-scan.server.ts';
import { refuseImageResizing } from './image-resizing-refusal.server.ts';
import { mountServe } from './objects/object-download.server.ts';
import { mountDescribe } from './objects/object-info.server.ts';
import { mountList } from './objects/object-list.server.ts';
import { mountCachePurge, mountMove } from './objects/object-move.server.ts';
import { mountRemove } from './objects/object-removal.server.ts';
import { mountSign } from './objects/object-signing.server.ts';
import { refuseS3 } from './s3-refusal.server.ts';
import { asStorageError, type StorageScope } from './storage-scope.server.ts';
import { requireOwnStore, sweepStorage, unlinkDeleted } from './storage-sweep.server.ts';
import { mountUpload } from './uploads/object-upload.server.ts';
import { mountResumable } from './uploads/resumable-routes.server.ts';
import { UploadHashCache } from './uploads/upload-hash-cache.server.ts';
import { UploadLocks } from './uploads/upload-lock.server.ts';
import { mountSignUpload } from './uploads/upload-signing.server.ts';

/**
 * Mounts the storage service (docs/contracts/platform.md §3) and its sweeps.
 *
 * @param hooks `uploadRefused` is called when a user's upload was refused before it began, so that its
 * reservation can be released; `rules` are the rules of features for their buckets
 * @throws Error with one sentence for the operator when the store of files does not belong to this database
 */
export async function mountStorage(
  http: HttpContext,
  resources: Resources,
  hooks: Pick<StorageScope, 'uploadRefused' | 'rules'>,
): Promise<void> {
  await requireOwnStore(resources);
  sweepStorage(resources);
  const unlinkSoon = (): void => {
    unlinkDeleted(resources).catch((error) => resources.log.warn({ err: error }, 'bytes are unlinked later'));
  };
  const scan = createScan(resources.settings, resources.log);
  const uploadLocks = await UploadLocks.open(resources);
  http.server.register(
    async (server) => {
      server.setErrorHandler((error) => {
        throw asStorageError(error);
      });
      const scope: StorageScope = {
        server,
        http,
        resources,
        unlinkSoon,
        scan,
        hashCache: new UploadHashCache(),
        uploadLocks,
        checkedBuckets: new Set([
          UPLOADS_BUCKET,
          COURSE_VIDEOS_BUCKET,
          AVATARS_BUCKET,
          ...resources.settings.STORAGE_CHECKED_BUCKETS,
        ]),
        ...hooks,
      };
      mountUpload(scope);
      mountServe(scope);
      mountSign(scope);
      mountSignUpload(scope);
      mountResumable(scope);
      mountDescribe(scope);
      mountList(scope);
      mountRemove(scope);
      mountMove(scope);
      mountCachePurge(scope);
      mountBuckets(scope);
      mountStatus(scope);
      refuseImageResizing(scope);
      refuseS3(scope);
    },
    { prefix: SERVICES.storage },
  );
}

/** Clients call this to check that the service is running. */
function mountStatus({ server }: StorageScope): void {
  server.get('/status', async (_request, reply) => reply.code(200).send());
  server.get('/version', async () => 'northline');
}
