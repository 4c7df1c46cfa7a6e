import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { userBanned } from '../auth-error.server.ts';
import { readBody } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { sessionBody, startSession } from '../sessions/session-issue.server.ts';
import { findUser, isBanned, type UserRow } from '../users/user-lookup.server.ts';
import {
  CHALLENGE_SECONDS,
  consumeWebauthnChallenge,
  saveWebauthnChallenge,
} from './challenge-store.server.ts';
import { PASSKEY_COLUMNS } from './passkey-management.server.ts';
import {
  authenticationResponse,
  notVerified,
  relyingParty,
  requirePasskeys,
  userHandle,
} from './relying-party.server.ts';

const body = z.object({ challenge_id: z.string().max(64), credential: authenticationResponse });
type Credential = z.output<typeof authenticationResponse>;

/** The parts of a stored key that checking a signature needs. */
interface StoredKey {
  readonly id: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  /** Whether the device must have asked for a PIN or fingerprint; default `required`. */
  readonly userVerification?: 'required' | 'preferred';
}

/**
 * `POST /passkeys/authentication/options` (docs/contracts/platform.md §2). The request names no account: the
 * person picks a key on their device, so nobody can find out who has one.
 *
 * @throws ServiceError 404 `passkey_disabled`
 */
export async function startPasskeySignIn(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'passkey');
  requirePasskeys(context);
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(context).id,
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
  });
  const kept = await saveWebauthnChallenge(context.resources.database, {
    kind: 'authentication',
    challenge: options.challenge,
    userId: null,
  });
  return { ...kept, options };
}

/**
 * `POST /passkeys/authentication/verify`: a session.
 *
 * @throws ServiceError 400 `webauthn_challenge_not_found`, `webauthn_challenge_expired`,
 * `webauthn_verification_failed`, `email_not_confirmed`, `user_banned`
 */
export async function finishPasskeySignIn(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'passkey');
  requirePasskeys(context);
  const { challenge_id: id, credential } = readBody(body, request.body);
  const { database } = context.resources;
  const client = clientOf(context, request);
  const challenge = await consumeWebauthnChallenge(database, id, 'authentication', null);
  const outcome = await database.transaction(async (queries) => {
    const passkey = await queries.maybe(
      `select ${PASSKEY_COLUMNS} from auth.passkeys where credential_id = $1 for update`,
      [credential.id],
    );
    // The same message as for a wrong signature, so that removed keys cannot be told from others.
    if (passkey === undefined) return notVerified();
    const user = await findUser(queries, passkey.user_id);
    const key = {
      id: passkey.credential_id,
      publicKey: passkey.public_key,
      counter: Number(passkey.sign_count),
    };
    const counter = await checkedSignature(context, credential, challenge, key).catch(() => undefined);
    if (user === undefined || counter === undefined || !isHandleOf(credential, passkey.user_id)) {
      await writeAudit(queries, {
        action: 'login_failed',
        actorId: passkey.user_id,
        client,
        payload: { cause: 'passkey' },
      });
      return notVerified();
    }
    const refusal = refusalOf(user);
    if (refusal !== undefined) return refusal;
    await queries.run('update auth.passkeys set sign_count = $2, last_used_at = now() where id = $1', [
      passkey.id,
      counter,
    ]);
    return startSession({ context, queries, client }, user, { method: 'passkey', provider: 'passkey' });
  });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, database, outcome);
}

/**
 * The new counter of a key that signed a challenge. @throws ServiceError 400 `webauthn_verification_failed`
 */
export async function checkedSignature(
  context: AuthContext,
  credential: Credential,
  challenge: string,
  { userVerification = 'required', ...key }: StoredKey,
): Promise<number> {
  const { id, origins } = relyingParty(context);
  const { userHandle: handle, ...response } = credential.response;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const outcome = await verifyAuthenticationResponse({
    response: {
      ...credential,
      response: { ...response, ...(handle === undefined ? {} : { userHandle: handle }) },
    },
    expectedChallenge: challenge,
    expectedOrigin: origins,
    expectedRPID: id,
    credential: { ...key, publicKey: new Uint8Array(key.publicKey) },
    requireUserVerification: userVerification === 'required',
  }).catch((error: unknown) => {
    throw notVerified(error);
  });
  if (!outcome.verified) throw notVerified();
  return outcome.authenticationInfo.newCounter;
}

/** A key that the device found by itself names its owner (WebAuthn §7.2 step 6). */
function isHandleOf(credential: Credential, userId: string): boolean {
  const expected = Buffer.from(userHandle(userId)).toString('base64url');
  return equalSecrets(credential.response.userHandle ?? '', expected);
}

function refusalOf(user: UserRow): ServiceError | undefined {
  if (isBanned(user)) return userBanned(400);
  if (user.email !== null && user.email_confirmed_at === null && user.phone_confirmed_at === null) {
    return new ServiceError(400, 'email_not_confirmed', 'Email not confirmed');
  }
  return undefined;
}
