import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { sessionBody, startSession } from '../sessions/session-issue.server.ts';
import type { UserRow } from './user-lookup.server.ts';

/**
 * A sign-up on an installation where accounts need no confirmation: the account and its first session.
 *
 * @param make creates the account; returns undefined when the address or number is taken
 * @throws ServiceError 422 `user_already_exists`; 429 for a client that asks for taken addresses again and
 * again
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
    await writeAudit(queries, { action: 'user_signedup', actorId: user.id, client, payload: { provider } });
    return startSession({ context, queries, client }, user, { method: 'password' });
  });
  if (session === undefined) {
    await writeAudit(database, { action: 'user_repeated_signup', actorId: null, client });
    // The reply may say here that the account exists, but not often enough to collect addresses
    // (docs/security-attacks.md, attack 8).
    await limitAddress(context, request, 'existing');
    throw new ServiceError(422, 'user_already_exists', 'User already registered');
  }
  return sessionBody(context, database, session);
}
