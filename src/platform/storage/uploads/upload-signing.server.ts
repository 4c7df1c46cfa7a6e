import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import { CALLER_ROLES, type Caller } from '../../../kernel/resources/database/caller.ts';
import { findBucket } from '../objects/object-lookup.server.ts';
import { refusedToken } from '../objects/object-signing.server.ts';
import { storageErrors } from '../storage-errors.server.ts';
import { addressed, callerOf, type StorageScope } from '../storage-scope.server.ts';
import { isSpent, requirePermission, type SignedUpload, type Target } from './upload-reservation.server.ts';

/** How long a signed upload address works (storage-js 2.119, `createSignedUploadUrl`). */
const LIFE_SECONDS = 2 * 3600;
const uploadClaims = z.object({
  jti: z.uuid(),
  exp: z.int(),
  url: z.string(),
  scope: z.literal('upload'),
  role: z.enum(CALLER_ROLES),
  owner: z.uuid().nullable(),
  upsert: z.boolean(),
});

/** A valid signed upload address: what it allows, and on whose behalf. */
export interface VerifiedUpload {
  readonly signed: SignedUpload;
  readonly caller: Caller;
  readonly bucketId: string;
  readonly name: string;
  readonly replace: boolean;
}

/**
 * POST /object/upload/sign: rights are checked when signing, as for downloads (docs/contracts/platform.md
 * §3).
 */
export function mountSignUpload(scope: StorageScope): void {
  const { server, resources } = scope;
  server.post('/object/upload/sign/:bucket/*', async (request) => {
    const caller = await callerOf(scope, request);
    const { bucketId, name } = addressed(request);
    const bucket = await findBucket(resources.database, bucketId);
    const replace = request.headers['x-upsert'] === 'true';
    await requirePermission(scope, { bucket, name, caller, replace });
    const address = `${bucketId}/${name}`;
    const token = await new SignJWT({
      url: address,
      scope: 'upload',
      role: caller.role,
      owner: caller.userId ?? null,
      upsert: replace,
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(`${LIFE_SECONDS} s`)
      .sign(signingSecret(resources.keys));
    return { url: `/object/upload/sign/${encodeURI(address)}?token=${token}`, token };
  });
}

/**
 * Checks the token of an upload: signature, time, scope and path, that it has stored nothing yet, and that
 * its owner still has an account.
 *
 * @throws ServiceError KeyAlreadyExists for a used token, InvalidJWT, ExpiredToken, InvalidSignature or
 * AccessDenied (docs/contracts/platform.md §3)
 */
export async function verifyUpload(
  scope: StorageScope,
  { bucketId, name, token }: { bucketId: string; name: string; token: unknown },
): Promise<VerifiedUpload> {
  const claims = await readToken(scope.resources.keys, token);
  if (claims.url !== `${bucketId}/${name}`) throw storageErrors.invalidSignature();
  const signed = { id: claims.jti, expiresAt: new Date(claims.exp * 1000) };
  if (await isSpent(scope.resources.database, signed)) throw storageErrors.duplicate();
  const { role, owner } = claims;
  if (owner !== null && !(await isActive(scope, owner))) throw storageErrors.accessDenied();
  const caller: Caller = {
    role,
    userId: owner ?? undefined,
    claims: owner === null ? { role } : { role, sub: owner },
  };
  return { signed, caller, bucketId, name, replace: claims.upsert };
}

/** The destination of a verified signed upload. @throws ServiceError KeyAlreadyExists or NoSuchBucket */
export async function signedTarget(scope: StorageScope, verified: VerifiedUpload): Promise<Target> {
  const { database } = scope.resources;
  const { signed, caller, bucketId, name, replace } = verified;
  const bucket = await findBucket(database, bucketId);
  const taken = await database.maybe('select 1 from storage.objects where bucket_id = $1 and name = $2', [
    bucketId,
    name,
  ]);
  if (taken !== undefined && !replace) throw storageErrors.duplicate();
  return { bucket, name, caller, replace, signed };
}

async function readToken(keys: Keys, token: unknown): Promise<z.output<typeof uploadClaims>> {
  if (typeof token !== 'string') throw storageErrors.invalidToken();
  const { payload } = await jwtVerify(token, signingSecret(keys), { algorithms: ['HS256'] }).catch(
    (error) => {
      throw refusedToken(error);
    },
  );
  const claims = uploadClaims.safeParse(payload);
  if (!claims.success) throw storageErrors.invalidToken();
  return claims.data;
}

async function isActive(scope: StorageScope, userId: string): Promise<boolean> {
  const user = await scope.resources.database.maybe(
    `select 1 from auth.users where id = $1 and deleted_at is null
        and (banned_until is null or banned_until <= now())`,
    [userId],
  );
  return user !== undefined;
}

/** Differs from the secret of download addresses, so that neither kind of token is accepted as the other. */
function signingSecret(keys: Keys): Buffer {
  return derivedSecret(keys, 'signed-upload-url');
}
