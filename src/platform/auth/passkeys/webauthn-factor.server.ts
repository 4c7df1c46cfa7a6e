import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { AuthContext, AuthOperation } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import type { FactorRow } from '../factors/factor-lookup.server.ts';
import { readBody } from '../request-input.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import { CHALLENGE_SECONDS } from './challenge-store.server.ts';
import { ALGORITHMS, checkedRegistration } from './passkey-registration.server.ts';
import { checkedSignature } from './passkey-sign-in.server.ts';
import {
  authenticationResponse,
  passkeysAreOn,
  registrationResponse,
  relyingParty,
  userHandle,
} from './relying-party.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'auth.mfa_factors.credential': FactorKey;
  }
}

/** A key that is a second factor, as stored in its row. */
interface FactorKey {
  readonly id: string;
  /** Base64. */
  readonly public_key: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** What the client sends with `POST /factors/{id}/verify`; the origins that it names are ignored. */
export interface WebauthnAnswer {
  readonly credential_response?: unknown;
}

/** @throws ServiceError 422 `mfa_webauthn_enroll_not_enabled`, `mfa_webauthn_verify_not_enabled` */
export function refuseWithoutKeys(context: AuthContext, what: 'enroll' | 'verify'): void {
  if (passkeysAreOn(context)) return;
  throw new ServiceError(422, `mfa_webauthn_${what}_not_enabled`, `MFA ${what} is disabled for WebAuthn`);
}

/**
 * The options for the browser, for `POST /factors/{id}/challenge`: to create the key of a factor that has
 * none yet (`create`), else to sign with it (`request`).
 */
export async function challengeKey(
  { context, queries }: AuthOperation,
  { user, factor, challengeId }: { user: UserRow; factor: FactorRow; challengeId: string },
): Promise<{ type: 'create' | 'request'; credential_options: { publicKey: object } }> {
  const party = relyingParty(context);
  const key = await keyOf(queries, factor.id);
  const timeout = CHALLENGE_SECONDS * 1000;
  const name = user.email ?? user.phone ?? user.id;
  const { generateAuthenticationOptions, generateRegistrationOptions } = await import(
    '@simplewebauthn/server'
  );
  const publicKey =
    key === undefined
      ? await generateRegistrationOptions({
          rpName: party.name,
          rpID: party.id,
          userName: name,
          userDisplayName: factor.friendly_name || name,
          userID: userHandle(user.id),
          timeout,
          attestationType: 'none',
          supportedAlgorithmIDs: ALGORITHMS,
          authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
        })
      : await generateAuthenticationOptions({
          rpID: party.id,
          allowCredentials: [{ id: key.id, transports: [...key.transports] }],
          timeout,
          userVerification: 'preferred',
        });
  await queries.run('update auth.mfa_challenges set webauthn_challenge = $2 where id = $1', [
    challengeId,
    publicKey.challenge,
  ]);
  return { type: key === undefined ? 'create' : 'request', credential_options: { publicKey } };
}

/**
 * Whether a device answered a challenge correctly; if so, its key or its new counter is stored.
 *
 * @throws ServiceError 400 `validation_failed` when the request has no answer of a device
 */
export async function acceptsKey(
  { context, queries }: AuthOperation,
  factor: FactorRow,
  challenge: string | null,
  answer: WebauthnAnswer | null | undefined,
): Promise<boolean> {
  if (!answer?.credential_response) throw invalidInput('webauthn.credential_response is required');
  if (challenge === null) return false;
  const key = await keyOf(queries, factor.id);
  const next =
    key === undefined
      ? await newKey(context, challenge, answer.credential_response)
      : await usedKey(context, challenge, answer.credential_response, key);
  if (next === undefined) return false;
  await queries.run('update auth.mfa_factors set credential = $2 where id = $1', [
    factor.id,
    JSON.stringify(next),
  ]);
  return true;
}

async function newKey(
  context: AuthContext,
  challenge: string,
  answer: unknown,
): Promise<FactorKey | undefined> {
  const response = readBody(registrationResponse, answer);
  const made = await checkedRegistration(context, response, challenge, false).catch(() => undefined);
  if (made === undefined) return undefined;
  const { id, publicKey, counter, transports = [] } = made.credential;
  return { id, public_key: Buffer.from(publicKey).toString('base64'), counter, transports };
}

async function usedKey(
  context: AuthContext,
  challenge: string,
  answer: unknown,
  key: FactorKey,
): Promise<FactorKey | undefined> {
  const response = readBody(authenticationResponse, answer);
  if (response.id !== key.id) return undefined;
  const stored = { id: key.id, publicKey: Buffer.from(key.public_key, 'base64'), counter: key.counter };
  const counter = await checkedSignature(context, response, challenge, {
    ...stored,
    userVerification: 'preferred',
  }).catch(() => undefined);
  return counter === undefined ? undefined : { ...key, counter };
}

async function keyOf(queries: Queries, factorId: string): Promise<FactorKey | undefined> {
  const row = await queries.one('select credential from auth.mfa_factors where id = $1', [factorId]);
  return row.credential ?? undefined;
}
