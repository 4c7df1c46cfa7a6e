import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { requireSecondLevel } from '../factors/factor-lookup.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import type { SessionRow } from './session-issue.server.ts';
import { notOverSql } from './session-limits.server.ts';
import type { OwnSession } from './session-list.contract.ts';
import { requireSession } from './session-require.server.ts';

interface ListedSession extends SessionRow {
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly updated_at: Date;
}

/**
 * `GET /sessions`: `{sessions}` of the caller, the current one first, then the most recently used first (ASVS
 * 7.5.2).
 *
 * @throws ServiceError 403 `insufficient_aal`
 */
export async function listSessions(context: AuthContext, request: FastifyRequest) {
  const signedIn = await requireSession(context, request);
  requireSecondLevel(signedIn, 'list sessions');
  const { user, session: own } = signedIn;
  const { database, settings } = context.resources;
  const rows = await database.many(
    uncheckedSql<ListedSession>(
      `select s.id, s.aal, s.amr, s.not_after, s.created_at, s.updated_at, s.user_agent, s.ip
     from auth.sessions s where s.user_id = $1 and ${notOverSql(settings)}
     order by s.id = $2 desc, s.updated_at desc`,
      'composed',
    ),
    [user.id, own.id],
  );
  return { sessions: rows.map((row) => describe(row, own.id)) };
}

function describe(row: ListedSession, ownId: string): OwnSession {
  return {
    id: row.id,
    current: row.id === ownId,
    created_at: row.created_at.toISOString(),
    last_used_at: row.updated_at.toISOString(),
    not_after: row.not_after?.toISOString() ?? null,
    aal: row.aal,
    methods: row.amr.map(({ method }) => method),
    user_agent: row.user_agent,
    ip: row.ip,
  };
}

/**
 * `DELETE /sessions/{id}`: ends one session of the caller, which may be the current one; its access token
 * stops working at once. To end all others: `POST /logout?scope=others`.
 *
 * @throws ServiceError 404 `session_not_found`; 403 `insufficient_aal`
 */
export async function revokeSession(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'user');
  const signedIn = await requireSession(context, request);
  const { user, session } = signedIn;
  const { sessionId } = request.params as { sessionId: string };
  if (sessionId !== session.id) requireSecondLevel(signedIn, 'end other sessions');
  return context.resources.database.transaction(async (queries) => {
    const ended = isUuid(sessionId)
      ? await queries.run('delete from auth.sessions where id = $1 and user_id = $2', [sessionId, user.id])
      : 0;
    if (ended === 0) throw new ServiceError(404, 'session_not_found', 'Session not found');
    const client = clientOf(context, request);
    await writeAudit(queries, {
      action: 'logout',
      actorId: user.id,
      client,
      payload: { scope: 'one', session: sessionId },
    });
    return { id: sessionId };
  });
}
