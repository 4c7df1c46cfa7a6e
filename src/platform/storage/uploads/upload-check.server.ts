import { acceptAsDeclared, type ContentCheck, checkContent } from '../content/content-check.server.ts';
import type { StorageScope } from '../storage-scope.server.ts';

/** An upload whose content is to be checked. */
interface DeclaredUpload {
  readonly bucketId: string;
  readonly name: string;
  /** MIME type that the client declared. */
  readonly contentType: string;
}

/**
 * The check that the bucket asks for: only `user-uploads` and the buckets of STORAGE_CHECKED_BUCKETS
 * compare what is declared with the bytes.
 *
 * @throws ServiceError InvalidMimeType when name and declared type already disagree
 */
export function uploadCheck(
  { checkedBuckets }: Pick<StorageScope, 'checkedBuckets'>,
  { bucketId, name, contentType }: DeclaredUpload,
): ContentCheck {
  return checkedBuckets.has(bucketId) ? checkContent(name, contentType) : acceptAsDeclared(contentType);
}
