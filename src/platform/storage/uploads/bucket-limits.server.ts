import { LIMITS } from '../../../kernel/contract/limits.ts';
import type { Bucket } from '../objects/object-lookup.server.ts';
import { storageErrors } from '../storage-errors.server.ts';

/** Largest object in bytes: the bucket's limit, or the service's own, which the API lets nobody exceed. */
export function bytesLimitOf({ file_size_limit: own }: Bucket): number {
  return Number(own ?? LIMITS.uploadBytes);
}

/**
 * Refuses a type that the bucket's own list lacks: exact types or `image/*`. @throws ServiceError
 * InvalidMimeType
 */
export function refuseUnlistedType(bucket: Bucket, mimeType: string): void {
  const allowed = bucket.allowed_mime_types;
  if (allowed === null || allowed.length === 0) return;
  const type = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  const listed = allowed.some(
    (entry) =>
      entry === type || entry === '*/*' || (entry.endsWith('/*') && type.startsWith(entry.slice(0, -1))),
  );
  if (!listed) throw storageErrors.invalidMimeType(mimeType);
}
