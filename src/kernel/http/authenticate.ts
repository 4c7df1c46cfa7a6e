import type { IncomingHttpHeaders } from 'node:http';
import type { JWTPayload } from 'jose';
import { API_KEY_PREFIX, type ApiRight } from '../contract/api-rights.ts';
import { ServiceError } from '../contract/service-error.ts';
import { equalSecrets } from '../resources/crypto/secrets.ts';
import type { Caller } from '../resources/database/caller.ts';
import type { Resources } from '../resources/resources.ts';
import { bearerToken } from './bearer-token.ts';

/** Whether the session and user of a verified access token are still valid; given by the auth feature. */
export type AllowsSession = (claims: JWTPayload) => Promise<boolean>;

/**
 * The caller of an API key, if it is valid and has the right; given by the feature `api-keys`.
 *
 * @throws ServiceError 401 `bad_key`, `key_expired` or `key_ended`; 403 `right_missing`
 */
export type CallerOfApiKey = (key: string, right: ApiRight) => Promise<Caller>;

/**
 * Turns the keys and tokens of a request into a Caller (docs/contracts/platform.md §1, "Keys and bearer"):
 * the bearer's user, else the role of the bearer or of the `apikey`. An API key counts as its owner, and only where
 * `right` says what it needs.
 *
 * @throws ServiceError 401 `bad_jwt` for a token that is not valid, 401 `no_authorization` without any key,
 *   403 `key_not_accepted` for an API key without `right`, and what `CallerOfApiKey` throws
 */
export type Authenticate = (
  headers: IncomingHttpHeaders,
  query?: Record<string, unknown>,
  right?: ApiRight,
) => Promise<Caller>;

/**
 * Requires the second factor of callers whose account has one; the auth feature provides the check.
 *
 * @throws ServiceError 403 `insufficient_aal` when it is missing
 */
export type RequireSecondFactor = (caller: Caller) => Promise<void>;

/** Audience of users' access tokens. */
const USER_AUDIENCE = 'authenticated';

/** Creates the authentication for the installation's keys. */
export function createAuthenticator(
  resources: Pick<Resources, 'keys' | 'tokens'>,
  allowsSession: AllowsSession,
  callerOfApiKey: CallerOfApiKey,
): Authenticate {
  const { keys, tokens } = resources;

  async function callerOf(token: string): Promise<Caller> {
    if (equalSecrets(token, keys.anon_key)) return keyCaller('anon');
    if (equalSecrets(token, keys.service_role_key)) return keyCaller('service_role');
    const claims = await tokens.verify(token);
    if (claims === undefined) throw invalidToken();
    return roleCaller(claims) ?? userCaller(claims);
  }

  async function userCaller(claims: JWTPayload): Promise<Caller> {
    const { role, sub, aud } = claims;
    if (role !== 'authenticated' || typeof sub !== 'string' || aud !== USER_AUDIENCE)
      throw invalidToken(OTHER_PERSON);
    if (!(await allowsSession(claims))) throw invalidToken(SESSION_ENDED);
    return { role, userId: sub, claims };
  }

  return async (headers, query = {}, right) => {
    const bearer = bearerToken(headers);
    const apikey = headers.apikey ?? query.apikey;
    refuseKeyInAddress(query);
    if (bearer !== undefined && isApiKey(bearer) && right !== undefined) return callerOfApiKey(bearer, right);
    if (isApiKey(bearer) || isApiKey(apikey)) throw keyNotAccepted();
    const token = bearer ?? (typeof apikey === 'string' && apikey !== '' ? apikey : undefined);
    if (token === undefined) {
      throw new ServiceError(401, 'no_authorization', 'This endpoint requires a Bearer token or an API key.');
    }
    return callerOf(token);
  };
}

/** Whether a credential claims to be an API key of an account. */
export const isApiKey = (credential: unknown): boolean =>
  typeof credential === 'string' && credential.startsWith(API_KEY_PREFIX);

/** The refusal of an API key wherever it opens nothing. */
export const keyNotAccepted = (): ServiceError =>
  new ServiceError(
    403,
    'key_not_accepted',
    'API keys open /mcp and the functions of their rights, as Authorization: Bearer, and nothing else.',
  );

/** @throws ServiceError 400 `key_in_address` for an API key in the query, whatever its name is there */
export function refuseKeyInAddress(query: Readonly<Record<string, unknown>>): void {
  if (!Object.values(query).flat().some(isApiKey)) return;
  throw new ServiceError(
    400,
    'key_in_address',
    'An API key in an address ends up in logs. Revoke it, make a new one, and send it as Authorization: Bearer.',
  );
}

/** The caller of a token that is a key of the installation; undefined for a user's. */
function roleCaller(claims: JWTPayload): Caller | undefined {
  const { role } = claims;
  if (role === 'anon' || role === 'service_role') return { role, userId: undefined, claims };
  // Appears only in tokens of imported keys: the hosted stack's name for its administrator.
  if (role === 'supabase_admin') return { role: 'service_role', userId: undefined, claims };
  return undefined;
}

function keyCaller(role: 'anon' | 'service_role'): Caller {
  return { role, userId: undefined, claims: { role } };
}

/** Reasons why a token with a valid signature is refused; a service may tell them to its caller. */
export const SESSION_ENDED = 'The account of the JWT does not exist, or its session has ended';
export const OTHER_PERSON = 'The JWT is not one of a signed-in user: role and aud have to be authenticated';

function invalidToken(reason?: string): ServiceError {
  const message = 'The token is not valid or has expired. Please sign in again.';
  return new ServiceError(401, 'bad_jwt', message, reason === undefined ? {} : { cause: reason });
}

/** The signed-in user's id. @throws ServiceError 401 when the caller is not a user */
export function requireUser(caller: Caller): string {
  if (caller.userId === undefined) {
    throw new ServiceError(401, 'no_authorization', 'Please log in again');
  }
  return caller.userId;
}
