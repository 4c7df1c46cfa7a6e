import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';
import { MESSAGES } from '../../contract/messages.ts';
import type { Caller } from '../../resources/database/caller.ts';
import { type Queries, sqlState } from '../../resources/database/database.ts';
import type { ReceivedBytes } from '../../resources/object-store/object-store.ts';
import type { Bucket } from './find-object.server.ts';
import type { UploadBody } from './read-upload-body.server.ts';
import { storageErrors } from './storage-errors.server.ts';
import { asStorageError, type StorageScope } from './storage-scope.server.ts';

/** An upload that stops renewing its lease is dead after so many seconds. */
const LEASE_SECONDS = 120;

const NO_CREDIT = 'NL001';

/** Where an upload is going. */
export interface Target {
  readonly bucket: Bucket;
  readonly name: string;
  readonly caller: Caller;
  /** An object of this name may be replaced, if the caller has the right to. */
  readonly replace: boolean;
  /** The signed upload address that is used up by this, when there is one. */
  readonly ticket?: UploadTicket;
}

/** Identity of a signed upload address, and the time until which it would work. */
export interface UploadTicket {
  readonly id: string;
  readonly expiresAt: Date;
}

/** An upload whose bytes count against a quota and, in the uploads bucket, hold a credit. */
export interface Upload extends Target {
  readonly id: string;
  /** Bytes that may come, and the error for one more. */
  readonly limit: number;
  readonly beyondLimit: () => Error;
}

/** Thrown to undo a rehearsed change. */
class Rehearsed extends Error {}

/**
 * Asks the database whether the caller may store this, by doing it and undoing it.
 *
 * @throws ServiceError AccessDenied or KeyAlreadyExists
 */
export async function rehearse(
  scope: StorageScope,
  { bucket, name, caller, replace }: Target,
): Promise<void> {
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

/**
 * Holds quota and, in the uploads bucket, a credit for the bytes to come.
 *
 * @param declared their number, or undefined when it is not known
 * @param options `overhead`: bytes that `declared` may have beyond the file's; `leaseSeconds`: how long it
 * may be silent
 * @throws ServiceError EntityTooLarge, QuotaExceeded, or AccessDenied without a credit
 */
export async function reserve(
  scope: Pick<StorageScope, 'resources'>,
  target: Target,
  declared: number | undefined,
  { overhead = 0, leaseSeconds = LEASE_SECONDS }: { overhead?: number; leaseSeconds?: number } = {},
): Promise<Upload> {
  const bucketLimit = Math.min(
    Number(target.bucket.file_size_limit ?? LIMITS.uploadBytes),
    LIMITS.uploadBytes,
  );
  const tooLarge = () => storageErrors.tooLarge(bucketLimit);
  if (declared !== undefined && declared > bucketLimit + overhead) throw tooLarge();
  const id = randomUUID();
  const { reserved } = await scope.resources.database
    .one<{ reserved: string | null }>(
      'select private.begin_upload($1, $2, $3, $4, $5, $6, make_interval(secs => $7)) as reserved',
      [
        ...[id, target.bucket.id, target.name, target.caller.userId ?? null],
        ...[declared ?? null, bucketLimit, leaseSeconds],
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

/** The bucket's own list: exact types or `image/*`. @throws ServiceError InvalidMimeType */
export function refuseUnlistedType(bucket: Bucket, mimeType: string): void {
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

/**
 * Writes the row in one transaction with the end of the lease; triggers settle the rest.
 *
 * @param also is done in the same transaction
 * @returns the object's id
 * @throws ServiceError RequestTimeout when the lease ran out meanwhile
 */
export async function store(
  scope: Pick<StorageScope, 'resources'>,
  upload: Upload,
  body: Pick<UploadBody, 'cacheControl' | 'userMetadata' | 'contentEncoding'>,
  mimeType: string,
  received: Pick<ReceivedBytes, 'bytes' | 'sha256'>,
  also: (queries: Queries) => Promise<void> = async () => {},
): Promise<string> {
  const { id, bucket, name, caller, replace, ticket } = upload;
  const metadata = {
    eTag: `"${received.sha256}"`,
    size: received.bytes,
    mimetype: mimeType,
    cacheControl: body.cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: received.bytes,
    httpStatusCode: 200,
    ...(body.contentEncoding === undefined ? {} : { contentEncoding: body.contentEncoding }),
  };
  const owner = caller.userId ?? null;
  const onConflict = replace
    ? `on conflict (bucket_id, name) do update set version = excluded.version, metadata = excluded.metadata,
         user_metadata = excluded.user_metadata, updated_at = now()`
    : '';
  return scope.resources.database.transaction(async (queries) => {
    const lease = await queries.maybe('select 1 from private.uploads where id = $1 for update', [id]);
    if (lease === undefined) throw storageErrors.tooSlow();
    if (ticket !== undefined) await spendTicket(queries, ticket);
    const row = await queries.one<{ id: string }>(
      `insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
       values ($1, $2, $3, $4, $5, $6, $7, $8) ${onConflict} returning id`,
      [id, bucket.id, name, owner, owner, id, metadata, body.userMetadata],
    );
    await queries.run('delete from private.uploads where id = $1', [id]);
    await also(queries);
    return row.id;
  });
}

/** Whether a signed upload address has stored its object already. */
export async function isSpent(queries: Queries, ticket: UploadTicket): Promise<boolean> {
  return (
    (await queries.maybe('select 1 from private.spent_upload_tickets where id = $1', [ticket.id])) !==
    undefined
  );
}

async function spendTicket(queries: Queries, ticket: UploadTicket): Promise<void> {
  const spent = await queries.run(
    'insert into private.spent_upload_tickets (id, expires_at) values ($1, $2) on conflict do nothing',
    [ticket.id, ticket.expiresAt],
  );
  if (spent === 0) throw storageErrors.spentToken();
}

/**
 * Ends an upload that failed: its lease goes, and with it quota and credit are free again. The bytes
 * are removed only where the lease was still there: else the row may have been stored after all.
 */
export async function cancel(scope: Pick<StorageScope, 'resources'>, id: string): Promise<void> {
  const { database, objects, log } = scope.resources;
  try {
    await objects.discard(id);
    const ended = await database.run('delete from private.uploads where id = $1', [id]);
    if (ended === 1) await objects.remove(id);
  } catch (error) {
    log.warn({ err: error, upload: id }, 'a failed upload is left to the sweeper');
  }
}

/** Makes the lease of an upload that still flows last longer. */
export async function renewLease(scope: Pick<StorageScope, 'resources'>, id: string): Promise<void> {
  const { database, log } = scope.resources;
  await database
    .run('update private.uploads set expires_at = now() + make_interval(secs => $2) where id = $1', [
      id,
      LEASE_SECONDS,
    ])
    .catch((error) => log.warn({ err: error, upload: id }, 'the lease of an upload was not renewed'));
}
