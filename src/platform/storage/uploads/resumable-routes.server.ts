import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../../../kernel/contract/limits.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { findBucket } from '../objects/object-lookup.server.ts';
import { objectName } from '../objects/object-name.contract.ts';
import { storageErrors } from '../storage-errors.server.ts';
import { asStorageError, callerOf, type StorageScope } from '../storage-scope.server.ts';
import { refuseUnlistedType } from './bucket-limits.server.ts';
import { uploadCheck } from './checked-buckets.server.ts';
import { receivePiece } from './resumable-continuation.server.ts';
import { insertResumable, type ResumableUpload, takeResumable } from './resumable-upload.server.ts';
import { isWholeNumber, parseUploadMetadata, TUS_VERSION, tusErrors } from './tus-protocol.server.ts';
import { cacheControl, discardRest, parseMetadata } from './upload-body.server.ts';
import { cancel, requirePermission, reserve, type Target, type Upload } from './upload-reservation.server.ts';
import { signedTarget, verifyUpload } from './upload-signing.server.ts';

/** How long an upload may take from its creation; then its quota and credit are released. */
const LIFE_SECONDS = 24 * 3600;
const PROTOCOL_HEADERS = { 'tus-resumable': TUS_VERSION, 'cache-control': 'no-store' };
const CAPABILITIES = {
  'tus-version': TUS_VERSION,
  'tus-extension': 'creation,creation-with-upload,expiration,termination',
  'tus-max-size': String(LIMITS.courseVideoBytes),
};

/** Resumable uploads, tus 1.0.0: as a caller, and below `/sign` with a signed upload token in `x-signature`. */
export function mountResumable(scope: StorageScope): void {
  scope.server.register(async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    server.addHook('onRequest', async (request, reply) => {
      reply.headers(PROTOCOL_HEADERS);
      const version = request.headers['tus-resumable'];
      if (request.method !== 'OPTIONS' && version !== TUS_VERSION) throw tusErrors.version();
    });
    // Unlike the rest of the service, this protocol uses real status codes.
    server.setErrorHandler((error, request, reply) => {
      discardRest(request.raw);
      const stated = asStorageError(error);
      if (!(stated instanceof ServiceError)) throw error;
      const { status, code, message, headers, details } = stated;
      return reply
        .status(status)
        .headers({ ...headers, ...PROTOCOL_HEADERS })
        .send({ ...details, statusCode: String(status), error: details.error ?? code, code, message });
    });
    for (const base of ['/upload/resumable', '/upload/resumable/sign']) {
      server.options(base, async (_request, reply) => reply.status(204).headers(CAPABILITIES).send());
      server.post(base, async (request, reply) => create(scope, request, reply, base));
      mountOne(scope, server, `${base}/:id`);
    }
  });
}

function mountOne(scope: StorageScope, server: FastifyInstance, url: string): void {
  server.head(url, async (request, reply) => {
    const upload = await takeResumable(scope, request);
    return reply.status(200).headers(progress(upload)).send();
  });
  server.route({
    method: 'PATCH',
    url,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    handler: async (request, reply) => {
      if (!isPiece(request)) throw tusErrors.mediaType();
      const offset = request.headers['upload-offset'];
      if (!isWholeNumber(offset)) throw tusErrors.invalidHeader('Upload-Offset');
      const upload = await takeResumable(scope, request);
      if (upload.stored || upload.received !== Number(offset)) throw tusErrors.offset(upload.received);
      const received = await receivePiece(scope, request, upload);
      return reply
        .status(204)
        .headers(progress({ ...upload, received }))
        .send();
    },
  });
  server.delete(url, async (request, reply) => {
    const upload = await takeResumable(scope, request);
    if (upload.stored) throw tusErrors.gone();
    const lock = await scope.uploadLocks.acquire(upload, () => {});
    await cancel(scope, upload.id);
    await lock.release();
    return reply.status(204).send();
  });
}

function isPiece({ headers }: FastifyRequest): boolean {
  return headers['content-type'] === 'application/offset+octet-stream';
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
  const found = await findTarget(scope, request, given, base.endsWith('/sign'));
  const { held, ...described } = await reserveWhole(scope, found.target, given, Number(length)).catch(
    async (error) => {
      await found.refused();
      throw error;
    },
  );
  const upload: ResumableUpload = {
    ...held,
    ...described,
    bucketId: held.bucket.id,
    length: Number(length),
    received: 0,
    stored: false,
    locked: false,
    expiresAt: new Date(Date.now() + LIFE_SECONDS * 1000),
  };
  try {
    if (held.limit < upload.length) throw held.beyondLimit();
    await insertResumable(scope, upload);
    // An empty upload is complete at once, and creation-with-upload sends the first bytes.
    const received = upload.length === 0 || isPiece(request) ? await receivePiece(scope, request, upload) : 0;
    return await reply
      .status(201)
      .headers({ ...progress({ ...upload, received }), location: `${SERVICES.storage}${base}/${upload.id}` })
      .send();
  } catch (error) {
    await cancel(scope, upload.id);
    throw error;
  }
}

/** Checks rights and type, and reserves quota and credit for the whole upload. */
async function reserveWhole(
  scope: StorageScope,
  findPermitted: () => Promise<Target>,
  given: ReadonlyMap<string, string>,
  length: number,
): Promise<{ held: Upload } & Pick<ResumableUpload, 'contentType' | 'cacheControl' | 'userMetadata'>> {
  const contentType = given.get('contentType') ?? 'application/octet-stream';
  const metadata = given.get('metadata');
  const target = await findPermitted();
  const { bucket, name } = target;
  refuseUnlistedType(bucket, uploadCheck(scope, { bucketId: bucket.id, name, contentType }).mimeType);
  const userMetadata = metadata === undefined ? null : parseMetadata(metadata);
  const held = await reserve(scope, target, length, { leaseSeconds: LIFE_SECONDS });
  return { held, contentType, cacheControl: cacheControl(given.get('cacheControl')), userMetadata };
}

async function findTarget(
  scope: StorageScope,
  request: FastifyRequest,
  given: ReadonlyMap<string, string>,
  signed: boolean,
): Promise<{ target: () => Promise<Target>; refused: () => Promise<void> }> {
  const bucketId = given.get('bucketName') ?? '';
  const asked = given.get('objectName') ?? '';
  const name = objectName(asked);
  if (name === undefined) throw storageErrors.invalidKey(asked);
  const verified = signed
    ? await verifyUpload(scope, { bucketId, name, token: request.headers['x-signature'] })
    : undefined;
  const caller = verified?.caller ?? (await callerOf(scope, request));
  const refused = async (): Promise<void> => {
    if (caller.userId !== undefined) await scope.uploadRefused(bucketId, caller.userId);
  };
  if (verified !== undefined) return { target: () => signedTarget(scope, verified), refused };
  const target = async (): Promise<Target> => {
    const bucket = await findBucket(scope.resources.database, bucketId);
    const replace = request.headers['x-upsert'] === 'true';
    await requirePermission(scope, { bucket, name, caller, replace });
    return { bucket, name, caller, replace };
  };
  return { target, refused };
}
