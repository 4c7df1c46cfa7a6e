import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { type Queries, sqlState } from '../../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, type Client, clientOf } from '../auth-context.server.ts';
import { userBanned } from '../auth-error.server.ts';
import { BODIES, readBody } from '../request-input.server.ts';
import { SESSION_COLUMNS, type SessionRow, sessionBody } from './session-issue.server.ts';
import { notOverSql } from './session-limits.server.ts';

/** Seconds in which refreshes by several tabs count as one (docs/contracts/platform.md §6). */
const REUSE_SECONDS = 10;
/**
 * How long a refresh waits for another one of the same session before it gets a 409
 * (docs/contracts/platform.md §2).
 */
const LOCK_MS = 5000;
/** `lock_not_available`. */
const LOCK_TIMEOUT = '55P03';

interface LockedSession extends SessionRow {
  readonly banned: boolean;
  readonly over: boolean;
  readonly recent: boolean;
}

/**
 * `POST /token?grant_type=refresh_token` with the rotation rules of docs/contracts/platform.md §6. The
 * current token advances the counter. A token one step behind gets the same successor (parallel tabs, or a
 * client that never saved it). Anything older is a replay and ends the session.
 *
 * @throws ServiceError 400 `refresh_token_not_found`, `refresh_token_already_used`, `session_not_found`,
 * `session_expired`, `user_banned`; 409 `conflict`
 */
export async function refreshSession(context: AuthContext, request: FastifyRequest) {
  const { refresh_token: token } = readBody(BODIES.refresh, request.body);
  const content = context.refreshTokens.read(token);
  if (content === undefined) {
    throw refused('refresh_token_not_found', 'Refresh Token Not Found');
  }
  const client = clientOf(context, request);
  const outcome = await context.resources.database
    .transaction((queries) => rotate({ context, queries, client }, content), { lockMs: LOCK_MS })
    .catch((error: unknown) => {
      if (sqlState(error)?.code !== LOCK_TIMEOUT) throw error;
      throw new ServiceError(
        409,
        'conflict',
        'Too many concurrent token refresh requests on the same session',
        { headers: { 'retry-after': '1' } },
      );
    });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, context.resources.database, outcome);
}

/** Refusals are returned, not thrown, so that their changes are committed. */
async function rotate(
  { context, queries, client }: AuthOperation,
  { sessionId, counter }: { readonly sessionId: string; readonly counter: number },
): Promise<SessionRow | ServiceError> {
  const session = await queries.maybe(
    uncheckedSql<LockedSession>(
      `select s.id, s.user_id, s.aal, s.amr, s.refresh_counter, s.window_counter, s.used_counter, s.refreshed_at,
       s.not_after, s.created_at, coalesce(u.banned_until > now(), false) as banned,
       not ${notOverSql(context.resources.settings)} as over,
       coalesce(s.refreshed_at > clock_timestamp() - make_interval(secs => $2), false) as recent
     from auth.sessions s join auth.users u on u.id = s.user_id and u.deleted_at is null
     where s.id = $1 for update of s`,
      'composed',
    ),
    [sessionId, REUSE_SECONDS],
  );
  if (session === undefined) return refused('session_not_found', 'No Valid Session Found');
  if (session.banned) return userBanned(400);
  if (session.over) {
    await endSession(queries, session, client, 'expired');
    return refused('session_expired', 'Session Expired');
  }
  const current = Number(session.refresh_counter);
  if (counter === current) {
    // Both in one statement, because every client refreshes once an hour.
    return queries.one(
      `with told as (
         insert into auth.audit_log_entries (action, actor_id, ip_address, payload)
         values ('token_refreshed', $5, $6, $7)
       )
       update auth.sessions set refresh_counter = refresh_counter + 1, refreshed_at = clock_timestamp(),
         window_counter = case when $2 then window_counter else refresh_counter end,
         updated_at = now(), user_agent = $3, ip = $4
       where id = $1 returning ${SESSION_COLUMNS}`,
      [
        session.id,
        session.recent,
        client.userAgent,
        client.address,
        session.user_id,
        client.address,
        JSON.stringify({ session: session.id, counter }),
      ],
    );
  }
  const cause = toleratedCause(session, counter, current);
  if (cause !== undefined) {
    await writeAudit(queries, {
      action: 'token_reused',
      actorId: session.user_id,
      client,
      payload: {
        session: session.id,
        counter,
        cause,
      },
    });
    return session;
  }
  await endSession(queries, session, client, 'refresh token replayed');
  return refused('refresh_token_already_used', 'Already Used');
}

/** Why a token other than the current one is accepted; undefined for a replay. */
function toleratedCause(session: LockedSession, counter: number, current: number): string | undefined {
  if (counter > current) return undefined;
  if (session.recent && counter >= Number(session.window_counter)) return 'parallel tabs';
  // Nobody has used the successor's access token, so the reply with it was lost.
  const successorUsed = Number(session.used_counter) >= current;
  return counter === current - 1 && !successorUsed ? 'client did not save' : undefined;
}

async function endSession(
  queries: Queries,
  session: SessionRow,
  client: Client,
  cause: string,
): Promise<void> {
  await queries.run('delete from auth.sessions where id = $1', [session.id]);
  await writeAudit(queries, {
    action: 'token_revoked',
    actorId: session.user_id,
    client,
    payload: { session: session.id, cause },
  });
}

function refused(code: string, reason: string): ServiceError {
  return new ServiceError(400, code, `Invalid Refresh Token: ${reason}`);
}
