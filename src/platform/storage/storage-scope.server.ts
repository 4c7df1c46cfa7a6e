import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ServiceError } from '../../contract/service-error.ts';
import type { Door } from '../../http/door.ts';
import type { Caller } from '../../resources/database/caller.ts';
import { sqlState } from '../../resources/database/database.ts';
import type { Resources } from '../../resources/resources.ts';
import { objectName } from './object-name.contract.ts';
import type { Passages } from './pass-bytes.server.ts';
import type { Scan } from './scan-content.server.ts';
import { storageErrors } from './storage-errors.server.ts';

/** A character that PostgreSQL cannot keep, in text and in JSON. */
const NO_TEXT = new Set(['22021', '22P05']);

/** What the calls of the storage service share. `server` is the scope under `/storage/v1`. */
export interface StorageScope {
  readonly server: FastifyInstance;
  readonly door: Door;
  readonly resources: Resources;
  /** Unlinks the bytes of deleted objects soon, without anybody waiting for it. */
  unlinkSoon(): void;
  /** Looks for malware before bytes count. @throws ServiceError InfectedFile or ScanFailed */
  readonly scan: Scan;
  /** What this process has seen of uploads that come in several requests. */
  readonly passages: Passages;
  /** Told when an upload of a user was refused before it began. */
  uploadRefused(bucketId: string, userId: string): Promise<void>;
}

/** The caller. @throws ServiceError AccessDenied, in place of the door's own 401 (contract §3) */
export async function callerOf(scope: StorageScope, request: FastifyRequest): Promise<Caller> {
  try {
    return await scope.door.identify(request.headers);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401)
      throw storageErrors.accessDenied(error.message);
    throw error;
  }
}

/** Bucket and object that the address names. @throws ServiceError InvalidKey */
export function addressed(request: FastifyRequest): { bucketId: string; name: string } {
  const { bucket, '*': rest } = request.params as { bucket: string; '*': string };
  const name = objectName(rest);
  if (name === undefined) throw storageErrors.invalidKey();
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
  const [issue] = outcome.error.issues;
  throw storageErrors.invalidRequest(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`);
}

/** Turns the database's refusals into the service's: 42501 is a permission, 23505 a taken name, 22… text it has no signs for. */
export function asStorageError(error: unknown): unknown {
  const state = sqlState(error);
  if (state?.code === '42501') return storageErrors.accessDenied();
  if (state?.code === '23505') return storageErrors.duplicate();
  if (state?.code === '23514' && state.constraint === 'buckets_id_check')
    return storageErrors.invalidBucketName();
  if (state !== undefined && NO_TEXT.has(state.code))
    return storageErrors.invalidRequest('The text has a NUL in it');
  return error;
}
