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

/** SQLSTATE of a character that PostgreSQL cannot store, in text and in JSON. */
const UNSTORABLE_TEXT = new Set(['22021', '22P05']);

/** What a feature requires of uploads into its bucket, beyond the bucket's own limits. */
export interface BucketRules {
  /** Called before a byte is received. @throws ServiceError with the sentence for the user */
  admit(caller: Caller): Promise<void>;
  /**
   * The sentence for a caller whose upload the database refuses (NL003), because other uploads have taken the
   * last place.
   */
  readonly noPlace: string;
  /**
   * Called when the file is complete; the result becomes part of the object's metadata.
   *
   * @throws ServiceError 422, which ends the upload, with the sentence for the user
   */
  examine(caller: Caller, file: string): Promise<Readonly<Record<string, number>>>;
}

/** What the routes of the storage service share. `server` is the scope under `/storage/v1`. */
export interface StorageScope {
  readonly server: FastifyInstance;
  readonly http: HttpContext;
  readonly resources: Resources;
  /** Starts to delete the bytes of deleted objects, in the background. */
  unlinkSoon(): void;
  /** Scans a file for malware before it is stored. @throws ServiceError InfectedFile or ScanFailed */
  readonly scan: Scan;
  /** Hashes of uploads that arrive in several requests. */
  readonly hashCache: UploadHashCache;
  /** Decides which request may write to such an upload. */
  readonly uploadLocks: UploadLocks;
  /** Buckets whose uploads must match their name and declared type. */
  readonly checkedBuckets: ReadonlySet<string>;
  /** Rules of features for their own buckets, by bucket id. */
  readonly rules: ReadonlyMap<string, BucketRules>;
  /** Called when a user's upload was refused before it began. */
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

/** The bucket and object that the path names. @throws ServiceError InvalidKey */
export function addressed(request: FastifyRequest): { bucketId: string; name: string } {
  const { bucket, '*': rest } = request.params as { bucket: string; '*': string };
  const name = objectName(rest);
  if (name === undefined) throw storageErrors.invalidKey(rest);
  return { bucketId: bucket, name };
}

/** The validated body. @throws ServiceError InvalidRequest naming the first wrong field */
export function checkedBody<Schema extends z.ZodType>(
  schema: Schema,
  request: FastifyRequest,
): z.output<Schema> {
  return checked(schema, request.body ?? {});
}

/** Validates input of any kind. @throws ServiceError InvalidRequest naming the first wrong field */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const { field, reason } = inputIssues(outcome.error);
  throw storageErrors.invalidRequest(`${field}: ${reason}`);
}

/**
 * Turns refusals of the database into those of the service: 42501 is a missing permission, 23505 a taken
 * name.
 */
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
