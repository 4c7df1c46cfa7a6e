import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { MissingBytes } from '../../../kernel/resources/object-store/object-store.ts';
import { findBucket } from '../objects/object-lookup.server.ts';
import { storageErrors } from '../storage-errors.server.ts';
import { asStorageError, type StorageScope } from '../storage-scope.server.ts';
import { uploadCheck } from './checked-buckets.server.ts';
import type { ResumableUpload } from './resumable-upload.server.ts';
import { tusErrors } from './tus-protocol.server.ts';
import { pieces } from './upload-body.server.ts';
import type { UploadHash } from './upload-hash-cache.server.ts';
import { cancel, store } from './upload-reservation.server.ts';

/** A request that sends no byte for this long counts as dead. */
const IDLE_MS = 60_000;
/** Status codes of refusals that end the upload, because of its content. */
const ENDING = new Set([409, 415, 422]);

/**
 * Receives the bytes of one request of a resumable upload; the last bytes make the object.
 *
 * @returns bytes received so far
 * @throws ServiceError: 423 while another request writes or when one took over, 413 for more bytes than were
 * declared, 415 and 422 for refused content, which ends the upload, 410 when earlier bytes are lost
 */
export async function receivePiece(
  scope: StorageScope,
  request: FastifyRequest,
  upload: ResumableUpload,
): Promise<number> {
  const { objects, log } = scope.resources;
  request.raw.setTimeout(IDLE_MS, () => request.raw.destroy(storageErrors.tooSlow()));
  const lock = await scope.uploadLocks.acquire(upload, () => {
    if (!request.raw.complete) request.raw.destroy(tusErrors.locked());
  });
  let received = upload.received;
  let arrived = upload.received;
  // Undefined when another process received the earlier bytes: then the whole is read and checked at the end.
  const hashed = scope.hashCache.take(upload, () => uploadCheck(scope, upload));
  const savedBytes = (): number | undefined =>
    received > upload.received && received < upload.length ? received : undefined;
  try {
    await objects.append(upload.id, upload.received, pieces(request.raw), {
      ownsPieces: true,
      inspect(piece) {
        arrived += piece.length;
        if (arrived > upload.length) throw tusErrors.tooMuch();
        if (hashed === undefined) return;
        hashed.check.inspect(piece);
        hashed.hash.update(piece);
        hashed.bytes += piece.length;
      },
      async checkpoint(bytes, last) {
        received = bytes;
        // The last bytes are recorded together with the object.
        if (bytes < upload.length && !last) await lock.save(bytes);
      },
    });
    const whole = received === upload.length;
    if (whole) await finish(scope, upload, hashed?.bytes === received ? hashed : undefined);
  } catch (error) {
    const missing = error instanceof MissingBytes;
    if (missing || (error instanceof ServiceError && ENDING.has(error.status))) {
      await cancel(scope, upload.id);
    }
    await lock
      .release(savedBytes())
      .catch((lost) => log.warn({ err: lost, upload: upload.id }, 'the lock of an upload was lost'));
    throw missing ? tusErrors.gone() : error;
  }
  await lock.release(savedBytes());
  if (received < upload.length && hashed?.bytes === received) scope.hashCache.put(upload.id, hashed);
  return received;
}

async function finish(
  scope: StorageScope,
  upload: ResumableUpload,
  hashed: UploadHash | undefined,
): Promise<void> {
  const { objects, database } = scope.resources;
  const { id } = upload;
  const bucket = await findBucket(database, upload.bucketId);
  const check = hashed?.check ?? uploadCheck(scope, upload);
  const whole = await objects.assemble(id, {
    inspect: check.inspect,
    ...(hashed && { known: { bytes: hashed.bytes, sha256: hashed.hash.digest('hex') } }),
  });
  await check.finish(whole.file);
  await scope.scan(whole.file);
  const facts = await scope.rules.get(bucket.id)?.examine(upload.caller, whole.file);
  // Left by a process that died before it wrote the row.
  await objects.remove(id);
  await objects.keep(whole);
  const held = { ...upload, bucket, limit: upload.length, beyondLimit: tusErrors.tooMuch };
  const { mimeType } = check;
  const { cacheControl, userMetadata } = upload;
  const content = { cacheControl, userMetadata, mimeType, ...whole, ...(facts && { facts }) };
  await store(scope, held, content).catch((error) => {
    throw asStorageError(error);
  });
}
