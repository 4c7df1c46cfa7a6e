import { SERVICES } from '../../contract/routes.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { mountDescribe } from './describe-object.server.ts';
import { mountList } from './list-objects.server.ts';
import { mountBuckets } from './manage-buckets.server.ts';
import { mountMove } from './move-object.server.ts';
import { Passages } from './pass-bytes.server.ts';
import { mountRemove } from './remove-objects.server.ts';
import { mountResumable } from './resume-upload.server.ts';
import { createScan } from './scan-content.server.ts';
import { mountServe } from './serve-object.server.ts';
import { mountSign } from './sign-object.server.ts';
import { mountSignUpload } from './sign-upload.server.ts';
import { asStorageError, type StorageScope } from './storage-scope.server.ts';
import { sweepStorage, unlinkDeleted } from './sweep-storage.server.ts';
import { mountUpload } from './upload-object.server.ts';

/**
 * Mounts the storage service (contract §3) and its sweepers.
 *
 * @param hooks `uploadRefused` is told when a user's upload was refused before it began, so that
 * what was set aside for it can be given back
 */
export function mountStorage(
  door: Door,
  resources: Resources,
  hooks: Pick<StorageScope, 'uploadRefused'>,
): void {
  sweepStorage(resources);
  const unlinkSoon = (): void => {
    unlinkDeleted(resources).catch((error) => resources.log.warn({ err: error }, 'bytes are unlinked later'));
  };
  const scan = createScan(resources.settings, resources.log);
  door.server.register(
    async (server) => {
      server.setErrorHandler((error) => {
        throw asStorageError(error);
      });
      const passages = new Passages();
      const scope: StorageScope = { server, door, resources, unlinkSoon, scan, passages, ...hooks };
      mountUpload(scope);
      mountServe(scope);
      mountSign(scope);
      mountSignUpload(scope);
      mountResumable(scope);
      mountDescribe(scope);
      mountList(scope);
      mountRemove(scope);
      mountMove(scope);
      mountBuckets(scope);
    },
    { prefix: SERVICES.storage },
  );
}
