import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { requireSecondLevel } from '../factors/factor-lookup.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { readBody } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import {
  CHALLENGE_SECONDS,
  consumeWebauthnChallenge,
  saveWebauthnChallenge,
} from './challenge-store.server.ts';
import { listPasskeys, PASSKEY_COLUMNS, type PasskeyRow, passkeyBody } from './passkey-management.server.ts';
import {
  notVerified,
  registrationResponse,
  relyingParty,
  requirePasskeys,
  userHandle,
} from './relying-party.server.ts';

const MAX_PASSKEYS = 10;
/** COSE names of ES256, EdDSA and RS256; every device supports one of them (RFC 9053). */
export const ALGORITHMS = [-7, -8, -257];
const body = z.object({ challenge_id: z.string().max(64), credential: registrationResponse });

/**
 * Makers whose keys identify themselves, for the list; any other key is named "Passkey" until it is renamed.
 */
const MAKERS: Readonly<Record<string, string>> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
};

/**
 * `POST /passkeys/registration/options` (docs/contracts/platform.md §2): the options for the browser's
 * `navigator.credentials.create`.
 *
 * @throws ServiceError 404 `passkey_disabled`; 422 `too_many_passkeys`, `user_sso_managed`; 403
 * `insufficient_aal`
 */
export async function startRegistration(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'passkey');
  const user = await registrant(context, request);
  const { database } = context.resources;
  const known = await listPasskeys(database, user.id);
  refuseMore(known);
  const party = relyingParty(context);
  const name = user.email ?? user.phone ?? user.id;
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userName: name,
    userDisplayName: String(user.raw_user_meta_data.full_name ?? name).slice(0, 64),
    userID: userHandle(user.id),
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const kept = await saveWebauthnChallenge(database, {
    kind: 'registration',
    challenge: options.challenge,
    userId: user.id,
  });
  return { ...kept, options };
}

/**
 * `POST /passkeys/registration/verify`: the new key, `{id, friendly_name?, created_at}`.
 *
 * @throws ServiceError 400 `webauthn_challenge_not_found`, `webauthn_challenge_expired`,
 * `webauthn_verification_failed`; 422 `webauthn_credential_exists`, and those of the options
 */
export async function finishRegistration(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'passkey');
  const user = await registrant(context, request);
  const input = readBody(body, request.body);
  const { database } = context.resources;
  const challenge = await consumeWebauthnChallenge(database, input.challenge_id, 'registration', user.id);
  const made = await checkedRegistration(context, input.credential, challenge);
  const client = clientOf(context, request);
  const row = await database.transaction(async (queries) => {
    await queries.one('select id from auth.users where id = $1 for update', [user.id]);
    refuseMore(await listPasskeys(queries, user.id));
    const added = await queries.maybe(
      `insert into auth.passkeys (user_id, credential_id, public_key, sign_count, transports, aaguid, backed_up,
         friendly_name) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning ${PASSKEY_COLUMNS}`,
      [
        user.id,
        made.credential.id,
        Buffer.from(made.credential.publicKey),
        made.credential.counter,
        made.credential.transports ?? [],
        made.aaguid,
        made.credentialBackedUp,
        MAKERS[made.aaguid] ?? null,
      ],
    );
    if (added !== undefined) {
      await writeAudit(queries, {
        action: 'passkey_created',
        actorId: user.id,
        client,
        payload: { passkey: added.id },
      });
      await notifyOwner(context, queries, user, { kind: 'sign-in-added', variables: { way: 'Passkey' } });
    }
    return added;
  });
  if (row === undefined) {
    throw new ServiceError(422, 'webauthn_credential_exists', 'This passkey is registered already');
  }
  const { last_used_at: _unused, ...fields } = passkeyBody(row);
  return fields;
}

/**
 * Checks an authenticator's answer to a challenge. A key that is only a second factor need not verify the
 * person.
 *
 * @throws ServiceError 400 `webauthn_verification_failed`
 */
export async function checkedRegistration(
  context: AuthContext,
  response: RegistrationResponseJSON,
  challenge: string,
  needsVerification = true,
) {
  const { id, origins } = relyingParty(context);
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const outcome = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origins,
    expectedRPID: id,
    requireUserVerification: needsVerification,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    throw notVerified(error);
  });
  if (!outcome.verified) throw notVerified();
  return outcome.registrationInfo;
}

/**
 * The user, if they may add a key. A key opens the account by itself, so an account with a second factor must
 * have used it.
 */
async function registrant(context: AuthContext, request: FastifyRequest): Promise<UserRow> {
  const { user, aal } = await requireSession(context, request);
  requirePasskeys(context);
  if (user.is_sso_user) {
    throw new ServiceError(
      422,
      'user_sso_managed',
      'Ways to sign in to this account are managed by its company',
    );
  }
  requireSecondLevel({ user, aal }, 'add a passkey');
  return user;
}

function refuseMore(known: readonly PasskeyRow[]): void {
  if (known.length < MAX_PASSKEYS) return;
  throw new ServiceError(422, 'too_many_passkeys', `An account has ${MAX_PASSKEYS} passkeys at most`);
}
