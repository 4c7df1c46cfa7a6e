import type { FastifyRequest } from 'fastify';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { hasFactor, requireSecondLevel } from '../factors/factor-lookup.server.ts';
import { requireSession } from './session-require.server.ts';

/** Which sessions each scope ends (docs/contracts/platform.md §2). */
const SCOPES = {
  global: 'delete from auth.sessions where user_id = $1 and $2::uuid is not null',
  local: 'delete from auth.sessions where user_id = $1 and id = $2',
  others: 'delete from auth.sessions where user_id = $1 and id <> $2',
} as const;

/**
 * `POST /logout?scope=global|local|others`: ends these sessions; their access tokens stop working at once.
 * Replies 204 without a body. Whoever has only the password of an account with a second factor ends their own session
 * by `global`, which is the client's default, and cannot end the owner's.
 *
 * @throws ServiceError 403 `insufficient_aal` for `others`
 */
export async function signOut(context: AuthContext, request: FastifyRequest): Promise<void> {
  const { scope = 'global' } = request.query as { scope?: unknown };
  if (typeof scope !== 'string' || !Object.hasOwn(SCOPES, scope)) {
    throw invalidInput(`Unsupported logout scope "${String(scope).slice(0, 50)}"`);
  }
  const signedIn = await requireSession(context, request);
  const { user, session, aal } = signedIn;
  if (scope === 'others') requireSecondLevel(signedIn, 'end other sessions');
  const ended = scope === 'global' && hasFactor(user) && aal === 'aal1' ? 'local' : scope;
  const statement = SCOPES[ended as keyof typeof SCOPES];
  await context.resources.database.transaction(async (queries) => {
    await queries.run(statement, [user.id, session.id]);
    await writeAudit(queries, {
      action: 'logout',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { scope: ended, session: session.id },
    });
  });
}
