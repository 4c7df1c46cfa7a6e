import type { IncomingHttpHeaders } from 'node:http';
import type { JWTPayload } from 'jose';
import { ServiceError } from '../contract/service-error.ts';
import { equalSecrets } from '../resources/crypto/secrets.ts';
import type { Caller } from '../resources/database/caller.ts';
import type { Resources } from '../resources/resources.ts';
import { bearerToken } from './bearer-token.ts';

/** Whether the session and user of a verified access token are still valid; given by the auth feature. */
export type AllowsSession = (claims: JWTPayload) => Promise<boolean>;

/**
 * Turns the keys and tokens of a request into a Caller (docs/contracts/platform.md §1, "Keys and bearer"):
 * the bearer's user, else the role of the bearer or of the `apikey`.
 *
 * @throws ServiceError 401 `bad_jwt` for a token that is not valid, 401 `no_authorization` without any key
 */
export type Authenticate = (headers: IncomingHttpHeaders, query?: Record<string, unknown>) => Promise<Caller>;

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

  return async (headers, query = {}) => {
    const bearer = bearerToken(headers);
    const apikey = headers.apikey ?? query.apikey;
    const token = bearer ?? (typeof apikey === 'string' && apikey !== '' ? apikey : undefined);
    if (token === undefined) {
      throw new ServiceError(401, 'no_authorization', 'This endpoint requires a Bearer token or an API key.');
    }
    return callerOf(token);
  };
}

/** The caller of a token that is an API key; undefined for a user's. */
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
