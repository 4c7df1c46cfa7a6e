import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { ReceivedBytes } from '../../../kernel/resources/object-store/object-store.ts';
import { findBucket } from '../objects/object-lookup.server.ts';
import { addressed, asStorageError, callerOf, type StorageScope } from '../storage-scope.server.ts';
import { refuseUnlistedType } from './bucket-limits.server.ts';
import { uploadCheck } from './checked-buckets.server.ts';
import { discardRest, readUploadBody, type UploadBody } from './upload-body.server.ts';
import {
  cancel,
  renewLease,
  requirePermission,
  reserve,
  store,
  type Target,
  type Upload,
} from './upload-reservation.server.ts';
import { signedTarget, verifyUpload } from './upload-signing.server.ts';

const RENEW_MS = 30_000;
/** Bytes that a multipart form may add to the file. */
const FORM_OVERHEAD = 128 * 1024;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;|$)/;
const UNTYPED = 'application/octet-stream';

/**
 * POST (create) and PUT (replace) of an object. The order makes every failure harmless: rights are checked as
 * the caller, quota and credit are reserved under a lease, bytes are streamed to a temporary file, then row
 * and credit are written in one transaction (docs/contracts/platform.md §3, "server behaviour").
 */
export function mountUpload(scope: StorageScope): void {
  scope.server.register(async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    server.addHook('onRequest', async (request) => {
      // For a file without a type the client sends an empty type, which Fastify would refuse before our
      // handler.
      if (!MEDIA_TYPE.test(request.headers['content-type'] ?? '')) {
        request.headers['content-type'] = UNTYPED;
      }
    });
    receiveAt(server, ['POST', 'PUT'], '/object/:bucket/*', async (request) => {
      const caller = await callerOf(scope, request);
      const stored = await uploadObject(scope, request, caller, () =>
        permittedTarget(scope, request, caller),
      );
      return { Id: stored.id, Key: stored.key };
    });
    receiveAt(server, ['PUT'], '/object/upload/sign/:bucket/*', async (request) => {
      const { token } = request.query as { token?: unknown };
      const verified = await verifyUpload(scope, { ...addressed(request), token });
      const stored = await uploadObject(scope, request, verified.caller, () => signedTarget(scope, verified));
      return { Key: stored.key };
    });
  });
}

/**
 * A route that receives bytes: after a refusal the rest is read and dropped, so that the client sees the
 * reply.
 */
function receiveAt(
  server: FastifyInstance,
  method: ('POST' | 'PUT')[],
  url: string,
  handle: (request: FastifyRequest) => Promise<object>,
): void {
  server.route({
    method,
    url,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    handler: async (request) => {
      try {
        return await handle(request);
      } catch (error) {
        discardRest(request.raw);
        throw error;
      }
    },
  });
}

async function uploadObject(
  scope: StorageScope,
  request: FastifyRequest,
  caller: Caller,
  findTarget: () => Promise<Target>,
): Promise<{ id: string; key: string }> {
  const { upload, body } = await begin(scope, request, findTarget).catch(async (error) => {
    const { bucket } = request.params as { bucket: string };
    if (caller.userId !== undefined) await scope.uploadRefused(bucket, caller.userId);
    throw error;
  });
  const renewal = setInterval(() => void renewLease(scope, upload.id), RENEW_MS);
  try {
    const { name, bucket } = upload;
    const check = uploadCheck(scope, { bucketId: bucket.id, name, contentType: body.contentType });
    refuseUnlistedType(upload.bucket, check.mimeType);
    const received = await receive(scope, upload, body, check.inspect);
    await check.finish(received.file);
    await scope.scan(received.file);
    const facts = await scope.rules.get(bucket.id)?.examine(upload.caller, received.file);
    await scope.resources.objects.keep(received);
    const id = await store(scope, upload, {
      ...body,
      ...received,
      mimeType: check.mimeType,
      ...(facts && { facts }),
    });
    return { id, key: `${upload.bucket.id}/${upload.name}` };
  } catch (error) {
    await cancel(scope, upload.id);
    throw asStorageError(error);
  } finally {
    clearInterval(renewal);
  }
}

async function begin(
  scope: StorageScope,
  request: FastifyRequest,
  findTarget: () => Promise<Target>,
): Promise<{ upload: Upload; body: UploadBody }> {
  const target = await findTarget();
  const body = await readUploadBody(request.raw);
  const declared = declaredLength(request);
  // A form is longer than its file; other bodies are not.
  const form = /^multipart\//i.test(request.headers['content-type'] ?? '');
  return { upload: await reserve(scope, target, declared, { overhead: form ? FORM_OVERHEAD : 0 }), body };
}

async function permittedTarget(
  scope: StorageScope,
  request: FastifyRequest,
  caller: Caller,
): Promise<Target> {
  const { bucketId, name } = addressed(request);
  const bucket = await findBucket(scope.resources.database, bucketId);
  const replace = request.method === 'PUT' || request.headers['x-upsert'] === 'true';
  const target = { bucket, name, caller, replace };
  await requirePermission(scope, target);
  return target;
}

function declaredLength(request: FastifyRequest): number | undefined {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : undefined;
}

async function receive(
  scope: StorageScope,
  upload: Upload,
  body: UploadBody,
  inspect: (piece: Buffer) => void,
): Promise<ReceivedBytes> {
  let bytes = 0;
  return scope.resources.objects.receive(upload.id, body.source, {
    ownsPieces: body.ownsPieces,
    inspect(piece) {
      bytes += piece.length;
      if (bytes > upload.limit) throw upload.beyondLimit();
      inspect(piece);
    },
  });
}
