import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { sessionBody, startSession } from '../sessions/session-issue.server.ts';
import { reloadUser } from './user-lookup.server.ts';

/**
 * `POST /signup` without an address (docs/contracts/platform.md §2): creates an account with the claim
 * `is_anonymous`, which becomes permanent once it has an address.
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
  await limitAddress(context, request, 'anonymous');
  const client = clientOf(context, request);
  const session = await database.transaction(async (queries) => {
    const { id } = await queries.one(
      'insert into auth.users (is_anonymous, raw_user_meta_data, locale) values (true, $1, $2) returning id',
      [JSON.stringify(metadata), locale ?? null],
    );
    await writeAudit(queries, {
      action: 'user_signedup',
      actorId: id,
      client,
      payload: { provider: 'anonymous' },
    });
    return startSession({ context, queries, client }, await reloadUser(queries, id), { method: 'anonymous' });
  });
  return sessionBody(context, database, session);
}
