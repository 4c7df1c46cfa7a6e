import { randomUUID } from 'node:crypto';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import { type Queries, sqlState } from '../../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import type { ReceivedBytes } from '../../../kernel/resources/object-store/object-store.ts';
import type { Bucket } from '../objects/object-lookup.server.ts';
import { storageErrors } from '../storage-errors.server.ts';
import { asStorageError, type StorageScope } from '../storage-scope.server.ts';
import { bytesLimitOf } from './bucket-limits.server.ts';
import type { UploadBody } from './upload-body.server.ts';

/** An upload that does not renew its lease for this many seconds counts as dead. */
const LEASE_SECONDS = 120;

const NO_CREDIT = 'NL001';
const NO_PLACE = 'NL003';

/** The destination of an upload. */
export interface Target {
  readonly bucket: Bucket;
  readonly name: string;
  readonly caller: Caller;
  /** True when an existing object of this name may be replaced, if the caller has the right. */
  readonly replace: boolean;
  /** The signed upload address that this upload uses up, if any. */
  readonly signed?: SignedUpload;
}

/** Identity of a signed upload address, and its expiry. */
export interface SignedUpload {
  readonly id: string;
  readonly expiresAt: Date;
}

/** An upload whose bytes count against a quota and, in the uploads bucket, reserve a credit. */
export interface Upload extends Target {
  readonly id: string;
  /** Most bytes that may come, and the error for more. */
  readonly limit: number;
  readonly beyondLimit: () => Error;
}

/** Thrown to roll back the trial insert. */
class TrialSucceeded extends Error {}

/**
 * Checks with the database's policies whether the caller may store this, by an insert that is rolled back.
 *
 * @throws ServiceError AccessDenied or KeyAlreadyExists, or the refusal of the bucket's rules
 * @trigger storage.objects needs_bytes
 */
export async function requirePermission(
  scope: StorageScope,
  { bucket, name, caller, replace }: Target,
): Promise<void> {
  await scope.rules.get(bucket.id)?.admit(caller);
  const onConflict = replace ? 'on conflict (bucket_id, name) do update set updated_at = now()' : '';
  try {
    await scope.resources.database.asCaller(caller, async (queries) => {
      await queries.run(
        uncheckedSql(
          `insert into storage.objects (bucket_id, name, owner, owner_id) values ($1, $2, $3, $4) ${onConflict}`,
          'composed',
        ),
        [bucket.id, name, caller.userId ?? null, caller.userId ?? null],
      );
      throw new TrialSucceeded();
    });
  } catch (error) {
    if (!(error instanceof TrialSucceeded)) throw asStorageError(error);
  }
}

/**
 * Reserves quota and, in the uploads bucket, a credit for the bytes to come (SQL function `begin_upload`).
 *
 * @param declared the number of bytes, or undefined when it is not known
 * @param options `overhead`: bytes that `declared` may have beyond the file's; `leaseSeconds`: how long the
 * upload may be silent
 * @throws ServiceError EntityTooLarge, QuotaExceeded, or AccessDenied without a credit or a place in the plan
 * @trigger private.uploads claim_credit
 * @trigger private.uploads claim_course_credit
 * @trigger private.uploads claim_course_upload
 */
export async function reserve(
  scope: Pick<StorageScope, 'resources'> & Partial<Pick<StorageScope, 'rules'>>,
  target: Target,
  declared: number | undefined,
  { overhead = 0, leaseSeconds = LEASE_SECONDS }: { overhead?: number; leaseSeconds?: number } = {},
): Promise<Upload> {
  const bucketLimit = bytesLimitOf(target.bucket);
  const tooLarge = () => storageErrors.tooLarge(bucketLimit);
  if (declared !== undefined && declared > bucketLimit + overhead) throw tooLarge();
  const id = randomUUID();
  const { reserved } = await scope.resources.database
    .one('select private.begin_upload($1, $2, $3, $4, $5, $6, make_interval(secs => $7)) as reserved', [
      id,
      target.bucket.id,
      target.name,
      target.caller.userId,
      declared,
      bucketLimit,
      leaseSeconds,
    ])
    .catch((error) => {
      const code = sqlState(error)?.code;
      if (code === NO_CREDIT) throw storageErrors.accessDenied(MESSAGES.upload.noCredits);
      if (code === NO_PLACE) throw storageErrors.accessDenied(scope.rules?.get(target.bucket.id)?.noPlace);
      throw error;
    });
  if (reserved === null) throw storageErrors.quotaExceeded();
  const limit = Number(reserved);
  return { ...target, id, limit, beyondLimit: limit < bucketLimit ? storageErrors.quotaExceeded : tooLarge };
}

