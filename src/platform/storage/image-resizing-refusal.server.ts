import { storageErrors } from './storage-errors.server.ts';
import type { StorageScope } from './storage-scope.server.ts';

/** Refuses to resize images, with an error, which is better than to send the image in its own size. */
export function refuseImageResizing({ server }: StorageScope): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/render/image/*',
    handler: async () => {
      throw storageErrors.notEnabled('imageTransformation');
    },
  });
}
