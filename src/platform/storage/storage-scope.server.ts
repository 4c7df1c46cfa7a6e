import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { inputIssues } from '../../kernel/http/input-issues.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { sqlState } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { Scan } from './content/content-scan.server.ts';
import { objectName } from './objects/object-name.contract.ts';
import { storageErrors } from './storage-errors.server.ts';
import type { UploadHashCache } from './uploads/upload-hash-cache.server.ts';
import type { UploadLocks } from './uploads/upload-lock.server.ts';

/** A character that PostgreSQL cannot store, in text and in JSON. */
const UNSTORABLE_TEXT = new Set(['22021', '22P05']);

/** What a feature asks of the uploads into its bucket, beyond the bucket's own limits. */
export interface BucketRules {
  /** Before a byte is received. @throws ServiceError with the sentence for the user */
  admit(caller: Caller): Promise<void>;
  /** What a caller is told whose upload the database refuses (NL003): others on their way have taken the last place. */
  readonly noPlace: string;
  /**
   * When the file is whole; what it answers becomes part of the object's metadata.
   *
   * @throws ServiceError 422, which ends the upload, with the sentence for the user
   */
  examine(caller: Caller, file: string): Promise<Readonly<Record<string, number>>>;
}

/** What the calls of the storage service share. `server` is the scope under `/storage/v1`. */
export interface StorageScope {
  readonly server: FastifyInstance;
  readonly http: HttpContext;
  readonly resources: Resources;
  /** Unlinks the bytes of deleted objects soon, in the background. */
  unlinkSoon(): void;
  /** Scans for malware before bytes count. @throws ServiceError InfectedFile or ScanFailed */
  readonly scan: Scan;
  /** Hashes of uploads that come in several requests. */
  readonly hashCache: UploadHashCache;
  /** Which request writes such an upload. */
  readonly uploadLocks: UploadLocks;
  /** Buckets whose uploads must be what their name and type say. */
  readonly checkedBuckets: ReadonlySet<string>;
  /** Rules that a feature has for a bucket of its own, by the bucket's id. */
  readonly rules: ReadonlyMap<string, BucketRules>;
  /** Called when an upload of a user was refused before it began. */
  uploadRefused(bucketId: string, userId: string): Promise<void>;
}

/**
 * The caller. @throws ServiceError InvalidRequest without credentials, AccessDenied for bad ones
 * (docs/contracts/platform.md §3)
 */
export async function callerOf(scope: StorageScope, request: FastifyRequest): Promise<Caller> {
  try {
    return await scope.http.authenticate(request.headers);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 401) throw error;
    if (error.code === 'no_authorization') throw storageErrors.noAuthorization();
    throw storageErrors.accessDenied('Invalid Compact JWS');
  }
}

/** Bucket and object that the address names. @throws ServiceError InvalidKey */
export function addressed(request: FastifyRequest): { bucketId: string; name: string } {
  const { bucket, '*': rest } = request.params as { bucket: string; '*': string };
  const name = objectName(rest);
  if (name === undefined) throw storageErrors.invalidKey(rest);
  return { bucketId: bucket, name };
}

/** The checked body. @throws ServiceError InvalidRequest naming the first wrong field */
export function checkedBody<Schema extends z.ZodType>(
  schema: Schema,
  request: FastifyRequest,
): z.output<Schema> {
  return checked(schema, request.body ?? {});
}

/** Checked input of any kind. @throws ServiceError InvalidRequest naming the first wrong field */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const { field, reason } = inputIssues(outcome.error);
  throw storageErrors.invalidRequest(`${field}: ${reason}`);
}

/** Turns the database's refusals into the service's: 42501 is a permission, 23505 a taken name. */
export function asStorageError(error: unknown): unknown {
  const state = sqlState(error);
  if (state?.code === '42501') return storageErrors.accessDenied();
  if (state?.code === '23505') return storageErrors.duplicate();
  if (state?.code === '23514' && state.constraint === 'buckets_id_check')
    return storageErrors.invalidBucketName();
  if (state !== undefined && UNSTORABLE_TEXT.has(state.code))
    return storageErrors.invalidRequest('The text has a NUL in it');
  return error;
}
