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

/** Raised by the trigger `limit_unfinished`. */
const TOO_MANY = 'NL002';

/** The state of a resumable upload between two of its requests. */
export interface ResumableUpload {
  readonly id: string;
  readonly bucketId: string;
  readonly name: string;
  readonly caller: Caller;
  readonly replace: boolean;
  readonly signed?: SignedUpload;
  /** Bytes of the whole upload, and bytes that are stored safely. */
  readonly length: number;
  readonly received: number;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly userMetadata: Record<string, unknown> | null;
  readonly expiresAt: Date;
  /** True when it has become an object. */
  readonly stored: boolean;
  /** True while another request holds its lock. */
  readonly locked: boolean;
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
  locked: boolean;
}

const UNDER_WAY = `
  select bucket_id, name, user_id, role, replace, length, received, content_type, cache_control,
         user_metadata, ticket_id, ticket_expires_at, expires_at, false as stored,
         coalesce(writing_until > now(), false) as locked
    from private.resumable_uploads join private.uploads using (id)
   where id = $1 and expires_at > now()`;
/** The reply to the last bytes may have been lost, so an object still answers for the upload that made it. */
const STORED = `
  select bucket_id, name, owner as user_id, case when owner is null then 'service_role' else 'authenticated' end as role,
         false as replace, metadata ->> 'size' as length, metadata ->> 'size' as received,
         metadata ->> 'mimetype' as content_type, metadata ->> 'cacheControl' as cache_control, user_metadata,
         null::uuid as ticket_id, null::timestamptz as ticket_expires_at, now() as expires_at, true as stored, false as locked
    from storage.objects where version = $1::text`;

/**
 * Stores what later requests of an upload need; its lease exists already.
 *
 * @throws ServiceError TooManyUploads 429 when its user has too many unfinished uploads
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
 * The upload that the path names, if the caller began it.
 *
 * @throws ServiceError NoSuchUpload 404, also for uploads of other people
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
    locked: row.locked,
  };
}

/**
 * Finds the upload and waits until no other request writes to it. Such a request has been given up by its
 * client, so it is ended. @throws as `findResumable`
 */
export async function takeResumable(scope: StorageScope, request: FastifyRequest): Promise<ResumableUpload> {
  const upload = await findResumable(scope, request);
  if (!upload.locked) return upload;
  await scope.uploadLocks.end(upload);
  return findResumable(scope, request);
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
