import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { findObject } from '../../../platform/storage/objects/object-lookup.server.ts';
import { signedObjectUrl } from '../../../platform/storage/objects/object-signing.server.ts';
import type { StoredDocuments } from './analysis-context.server.ts';

/** The documents of the bucket `user-uploads`. */
export function openStoredDocuments(resources: Resources): StoredDocuments {
  return {
    async exists(name) {
      const object = await findObject(resources.database, UPLOADS_BUCKET, name);
      if (object === undefined) return false;
      const bytes = await resources.objects.read(object.version, { start: 0, end: 0 });
      bytes?.destroy();
      return bytes !== undefined;
    },
    async signedPath(name, seconds) {
      const address = await signedObjectUrl(resources, UPLOADS_BUCKET, name, seconds);
      const token = address?.slice(address.lastIndexOf('?token=') + '?token='.length);
      if (token === undefined) return undefined;
      // Segment by segment, as a name may contain characters that begin a query or a fragment in an address.
      const path = [UPLOADS_BUCKET, ...name.split('/')].map(encodeURIComponent).join('/');
      return `${SERVICES.storage}/object/sign/${path}?token=${token}`;
    },
  };
}
