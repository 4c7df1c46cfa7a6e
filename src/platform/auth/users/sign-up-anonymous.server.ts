import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { reloadUser } from './find-user.server.ts';
import { sessionBody, startSession } from './issue-session.server.ts';
import { limitAddress } from './limit-requests.server.ts';
import { writeAudit } from './write-audit.server.ts';

/**
 * `POST /signup` without an address (contract §2): an account of its own with the claim
 * `is_anonymous`, which an address turns into a permanent one.
 *
 * @throws ServiceError 422 `anonymous_provider_disabled`, 429
 */
export async function signUpAnonymously(
  context: AuthContext,
  request: FastifyRequest,
  metadata: Record<string, unknown>,
  locale: string | undefined,
) {
  const { database, settings } = context.resources;
  if (!settings.AUTH_ANONYMOUS) {
    throw new ServiceError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  }
  limitAddress(context, request, 'anonymous');
  const client = clientOf(context, request);
  const session = await database.transaction(async (queries) => {
    const { id } = await queries.one<{ id: string }>(
      'insert into auth.users (is_anonymous, raw_user_meta_data, locale) values (true, $1, $2) returning id',
      [JSON.stringify(metadata), locale ?? null],
    );
    await writeAudit(queries, 'user_signedup', id, client, { provider: 'anonymous' });
    return startSession(context, queries, await reloadUser(queries, id), 'anonymous', client);
  });
  return sessionBody(context, database, session);
}
