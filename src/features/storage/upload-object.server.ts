import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LIMITS, UPLOADS_BUCKET } from '../../contract/limits.ts';
import { MESSAGES } from '../../contract/messages.ts';
import type { Caller } from '../../resources/database/caller.ts';
import { sqlState } from '../../resources/database/database.ts';
import type { ReceivedBytes } from '../../resources/object-store/object-store.ts';
import { checkContent } from './check-content.server.ts';
import { type Bucket, findBucket } from './find-object.server.ts';
import { discardRest, readUploadBody, type UploadBody } from './read-upload-body.server.ts';
import { storageErrors } from './storage-errors.server.ts';
import { addressed, asStorageError, callerOf, type StorageScope } from './storage-scope.server.ts';

/** An upload that stops renewing its lease is dead after so many seconds. */
const LEASE_SECONDS = 120;
const RENEW_MS = 30_000;
/** What a multipart form may add to the file, bytes. */
const FORM_OVERHEAD = 128 * 1024;
const NO_CREDIT = 'NL001';
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;|$)/;
const UNTYPED = 'application/octet-stream';

/** Where an upload is going. */
interface Target {
  readonly bucket: Bucket;
  readonly name: string;
  readonly caller: Caller;
  /** An object of this name may be replaced, if the caller has the right to. */
  readonly replace: boolean;
}

/** An upload whose bytes count against a quota and, in the uploads bucket, hold a credit. */
interface Upload extends Target {
  readonly id: string;
  /** Bytes that may come, and the error for one more. */
  readonly limit: number;
  readonly beyondLimit: () => Error;
}

/** Thrown to undo a rehearsed change. */
class Rehearsed extends Error {}

/**
 * POST (create) and PUT (replace) of an object. The order makes every failure harmless:
 * permission rehearsed as the caller, quota and credit held under a lease, bytes streamed to
 * a temporary file, then row and credit in one transaction (contract §3, "server behaviour").
 */
export function mountUpload(scope: StorageScope): void {
  scope.server.register(async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    server.addHook('onRequest', async (request) => {
      // The client sends an empty type for a file without one, which Fastify would refuse unseen.
      if (!MEDIA_TYPE.test(request.headers['content-type'] ?? '')) {
        request.headers['content-type'] = UNTYPED;
      }
    });
    server.route({
      method: ['POST', 'PUT'],
      url: '/object/:bucket/*',
      bodyLimit: Number.MAX_SAFE_INTEGER,
      handler: async (request) => {
        try {
          return await uploadObject(scope, request);
        } catch (error) {
          discardRest(request.raw);
          throw error;
        }
      },
    });
  });
}

