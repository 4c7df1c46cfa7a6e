import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS, UPLOADS_BUCKET } from '../../contract/limits.ts';
import { SERVICES } from '../../contract/routes.ts';
import { ServiceError } from '../../contract/service-error.ts';
import { MissingBytes } from '../../resources/object-store/object-store.ts';
import { checkContent } from './check-content.server.ts';
import { findBucket } from './find-object.server.ts';
import { cancel, refuseUnlistedType, rehearse, reserve, store, type Target } from './hold-upload.server.ts';
import { objectName } from './object-name.contract.ts';
import { cacheControl, discardRest, parseMetadata, pieces } from './read-upload-body.server.ts';
import { findResumable, type ResumableUpload, takeTurn } from './resumable-upload.server.ts';
import { ticketedTarget, verifyUpload } from './sign-upload.server.ts';
import { storageErrors } from './storage-errors.server.ts';
import { asStorageError, callerOf, type StorageScope } from './storage-scope.server.ts';
import { isWholeNumber, parseUploadMetadata, TUS_VERSION, tusErrors } from './tus-protocol.server.ts';

/** How long an upload may take from its creation on; then quota and credit are free again. */
const LIFE_SECONDS = 24 * 3600;
/** No byte for so long, and the request counts as dead. */
const IDLE_MS = 60_000;
const ANSWERS = { 'tus-resumable': TUS_VERSION, 'cache-control': 'no-store' };
const ABILITIES = {
  'tus-version': TUS_VERSION,
  'tus-extension': 'creation,expiration,termination',
  'tus-max-size': String(LIMITS.uploadBytes),
};

/** Resumable uploads, tus 1.0.0: as a caller, and below `/sign` with a signed upload token in `x-signature`. */
export function mountResumable(scope: StorageScope): void {
  scope.server.register(async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    server.addHook('onRequest', async (request, reply) => {
      reply.headers(ANSWERS);
      const version = request.headers['tus-resumable'];
      if (request.method !== 'OPTIONS' && version !== TUS_VERSION) throw tusErrors.version();
    });
    // Unlike the rest of the service, the protocol has true status codes.
    server.setErrorHandler((error, request, reply) => {
      discardRest(request.raw);
      const stated = asStorageError(error);
      if (!(stated instanceof ServiceError)) throw error;
      const { status, code, message, headers, details } = stated;
      return reply
        .status(status)
        .headers({ ...headers, ...ANSWERS })
        .send({ ...details, statusCode: String(status), error: details.error ?? code, code, message });
    });
    for (const base of ['/upload/resumable', '/upload/resumable/sign']) {
      server.options(base, async (_request, reply) => reply.status(204).headers(ABILITIES).send());
      server.post(base, async (request, reply) => create(scope, request, reply, base));
      mountOne(scope, server, `${base}/:id`);
    }
  });
}

function mountOne(scope: StorageScope, server: FastifyInstance, url: string): void {
  server.head(url, async (request, reply) => {
    const upload = await findResumable(scope, request);
    return reply.status(200).headers(progress(upload)).send();
  });
  server.route({
    method: 'PATCH',
    url,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    handler: async (request, reply) => {
      if (request.headers['content-type'] !== 'application/offset+octet-stream') throw tusErrors.mediaType();
      const offset = request.headers['upload-offset'];
      if (!isWholeNumber(offset)) throw tusErrors.invalidHeader('Upload-Offset');
      const upload = await findResumable(scope, request);
      if (upload.stored || upload.received !== Number(offset)) throw tusErrors.offset(upload.received);
      const received = await receive(scope, request, upload);
      return reply
        .status(204)
        .headers(progress({ ...upload, received }))
        .send();
    },
  });
  server.delete(url, async (request, reply) => {
    const upload = await findResumable(scope, request);
    if (upload.stored) throw tusErrors.gone();
    const turn = await takeTurn(scope, upload);
    await turn.end();
    await cancel(scope, upload.id);
    return reply.status(204).send();
  });
}

function progress(upload: ResumableUpload): Record<string, string> {
  return {
    'upload-offset': String(upload.received),
    'upload-length': String(upload.length),
    ...(upload.stored ? {} : { 'upload-expires': upload.expiresAt.toUTCString() }),
  };
}

async function create(
  scope: StorageScope,
  request: FastifyRequest,
  reply: FastifyReply,
  base: string,
): Promise<FastifyReply> {
  const length = request.headers['upload-length'];
  if (!isWholeNumber(length)) throw tusErrors.invalidHeader('Upload-Length');
  const given = parseUploadMetadata(request.headers['upload-metadata']);
  const { target, refused } = await findTarget(scope, request, given, base.endsWith('/sign'));
  const contentType = given.get('contentType') ?? 'application/octet-stream';
  const metadata = given.get('metadata');
  try {
    const { bucket, name, caller, replace, ticket } = await target();
    refuseUnlistedType(bucket, checkContent(name, contentType, bucket.id === UPLOADS_BUCKET).mimeType);
    const userMetadata = metadata === undefined ? null : parseMetadata(metadata);
    const upload = await reserve(scope, { bucket, name, caller, replace }, Number(length), {
      leaseSeconds: LIFE_SECONDS,
    });
    if (upload.limit < Number(length)) {
      await cancel(scope, upload.id);
      throw upload.beyondLimit();
    }
    await scope.resources.database.run(
      `insert into private.resumable_uploads
         (id, length, role, replace, content_type, cache_control, user_metadata, ticket_id, ticket_expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        ...[upload.id, Number(length), caller.role, replace, contentType],
        ...[cacheControl(given.get('cacheControl')), userMetadata],
        ...[ticket?.id ?? null, ticket?.expiresAt ?? null],
      ],
    );
    return reply
      .status(201)
      .headers({
        location: `${SERVICES.storage}${base}/${upload.id}`,
        'upload-expires': new Date(Date.now() + LIFE_SECONDS * 1000).toUTCString(),
      })
      .send();
  } catch (error) {
    await refused();
    throw error;
  }
}

async function findTarget(
  scope: StorageScope,
  request: FastifyRequest,
  given: ReadonlyMap<string, string>,
  signed: boolean,
): Promise<{ target: () => Promise<Target>; refused: () => Promise<void> }> {
  const bucketId = given.get('bucketName') ?? '';
  const name = objectName(given.get('objectName') ?? '');
  if (name === undefined) throw storageErrors.invalidKey();
  const verified = signed
    ? await verifyUpload(scope, { bucketId, name, token: request.headers['x-signature'] })
    : undefined;
  const caller = verified?.caller ?? (await callerOf(scope, request));
  const refused = async (): Promise<void> => {
    if (caller.userId !== undefined) await scope.uploadRefused(bucketId, caller.userId);
  };
  if (verified !== undefined) return { target: () => ticketedTarget(scope, verified), refused };
  const target = async (): Promise<Target> => {
    const bucket = await findBucket(scope.resources.database, bucketId);
    const replace = request.headers['x-upsert'] === 'true';
    await rehearse(scope, { bucket, name, caller, replace });
    return { bucket, name, caller, replace };
  };
  return { target, refused };
}

/** Takes the bytes of one request in; the last ones make the object. @returns bytes received so far */
async function receive(
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
    if (missing || (error instanceof ServiceError && (error.status === 415 || error.status === 409))) {
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
  // Left by a process that died between this and the row.
  await objects.remove(id);
  await objects.keep(whole);
  const held = { ...upload, bucket, limit: upload.length, beyondLimit: tusErrors.tooMuch };
  await store(scope, held, upload, check.mimeType, whole).catch((error) => {
    throw asStorageError(error);
  });
}
