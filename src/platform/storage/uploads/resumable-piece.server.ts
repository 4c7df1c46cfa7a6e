import type { FastifyRequest } from 'fastify';
import { UPLOADS_BUCKET } from '../../contract/limits.ts';
import { ServiceError } from '../../contract/service-error.ts';
import { MissingBytes } from '../../resources/object-store/object-store.ts';
import { checkContent } from './check-content.server.ts';
import { findBucket } from './find-object.server.ts';
import { cancel, store } from './hold-upload.server.ts';
import type { Passage } from './pass-bytes.server.ts';
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
  const { objects, log } = scope.resources;
  request.raw.setTimeout(IDLE_MS, () => request.raw.destroy(storageErrors.tooSlow()));
  const turn = await takeTurn(scope, upload);
  let received = upload.received;
  let arrived = upload.received;
  // Without it, because the bytes before came to another process, only the whole is looked at.
  const passage = scope.passages.take(upload);
  const note = (): number | undefined =>
    received > upload.received && received < upload.length ? received : undefined;
  try {
    await objects.append(upload.id, upload.received, pieces(request.raw), {
      ownsPieces: true,
      inspect(piece) {
        arrived += piece.length;
        if (arrived > upload.length) throw tusErrors.tooMuch();
        if (passage === undefined) return;
        passage.check.inspect(piece);
        passage.hash.update(piece);
        passage.bytes += piece.length;
      },
      async checkpoint(bytes, last) {
        received = bytes;
        // The last bytes count together with the object, so that nobody takes the one for the other.
        if (bytes < upload.length && !last) await turn.save(bytes);
      },
    });
    const whole = received === upload.length;
    if (whole) await finish(scope, upload, passage?.bytes === received ? passage : undefined);
  } catch (error) {
    const missing = error instanceof MissingBytes;
    if (missing || (error instanceof ServiceError && ENDING.has(error.status))) {
      await cancel(scope, upload.id);
    }
    await turn.end(note()).catch((lost) => log.warn({ err: lost, upload: upload.id }, 'a turn was lost'));
    throw missing ? tusErrors.gone() : error;
  }
  await turn.end(note());
  if (received < upload.length && passage?.bytes === received) scope.passages.keep(upload.id, passage);
  return received;
}

async function finish(
  scope: StorageScope,
  upload: ResumableUpload,
  passage: Passage | undefined,
): Promise<void> {
  const { objects, database } = scope.resources;
  const { id, name, contentType } = upload;
  const bucket = await findBucket(database, upload.bucketId);
  const anew = checkContent(name, contentType, bucket.id === UPLOADS_BUCKET);
  const whole = await objects.assemble(id, {
    inspect: anew.inspect,
    ...(passage && { known: { bytes: passage.bytes, sha256: passage.hash.digest('hex') } }),
  });
  const check = passage?.check ?? anew;
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