/** What is known about an object's bytes once they have arrived. */
export type StoredContent = Pick<UploadBody, 'cacheControl' | 'userMetadata' | 'contentEncoding'> &
  Pick<ReceivedBytes, 'bytes' | 'sha256'> & {
    readonly mimeType: string;
    /** What the bucket's rules found out about the file. */
    readonly facts?: Readonly<Record<string, number>>;
  };

/**
 * Writes the row and ends the lease, in one transaction. Triggers do the accounting: on `storage.objects`
 * they book the credit that `begin_upload` claimed, and on `private.uploads` they release an unused claim.
 *
 * @param also further changes of the same transaction
 * @returns the object's id
 * @throws ServiceError RequestTimeout when the lease has expired
 * @trigger storage.objects store_with_credit
 * @trigger storage.objects store_lesson
 * @trigger storage.objects queue_replacement
 */
export async function store(
  scope: Pick<StorageScope, 'resources'>,
  upload: Upload,
  content: StoredContent,
  also: (queries: Queries) => Promise<void> = async () => {},
): Promise<string> {
  const { id, bucket, name, caller, replace, signed } = upload;
  const metadata = {
    eTag: `"${content.sha256}"`,
    size: content.bytes,
    mimetype: content.mimeType,
    cacheControl: content.cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: content.bytes,
    httpStatusCode: 200,
    ...content.facts,
    ...(content.contentEncoding === undefined ? {} : { contentEncoding: content.contentEncoding }),
  };
  const owner = caller.userId ?? null;
  const onConflict = replace
    ? `on conflict (bucket_id, name) do update set version = excluded.version, metadata = excluded.metadata,
         user_metadata = excluded.user_metadata, updated_at = now()`
    : '';
  return scope.resources.database.transaction(async (queries) => {
    const lease = await queries.maybe('select 1 from private.uploads where id = $1 for update', [id]);
    if (lease === undefined) throw storageErrors.tooSlow();
    if (signed !== undefined) await spend(queries, signed);
    const row = await queries.one(
      uncheckedSql<{
        id: string;
      }>(
        `insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
       values ($1, $2, $3, $4, $5, $6, $7, $8) ${onConflict} returning id`,
        'composed',
      ),
      [id, bucket.id, name, owner, owner, id, metadata, content.userMetadata],
    );
    await queries.run('delete from private.uploads where id = $1', [id]);
    await also(queries);
    return row.id;
  });
}

/** Whether an upload to a signed address has already stored its object. */
export async function isSpent(queries: Queries, { id }: Pick<SignedUpload, 'id'>): Promise<boolean> {
  return (
    (await queries.maybe('select 1 from private.spent_upload_tickets where id = $1', [id])) !== undefined
  );
}

async function spend(queries: Queries, signed: SignedUpload): Promise<void> {
  const spent = await queries.run(
    'insert into private.spent_upload_tickets (id, expires_at) values ($1, $2) on conflict do nothing',
    [signed.id, signed.expiresAt],
  );
  if (spent === 0) throw storageErrors.duplicate();
}

/**
 * Ends a failed upload: deletes its lease, which releases its quota and credit. The bytes are deleted only if
 * the lease still existed; otherwise the row may have been stored after all.
 * @trigger private.uploads release_claimed_credit
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

/** Extends the lease of an upload that is still receiving bytes. */
export async function renewLease(scope: Pick<StorageScope, 'resources'>, id: string): Promise<void> {
  const { database, log } = scope.resources;
  await database
    .run('update private.uploads set expires_at = now() + make_interval(secs => $2) where id = $1', [
      id,
      LEASE_SECONDS,
    ])
    .catch((error) => log.warn({ err: error, upload: id }, 'the lease of an upload was not renewed'));
}
