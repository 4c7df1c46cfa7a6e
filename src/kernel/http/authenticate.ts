import type { IncomingHttpHeaders } from 'node:http';
import type { JWTPayload } from 'jose';
import { ServiceError } from '../contract/service-error.ts';
import { equalSecrets } from '../resources/crypto/secrets.ts';
import type { Caller } from '../resources/database/caller.ts';
import type { Resources } from '../resources/resources.ts';

/** Tells whether the session and user of a verified access token still count; given by the auth feature. */
export type AllowsSession = (claims: JWTPayload) => Promise<boolean>;

/**
 * Turns the keys and tokens of a request into a Caller (contract §1, "Keys and bearer"):
 * the bearer's user, else the role of the bearer or of the `apikey`.
 *
 * @throws ServiceError 401 `bad_jwt` for a token that is not valid, 401 `no_authorization` without any key
 */
export type Identify = (headers: IncomingHttpHeaders, query?: Record<string, unknown>) => Promise<Caller>;

/** Audience of users' access tokens. */
const USER_AUDIENCE = 'authenticated';

/** Makes the identification for the installation's keys. */
export function createIdentify(
  resources: Pick<Resources, 'keys' | 'tokens'>,
  allowsSession: AllowsSession,
): Identify {
  const { keys, tokens } = resources;

  async function callerOf(token: string): Promise<Caller> {
    if (equalSecrets(token, keys.anon_key)) return keyCaller('anon');
    if (equalSecrets(token, keys.service_role_key)) return keyCaller('service_role');
    const claims = await tokens.verify(token);
    if (claims === undefined) throw invalidToken();
    const { role, sub, aud } = claims;
    if (role === 'anon' || role === 'service_role') return { role, userId: undefined, claims };
    if (role !== 'authenticated' || typeof sub !== 'string' || aud !== USER_AUDIENCE) throw invalidToken();
    if (!(await allowsSession(claims))) throw invalidToken();
    return { role, userId: sub, claims };
  }

  return async (headers, query = {}) => {
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
    const apikey = headers.apikey ?? query.apikey;
    const token = bearer ?? (typeof apikey === 'string' && apikey !== '' ? apikey : undefined);
    if (token === undefined) {
      throw new ServiceError(401, 'no_authorization', 'This endpoint requires a Bearer token or an API key.');
    }
    return callerOf(token);
  };
}

function keyCaller(role: 'anon' | 'service_role'): Caller {
  return { role, userId: undefined, claims: { role } };
}

function invalidToken(): ServiceError {
  return new ServiceError(401, 'bad_jwt', 'The token is not valid or has expired. Please sign in again.');
}

/** The signed-in user's id. @throws ServiceError 401 for anybody else */
export function requireUser(caller: Caller): string {
  if (caller.userId === undefined) {
    throw new ServiceError(401, 'no_authorization', 'Please log in again');
  }
  return caller.userId;
}
