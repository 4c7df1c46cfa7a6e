import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import type { Queries } from '../../resources/database/database.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import type { UserRow } from './find-user.server.ts';
import { sessionBody, startSession } from './issue-session.server.ts';
import { limitAddress } from './limit-requests.server.ts';
import { writeAudit } from './write-audit.server.ts';

/**
 * A sign-up where accounts confirm themselves: the account and its first session.
 *
 * @param make the account, or undefined when the address or number is somebody's
 * @throws ServiceError 422 `user_already_exists`; 429 for an address that asks for taken ones again and again
 */
export async function signUpAtOnce(
  context: AuthContext,
  request: FastifyRequest,
  provider: 'email' | 'phone',
  make: (queries: Queries) => Promise<UserRow | undefined>,
) {
  const client = clientOf(context, request);
  const { database } = context.resources;
  const session = await database.transaction(async (queries) => {
    const user = await make(queries);
    if (user === undefined) return undefined;
    await writeAudit(queries, 'user_signedup', user.id, client, { provider });
    return startSession(context, queries, user, 'password', client);
  });
  if (session === undefined) {
    await writeAudit(database, 'user_repeated_signup', null, client);
    // The text that names the account is allowed here, but not for harvesting (security.md, attack 8).
    limitAddress(context, request, 'existing');
    throw new ServiceError(422, 'user_already_exists', 'User already registered');
  }
  return sessionBody(context, database, session);
}