async function uploadObject(scope: StorageScope, request: FastifyRequest): Promise<object> {
  const caller = await callerOf(scope, request);
  const { upload, body } = await begin(scope, request, caller).catch(async (error) => {
    const { bucket } = request.params as { bucket: string };
    if (caller.userId !== undefined) await scope.uploadRefused(bucket, caller.userId);
    throw error;
  });
  const renewal = setInterval(() => void renewLease(scope, upload.id), RENEW_MS);
  try {
    const check = checkContent(upload.name, body.contentType, upload.bucket.id === UPLOADS_BUCKET);
    refuseUnlistedType(upload.bucket, check.mimeType);
    const received = await receive(scope, upload, body, check.inspect);
    await check.finish(received.file);
    await scope.resources.objects.keep(received);
    const id = await store(scope, upload, body, check.mimeType, received);
    return { Id: id, Key: `${upload.bucket.id}/${upload.name}` };
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
  caller: Caller,
): Promise<{ upload: Upload; body: UploadBody }> {
  const { bucketId, name } = addressed(request);
  const bucket = await findBucket(scope.resources.database, bucketId);
  const replace = request.method === 'PUT' || request.headers['x-upsert'] === 'true';
  const target = { bucket, name, caller, replace };
  await rehearse(scope, target);
  const body = await readUploadBody(request.raw);
  return { upload: await reserve(scope, request, target), body };
}

/** Asks the database whether the caller may store this, by doing it and undoing it. */
async function rehearse(scope: StorageScope, { bucket, name, caller, replace }: Target): Promise<void> {
  const onConflict = replace ? 'on conflict (bucket_id, name) do update set updated_at = now()' : '';
  try {
    await scope.resources.database.asCaller(caller, async (queries) => {
      await queries.run(
        `insert into storage.objects (bucket_id, name, owner, owner_id) values ($1, $2, $3, $4) ${onConflict}`,
        [bucket.id, name, caller.userId ?? null, caller.userId ?? null],
      );
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw asStorageError(error);
  }
}

async function reserve(scope: StorageScope, request: FastifyRequest, target: Target): Promise<Upload> {
  const bucketLimit = Math.min(
    Number(target.bucket.file_size_limit ?? LIMITS.uploadBytes),
    LIMITS.uploadBytes,
  );
  const tooLarge = () => storageErrors.tooLarge(bucketLimit);
  const declared = declaredLength(request);
  if (declared !== undefined && declared > bucketLimit + FORM_OVERHEAD) throw tooLarge();
  const id = randomUUID();
  const { reserved } = await scope.resources.database
    .one<{ reserved: string | null }>(
      'select private.begin_upload($1, $2, $3, $4, $5, $6, make_interval(secs => $7)) as reserved',
      [
        ...[id, target.bucket.id, target.name, target.caller.userId ?? null],
        ...[declared ?? null, bucketLimit, LEASE_SECONDS],
      ],
    )
    .catch((error) => {
      if (sqlState(error)?.code === NO_CREDIT) throw storageErrors.accessDenied(MESSAGES.upload.noCredits);
      throw error;
    });
  if (reserved === null) throw storageErrors.quotaExceeded();
  const limit = Number(reserved);
  return { ...target, id, limit, beyondLimit: limit < bucketLimit ? storageErrors.quotaExceeded : tooLarge };
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
    inspect(piece) {
      bytes += piece.length;
      if (bytes > upload.limit) throw upload.beyondLimit();
      inspect(piece);
    },
  });
}

/** The bucket's own list: exact types or `image/*`. */
function refuseUnlistedType(bucket: Bucket, mimeType: string): void {
  const allowed = bucket.allowed_mime_types;
  if (allowed === null || allowed.length === 0) return;
  const listed = allowed.some(
    (entry) =>
      entry === mimeType ||
      entry === '*/*' ||
      (entry.endsWith('/*') && mimeType.startsWith(entry.slice(0, -1))),
  );
  if (!listed) throw storageErrors.invalidMimeType();
}

/** Writes the row in one transaction with the end of the lease; triggers settle the rest. */
async function store(
  scope: StorageScope,
  upload: Upload,
  body: UploadBody,
  mimeType: string,
  received: ReceivedBytes,
): Promise<string> {
  const { id, bucket, name, caller, replace } = upload;
  const metadata = {
    eTag: `"${received.sha256}"`,
    size: received.bytes,
    mimetype: mimeType,
    cacheControl: body.cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: received.bytes,
    httpStatusCode: 200,
  };
  const owner = caller.userId ?? null;
  const onConflict = replace
    ? `on conflict (bucket_id, name) do update set version = excluded.version, metadata = excluded.metadata,
         user_metadata = excluded.user_metadata, updated_at = now()`
    : '';
  return scope.resources.database.transaction(async (queries) => {
    const lease = await queries.maybe('select 1 from private.uploads where id = $1 for update', [id]);
    if (lease === undefined) throw storageErrors.tooSlow();
    const row = await queries.one<{ id: string }>(
      `insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
       values ($1, $2, $3, $4, $5, $6, $7, $8) ${onConflict} returning id`,
      [id, bucket.id, name, owner, owner, id, metadata, body.userMetadata],
    );
    await queries.run('delete from private.uploads where id = $1', [id]);
    return row.id;
  });
}

/**
 * Ends an upload that failed: its lease goes, and with it quota and credit are free again. The bytes
 * are removed only where the lease was still there: else the row may have been stored after all.
 */
async function cancel(scope: StorageScope, id: string): Promise<void> {
  const { database, objects, log } = scope.resources;
  try {
    await objects.discard(id);
    const ended = await database.run('delete from private.uploads where id = $1', [id]);
    if (ended === 1) await objects.remove(id);
  } catch (error) {
    log.warn({ err: error, upload: id }, 'a failed upload is left to the sweeper');
  }
}

async function renewLease(scope: StorageScope, id: string): Promise<void> {
  const { database, log } = scope.resources;
  await database
    .run('update private.uploads set expires_at = now() + make_interval(secs => $2) where id = $1', [
      id,
      LEASE_SECONDS,
    ])
    .catch((error) => log.warn({ err: error, upload: id }, 'the lease of an upload was not renewed'));
}
