import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import type { Caller, CallerRole } from '../../../kernel/resources/database/caller.ts';
import { sqlState } from '../../../kernel/resources/database/database.ts';
import { storageErrors } from '../storage-errors.server.ts';
import { callerOf, type StorageScope } from '../storage-scope.server.ts';
import { tusErrors } from './tus-protocol.server.ts';
import type { SignedUpload } from './upload-reservation.server.ts';
import { verifyUpload } from './upload-signing.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.resumable_uploads.user_metadata': Row['user_metadata'];
  }
}

/** A writing request that does not renew its lock for so long counts as dead. */
const LOCK_SECONDS = 10;
const RENEW_MS = 3000;
/** Raised by the trigger `limit_unfinished`. */
const TOO_MANY = 'NL002';
/** A lock lost in a power cut is over anyway, and a client that learns of fewer bytes sends them again. */
const ASYNC_COMMIT = "set_config('synchronous_commit', 'off', true) <> ''";

/** A resumable upload between two of its requests. */
export interface ResumableUpload {
  readonly id: string;
  readonly bucketId: string;
  readonly name: string;
  readonly caller: Caller;
  readonly replace: boolean;
  readonly signed?: SignedUpload;
  /** Bytes: of the whole, and those that are safe. */
  readonly length: number;
  readonly received: number;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly userMetadata: Record<string, unknown> | null;
  readonly expiresAt: Date;
  /** It is an object already. */
  readonly stored: boolean;
}

/** The right of one request to write. */
export interface UploadLock {
  /** Records how many bytes are safe. @throws ServiceError 423 when another request took over */
  save(bytes: number): Promise<void>;
  /** Records them, when given, and lets the next request write. @throws as `save` */
  release(bytes?: number): Promise<void>;
}

interface Row {
  bucket_id: string;
  name: string;
  user_id: string | null;
  role: CallerRole;
  replace: boolean;
  length: string;
  received: string;
  content_type: string;
  cache_control: string;
  user_metadata: Record<string, unknown> | null;
  ticket_id: string | null;
  ticket_expires_at: Date | null;
  expires_at: Date;
  stored: boolean;
}

const UNDER_WAY = `
  select bucket_id, name, user_id, role, replace, length, received, content_type, cache_control,
         user_metadata, ticket_id, ticket_expires_at, expires_at, false as stored
    from private.resumable_uploads join private.uploads using (id)
   where id = $1 and expires_at > now()`;
/** The reply to the last bytes may be lost: an object still answers for the upload that made it. */
const STORED = `
  select bucket_id, name, owner as user_id, case when owner is null then 'service_role' else 'authenticated' end as role,
         false as replace, metadata ->> 'size' as length, metadata ->> 'size' as received,
         metadata ->> 'mimetype' as content_type, metadata ->> 'cacheControl' as cache_control, user_metadata,
         null::uuid as ticket_id, null::timestamptz as ticket_expires_at, now() as expires_at, true as stored
    from storage.objects where version = $1::text`;

/**
 * Stores what the next requests of an upload have to know; its lease exists already.
 *
 * @throws ServiceError TooManyUploads 429 when its user has too many unfinished ones
 * @trigger private.resumable_uploads limit_unfinished
 */
export async function insertResumable(scope: StorageScope, upload: ResumableUpload): Promise<void> {
  await scope.resources.database
    .run(
      `insert into private.resumable_uploads
         (id, length, role, replace, content_type, cache_control, user_metadata, ticket_id, ticket_expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        upload.id,
        upload.length,
        upload.caller.role,
        upload.replace,
        upload.contentType,
        upload.cacheControl,
        upload.userMetadata,
        upload.signed?.id,
        upload.signed?.expiresAt,
      ],
    )
    .catch((error) => {
      throw sqlState(error)?.code === TOO_MANY ? storageErrors.tooManyUploads() : error;
    });
}

/**
 * The upload that the address names, for whoever began it.
 *
 * @throws ServiceError NoSuchUpload 404, also for other people's
 */
export async function findResumable(scope: StorageScope, request: FastifyRequest): Promise<ResumableUpload> {
  const { database } = scope.resources;
  const { id } = request.params as { id: string };
  const signature = request.headers['x-signature'];
  const caller = signature === undefined ? await callerOf(scope, request) : undefined;
  if (!isUuid(id)) throw tusErrors.missing();
  const row = ((await database.maybe(UNDER_WAY, [id])) ?? (await database.maybe(STORED, [id]))) as
    | Row
    | undefined;
  if (row === undefined) throw tusErrors.missing();
  const verified = await ownerOf(scope, row, caller, signature);
  return {
    id,
    bucketId: row.bucket_id,
    name: row.name,
    ...verified,
    replace: row.replace,
    length: Number(row.length),
    received: Number(row.received),
    contentType: row.content_type,
    cacheControl: row.cache_control,
    userMetadata: row.user_metadata,
    expiresAt: row.expires_at,
    stored: row.stored,
  };
}

async function ownerOf(
  scope: StorageScope,
  row: Row,
  caller: Caller | undefined,
  token: unknown,
): Promise<{ caller: Caller; signed?: SignedUpload }> {
  if (caller === undefined) {
    const { bucket_id: bucketId, name } = row;
    const verified = await verifyUpload(scope, { bucketId, name, token });
    if (verified.signed.id !== row.ticket_id) throw tusErrors.missing();
    return { caller: verified.caller, signed: verified.signed };
  }
  const same = row.ticket_id === null && row.role === caller.role && row.user_id === (caller.userId ?? null);
  if (!same) throw tusErrors.missing();
  return { caller };
}

/**
 * Makes this request the only one that writes the upload.
 *
 * @throws ServiceError 423 while another one does, 409 when the upload has moved on
 */
export async function acquireUploadLock(scope: StorageScope, upload: ResumableUpload): Promise<UploadLock> {
  const { database, log } = scope.resources;
  const { id } = upload;
  const writer = randomUUID();
  const taken = await database.run(
    `update private.resumable_uploads set writer = $2, writing_until = now() + make_interval(secs => $3)
      where id = $1 and received = $4 and (writer is null or writing_until < now()) and ${ASYNC_COMMIT}`,
    [id, writer, LOCK_SECONDS, upload.received],
  );
  if (taken === 0) throw tusErrors.locked();
  const renew = (bytes: number | null): Promise<number> =>
    database.run(
      `update private.resumable_uploads
          set received = coalesce($4, received), writing_until = now() + make_interval(secs => $3)
        where id = $1 and writer = $2 and ${ASYNC_COMMIT}`,
      [id, writer, LOCK_SECONDS, bytes],
    );
  const renewal = setInterval(
    () =>
      void renew(null).catch((error) =>
        log.warn({ err: error, upload: id }, 'the lock of an upload was not renewed'),
      ),
    RENEW_MS,
  );
  return {
    async save(bytes) {
      if ((await renew(bytes)) === 0) throw tusErrors.locked();
    },
    async release(bytes) {
      clearInterval(renewal);
      const ended = await database.run(
        `update private.resumable_uploads
            set received = coalesce($3, received), writer = null, writing_until = null
          where id = $1 and writer = $2 and ${ASYNC_COMMIT}`,
        [id, writer, bytes ?? null],
      );
      if (bytes !== undefined && ended === 0) throw tusErrors.locked();
    },
  };
}
