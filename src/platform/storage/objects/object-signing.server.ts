import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { AVATARS_BUCKET } from '../../../kernel/contract/avatars.ts';
import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { storageErrors } from '../storage-errors.server.ts';
import { addressed, callerOf, checkedBody, type StorageScope } from '../storage-scope.server.ts';
import {
  findObject,
  findObjectAsCaller,
  OBJECT_COLUMNS,
  requireVersion,
  type StoredObject,
} from './object-lookup.server.ts';
import { objectName } from './object-name.contract.ts';

const YEAR_SECONDS = 365 * 86_400;
const expiresIn = z.int().min(1).max(YEAR_SECONDS);
const signOne = z.object({
  expiresIn,
  transform: z.record(z.string(), z.unknown()).optional(),
  versionId: z.string().optional(),
});
const signMany = z.object({ expiresIn, paths: z.array(z.string()).min(1).max(1000) });

/**
 * POST /object/sign: rights are checked when signing; the address then works for anybody who has it. An
 * address that a person made for somebody else's document works only as long as that person may see the
 * document (decision 0395).
 */
export function mountSign(scope: StorageScope): void {
  const { server, resources } = scope;
  server.post('/object/sign/:bucket/*', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucketId, name } = addressed(request);
    const { expiresIn: seconds, transform = {}, versionId } = checkedBody(signOne, request);
    if (Object.keys(transform).length > 0) throw storageErrors.notEnabled('imageTransformation');
    const object = await findObjectAsCaller(resources.database, caller, bucketId, name);
    requireVersion({ query: { versionId } }, object);
    return { signedURL: await signedPath(resources.keys, object, seconds, readerOf(caller, object)) };
  });
  server.post('/object/sign/:bucket', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucket } = request.params as { bucket: string };
    const { expiresIn: seconds, paths } = checkedBody(signMany, request);
    const names = paths.map(objectName);
    const objects = await resources.database.asCaller(caller, (queries) =>
      queries.many(`select ${OBJECT_COLUMNS} from storage.objects where bucket_id = $1 and name = any($2)`, [
        bucket,
        names.filter((name) => name !== undefined),
      ]),
    );
    const byName = new Map(objects.map((object) => [object.name, object]));
    return Promise.all(
      paths.map(async (path, index) => {
        const object = byName.get(names[index] ?? '');
        return object === undefined
          ? {
              error: 'Either the object does not exist or you do not have access to it',
              path,
              signedURL: null,
            }
          : {
              error: null,
              path,
              signedURL: await signedPath(resources.keys, object, seconds, readerOf(caller, object)),
            };
      }),
    );
  });
}

/** Buckets in which people other than the owner may read some objects, as long as they have the right. */
const SHARED: ReadonlySet<string> = new Set([UPLOADS_BUCKET, AVATARS_BUCKET]);

/**
 * The reader whose rights are checked again when the address is used, for another person's document or
 * picture.
 */
function readerOf(
  { role, userId, claims }: Caller,
  { bucket_id: bucket, owner }: StoredObject,
): Reader | undefined {
  if (role !== 'authenticated' || !SHARED.has(bucket) || owner === userId) return undefined;
  const { role: claimed } = (claims.app_metadata ?? {}) as { role?: unknown };
  return { reader: userId, operator: claimed === 'operator' || undefined };
}

/** The reader for whom an address was made. Policies ask the account whether an operator still is one. */
interface Reader {
  readonly reader: string | undefined;
  readonly operator: true | undefined;
}

/** Not percent-encoded here: the client encodes the whole address (storage-js 2.119). */
async function signedPath(
  keys: Keys,
  object: StoredObject,
  seconds: number,
  reader?: Reader,
): Promise<string> {
  const address = `${object.bucket_id}/${object.name}`;
  const token = await new SignJWT({ url: address, scope: 'download', object: object.id, ...reader })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime(`${seconds} s`)
    .sign(signingSecret(keys));
  return `/object/sign/${address}?token=${token}`;
}

/**
 * Whole signed address of an object for our own work, e.g. a file that an automation fetches.
 *
 * @param seconds life of the address
 * @returns undefined when the object does not exist
 */
export async function signedObjectUrl(
  resources: Pick<Resources, 'database' | 'keys' | 'siteUrl'>,
  bucketId: string,
  name: string,
  seconds: number,
): Promise<string | undefined> {
  const object = await findObject(resources.database, bucketId, name);
  if (object === undefined) return undefined;
  const path = await signedPath(resources.keys, object, seconds);
  return encodeURI(`${resources.siteUrl}${SERVICES.storage}${path}`);
}

/**
 * Checks a signed address; scope, path and time must all be valid.
 *
 * @returns the id of the signed object, because a later object at the same path is another one; and as which
 * caller to look it up, undefined for no check of rights
 * @throws ServiceError InvalidJWT, ExpiredToken or InvalidSignature (docs/contracts/platform.md §3)
 */
export async function verifyDownload(
  keys: Pick<Keys, 'master_secret'>,
  bucketId: string,
  name: string,
  token: unknown,
): Promise<{ objectId: string; reader: Caller | undefined }> {
  if (typeof token !== 'string') throw storageErrors.noToken();
  const { payload } = await jwtVerify(token, signingSecret(keys), {
    algorithms: ['HS256'],
    requiredClaims: ['exp', 'url', 'scope', 'object'],
  }).catch((error) => {
    throw refusedToken(error);
  });
  if (payload.scope !== 'download' || payload.url !== `${bucketId}/${name}`) {
    throw storageErrors.invalidSignature();
  }
  return { objectId: String(payload.object), reader: readerCaller(payload) };
}

/** The error for an invalid token: the original service passes on the message of the same library. */
export function refusedToken(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return storageErrors.expiredToken();
  return error instanceof errors.JOSEError ? storageErrors.invalidToken(error.message) : error;
}

/** Signing already required the second factor. */
function readerCaller({ reader, operator }: JWTPayload): Caller | undefined {
  if (typeof reader !== 'string') return undefined;
  const rights = operator === true ? { app_metadata: { role: 'operator' } } : {};
  const claims = { sub: reader, role: 'authenticated', aal: 'aal2', ...rights };
  return { role: 'authenticated', userId: reader, claims };
}

function signingSecret(keys: Pick<Keys, 'master_secret'>): Buffer {
  return derivedSecret(keys, 'signed-url');
}
