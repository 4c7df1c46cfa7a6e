import type { FastifyRequest } from 'fastify';
import { UPLOADS_BUCKET } from '../../contract/limits.ts';
import { ServiceError } from '../../contract/service-error.ts';
import { MissingBytes } from '../../resources/object-store/object-store.ts';
import { checkContent } from './check-content.server.ts';
import { findBucket } from './find-object.server.ts';
import { cancel, store } from './hold-upload.server.ts';
import { pieces } from './read-upload-body.server.ts';
import { type ResumableUpload, takeTurn } from './resumable-upload.server.ts';
import { storageErrors } from './storage-errors.server.ts';
import { asStorageError, type StorageScope } from './storage-scope.server.ts';
import { tusErrors } from './tus-protocol.server.ts';

/** No byte for so long, and the request counts as dead. */
const IDLE_MS = 60_000;
/** Refusals of what has arrived: there is nothing to go on with. */
const ENDING = new Set([409, 415, 422]);

/**
 * Takes the bytes of one request of a resumable upload in; the last ones make the object.
 *
 * @returns bytes received so far
 * @throws ServiceError: 423 while another request writes, 413 for more bytes than were declared, 415 and 422 for
 * content that is refused, which ends the upload, 410 when earlier bytes are gone
 */
export async function receivePiece(
  scope: StorageScope,
  request: FastifyRequest,
  upload: ResumableUpload,
): Promise<number> {
  const { objects } = scope.resources;
  request.raw.setTimeout(IDLE_MS, () => request.raw.destroy(storageErrors.tooSlow()));
  const turn = await takeTurn(scope, upload);
  let received = upload.received;
  let arrived = upload.received;
  const check = checkContent(upload.name, upload.contentType, upload.bucketId === UPLOADS_BUCKET);
  try {
    await objects.append(upload.id, upload.received, pieces(request.raw), {
      inspect(piece) {
        arrived += piece.length;
        if (arrived > upload.length) throw tusErrors.tooMuch();
        // A later request begins in the middle of the file: then only the whole is looked at.
        if (upload.received === 0) check.inspect(piece);
      },
      async checkpoint(bytes) {
        received = bytes;
        // The last bytes count together with the object, so that nobody takes the one for the other.
        if (bytes < upload.length) await turn.save(bytes);
      },
    });
    if (received === upload.length) await finish(scope, upload);
    return received;
  } catch (error) {
    const missing = error instanceof MissingBytes;
    if (missing || (error instanceof ServiceError && ENDING.has(error.status))) {
      await cancel(scope, upload.id);
    }
    throw missing ? tusErrors.gone() : error;
  } finally {
    await turn.end();
  }
}

async function finish(scope: StorageScope, upload: ResumableUpload): Promise<void> {
  const { objects, database } = scope.resources;
  const { id, name, contentType } = upload;
  const bucket = await findBucket(database, upload.bucketId);
  const check = checkContent(name, contentType, bucket.id === UPLOADS_BUCKET);
  const whole = await objects.assemble(id, check);
  await check.finish(whole.file);
  await scope.scan(whole.file);
  // Left by a process that died between this and the row.
  await objects.remove(id);
  await objects.keep(whole);
  const held = { ...upload, bucket, limit: upload.length, beyondLimit: tusErrors.tooMuch };
  await store(scope, held, upload, check.mimeType, whole).catch((error) => {
    throw asStorageError(error);
  });
}
