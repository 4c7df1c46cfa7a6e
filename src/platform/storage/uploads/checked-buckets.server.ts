import { acceptAsDeclared, type ContentCheck, checkContent } from '../content/upload-content-check.server.ts';
import type { StorageScope } from '../storage-scope.server.ts';

/** An upload whose content may have to be checked. */
interface DeclaredUpload {
  readonly bucketId: string;
  readonly name: string;
  /** MIME type that the client declared. */
  readonly contentType: string;
}

/**
 * The check for the bucket: only `user-uploads` and the buckets of STORAGE_CHECKED_BUCKETS compare the
 * declared type with the bytes.
 *
 * @throws ServiceError InvalidMimeType when name and declared type already disagree
 */
export function uploadCheck(
  { checkedBuckets }: Pick<StorageScope, 'checkedBuckets'>,
  { bucketId, name, contentType }: DeclaredUpload,
): ContentCheck {
  return checkedBuckets.has(bucketId) ? checkContent(name, contentType) : acceptAsDeclared(contentType);
}
