import type { FastifyRequest } from 'fastify';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { invalidInput } from './auth-error.server.ts';
import { requireSession } from './require-session.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** Which sessions each scope ends (contract §2). */
const SCOPES: Record<string, string> = {
  global: 'delete from auth.sessions where user_id = $1 and $2::uuid is not null',
  local: 'delete from auth.sessions where user_id = $1 and id = $2',
  others: 'delete from auth.sessions where user_id = $1 and id <> $2',
};

/** `POST /logout?scope=global|local|others`: their access tokens stop counting at once. Answers nothing, 204. */
export async function signOut(context: AuthContext, request: FastifyRequest): Promise<void> {
  const { scope = 'global' } = request.query as { scope?: unknown };
  const statement = typeof scope === 'string' && Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
  if (statement === undefined) throw invalidInput(`Unsupported logout scope "${String(scope).slice(0, 50)}"`);
  const { user, session } = await requireSession(context, request);
  await context.resources.database.transaction(async (queries) => {
    await queries.run(statement, [user.id, session.id]);
    await writeAudit(queries, 'logout', user.id, clientOf(context, request), { scope, session: session.id });
  });
}
