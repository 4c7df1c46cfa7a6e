import { createHash, type Hash } from 'node:crypto';
import type { ContentCheck } from '../content/upload-content-check.server.ts';
import type { ResumableUpload } from './resumable-upload.server.ts';

/** Most uploads whose hash is kept between requests; others are read again when they are complete. */
const MAX_ENTRIES = 256;

/** Hash and check of an upload's bytes so far, from the first byte on. */
export interface UploadHash {
  readonly check: ContentCheck;
  readonly hash: Hash;
  /** Bytes hashed. */
  bytes: number;
}

/**
 * Hashes of resumable uploads between their requests, so that the whole need not be read again to be hashed
 * and checked. They are only in this process's memory: an upload that continues in another process, or after
 * a restart, finds none.
 */
export class UploadHashCache {
  readonly #hashes = new Map<string, UploadHash>();

  /** The hash of exactly the bytes before the upload's offset; a fresh one at offset 0. */
  take(upload: ResumableUpload, newCheck: () => ContentCheck): UploadHash | undefined {
    const known = this.#hashes.get(upload.id);
    this.#hashes.delete(upload.id);
    if (upload.received === 0) return { check: newCheck(), hash: createHash('sha256'), bytes: 0 };
    return known?.bytes === upload.received ? known : undefined;
  }

  /** Stores the hash for the next request; removes the oldest one when there are too many. */
  put(id: string, hash: UploadHash): void {
    this.#hashes.set(id, hash);
    const [oldest] = this.#hashes.size > MAX_ENTRIES ? this.#hashes.keys() : [];
    if (oldest !== undefined) this.#hashes.delete(oldest);
  }
}
