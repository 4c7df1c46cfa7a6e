import { createHash, type Hash } from 'node:crypto';
import { UPLOADS_BUCKET } from '../../contract/limits.ts';
import { type ContentCheck, checkContent } from './check-content.server.ts';
import type { ResumableUpload } from './resumable-upload.server.ts';

/** Uploads whose bytes are followed from request to request at most; those beyond are read again when whole. */
const MOST_FOLLOWED = 256;

/** What one process has seen of an upload, from its first byte on. */
export interface Passage {
  readonly check: ContentCheck;
  readonly hash: Hash;
  /** Bytes seen. */
  bytes: number;
}

/**
 * Follows the bytes of resumable uploads through their requests, so that a whole need not be read again to be hashed
 * and checked. It is memory of one process: whoever comes to another one, or back after a restart, finds none.
 */
export class Passages {
  readonly #seen = new Map<string, Passage>();

  /** What was seen, where exactly the bytes before the upload's offset were; the first request begins anew. */
  take(upload: ResumableUpload): Passage | undefined {
    const seen = this.#seen.get(upload.id);
    this.#seen.delete(upload.id);
    if (upload.received === 0) return newPassage(upload);
    return seen?.bytes === upload.received ? seen : undefined;
  }

  /** For the next request. The eldest is forgotten when there are too many. */
  keep(id: string, passage: Passage): void {
    this.#seen.set(id, passage);
    const [eldest] = this.#seen.size > MOST_FOLLOWED ? this.#seen.keys() : [];
    if (eldest !== undefined) this.#seen.delete(eldest);
  }
}

function newPassage({ name, contentType, bucketId }: ResumableUpload): Passage {
  const check = checkContent(name, contentType, bucketId === UPLOADS_BUCKET);
  return { check, hash: createHash('sha256'), bytes: 0 };
}
