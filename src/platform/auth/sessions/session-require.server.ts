import type { FastifyRequest } from 'fastify';
import type { JWTPayload } from 'jose';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import { isApiKey, keyNotAccepted } from '../../../kernel/http/authenticate.ts';
import { bearerToken } from '../../../kernel/http/bearer-token.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { userBanned } from '../auth-error.server.ts';
import { findUser, findUserInSession, isBanned, type UserRow } from '../users/user-lookup.server.ts';
import { recordTokenUse } from './session-gate.server.ts';
import { counterOf, SESSION_COLUMNS, type SessionRow } from './session-issue.server.ts';

/** The signed-in user of a request, as the database has them now. */
export interface SignedIn {
  readonly user: UserRow;
  readonly session: SessionRow;
  /**
   * The level that the token proves and the session still has: an older token of a session that was raised
   * stays at aal1.
   */
  readonly aal: 'aal1' | 'aal2';
}

/**
 * The user and session of the bearer token, read from the database at every call.
 *
 * @throws ServiceError 401 `no_authorization`; 403 `bad_jwt`, `session_not_found`, `user_not_found`,
 * `user_banned` (docs/contracts/platform.md §2)
 */
export async function requireSession(context: AuthContext, request: FastifyRequest): Promise<SignedIn> {
  const { user, claims } = await requireBearer(context, request);
  return { user, ...(await sessionOf(context, user, claims)) };
}

/**
 * The user of the bearer token, for requests that change nothing. A token of another system, whose key was
 * imported, has no session of ours; a token that names a session still needs it.
 *
 * @throws ServiceError as `requireSession`
 */
export async function requirePerson(context: AuthContext, request: FastifyRequest): Promise<UserRow> {
  const { sub, claims } = await readBearer(context, request);
  const { database } = context.resources;
  const { session_id: sessionId } = claims;
  if (sessionId === undefined) return usable(await findUser(database, sub));
  if (!isUuid(sessionId)) throw badToken('invalid claim');
  // One statement for both, because a site asks this at every page.
  const found = await findUserInSession(database, sub, sessionId);
  const user = usable(found);
  const used = found?.session_used_counter ?? null;
  if (used === null) throw noSession();
  const counter = counterOf(claims.jti);
  if (counter > Number(used)) await recordTokenUse(database, sessionId, counter);
  return user;
}

async function requireBearer(
  context: AuthContext,
  request: FastifyRequest,
): Promise<{ user: UserRow; claims: JWTPayload }> {
  const { sub, claims } = await readBearer(context, request);
  return { user: usable(await findUser(context.resources.database, sub)), claims };
}

/** The message for a token that is not ours, was changed or has expired. */
export const UNVERIFIED_TOKEN = 'invalid JWT: unable to parse or verify signature, or token is expired';

async function readBearer(
  context: AuthContext,
  request: FastifyRequest,
): Promise<{ sub: string; claims: JWTPayload }> {
  const { tokens } = context.resources;
  const bearer = bearerToken(request.headers);
  if (bearer === undefined) {
    throw new ServiceError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  if (isApiKey(bearer)) throw keyNotAccepted();
  const claims = await tokens.verify(bearer);
  if (claims === undefined) {
    throw badToken(UNVERIFIED_TOKEN);
  }
  const { sub, aud, role } = claims;
  if (!isUuid(sub)) throw badToken('invalid claim: missing sub claim');
  if (aud !== 'authenticated' || role !== 'authenticated') throw badToken('invalid claim');
  return { sub, claims };
}

function usable(user: UserRow | undefined): UserRow {
  if (user === undefined) {
    throw new ServiceError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
  }
  if (isBanned(user)) throw userBanned(403);
  return user;
}

async function sessionOf(
  { resources: { database } }: AuthContext,
  user: UserRow,
  claims: JWTPayload,
): Promise<Omit<SignedIn, 'user'>> {
  const { session_id: sessionId } = claims;
  if (!isUuid(sessionId)) throw badToken('invalid claim');
  const session = await database.maybe(
    `select ${SESSION_COLUMNS} from auth.sessions where id = $1 and user_id = $2 and coalesce(not_after > now(), true)`,
    [sessionId, user.id],
  );
  if (session === undefined) throw noSession();
  const counter = counterOf(claims.jti);
  if (counter > Number(session.used_counter)) await recordTokenUse(database, session.id, counter);
  const aal = claims.aal === 'aal2' && session.aal === 'aal2' ? 'aal2' : 'aal1';
  return { session, aal };
}

function noSession(): ServiceError {
  return new ServiceError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
}

/** 403 `bad_jwt` with the reason. */
export function badToken(message: string): ServiceError {
  return new ServiceError(403, 'bad_jwt', message);
}
