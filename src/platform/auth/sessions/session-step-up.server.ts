import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { Client } from '../auth-context.server.ts';
import type { FactorRow } from '../factors/factor-lookup.server.ts';
import type { AmrEntry, SessionRow, SignInMethod } from './session-issue.server.ts';
import { SESSION_COLUMNS } from './session-issue.server.ts';

/** The value of the `amr` claim for each kind of factor, as clients know it. */
const METHODS: Record<string, SignInMethod> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
  recovery_code: 'mfa/recovery_code',
};

/**
 * Raises a session to aal2 and ends the user's other sessions below aal2. The counter moves by two: a refresh
 * tolerates one step behind, so a single step would let a client exchange an aal1 token for an aal2 session
 * (docs/contracts/platform.md §6).
 */
export async function stepUpSession(
  queries: Queries,
  { id, user_id: userId }: SessionRow,
  factor: FactorRow,
  client: Client,
): Promise<SessionRow | ServiceError> {
  const session = await queries.maybe(
    `select ${SESSION_COLUMNS} from auth.sessions where id = $1 for update`,
    [id],
  );
  if (session === undefined) {
    return new ServiceError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
  }
  const method = METHODS[factor.factor_type] ?? 'totp';
  const entry: AmrEntry = { method, timestamp: Math.floor(Date.now() / 1000) };
  const amr = [entry, ...session.amr.filter((before) => before.method !== method)];
  const raised = await queries.one(
    `update auth.sessions set aal = 'aal2', amr = $2, factor_id = $3, refresh_counter = refresh_counter + 2,
       window_counter = refresh_counter + 2, refreshed_at = null, updated_at = now()
     where id = $1 returning ${SESSION_COLUMNS}`,
    [id, JSON.stringify(amr), factor.id],
  );
  const ended = await queries.run(
    "delete from auth.sessions where user_id = $1 and id <> $2 and aal = 'aal1'",
    [userId, id],
  );
  if (ended > 0)
    await writeAudit(queries, {
      action: 'token_revoked',
      actorId: userId,
      client,
      payload: { cause: 'second factor', ended },
    });
  return raised;
}
