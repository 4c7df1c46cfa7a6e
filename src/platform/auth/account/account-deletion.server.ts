import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { hasFactor } from '../factors/factor-lookup.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';

/** Seconds after signing in in which an account may be deleted: a session that was left open is no proof. */
const FRESH_SECONDS = 600;

/**
 * `POST /functions/v1/delete-account` `{confirm: "delete"}`: ends the caller's account. Triggers remove
 * its files and end its subscriptions at the payment provider; it cannot be undone.
 *
 * @throws ServiceError 403 `reauthentication_needed` when the sign-in is older than ten minutes,
 * 403 `insufficient_aal` where a second factor is set up and was not used
 */
export function declareAccountDeletion(context: AuthContext): void {
  const { http, resources } = context;
  declareFunction(http, {
    name: 'delete-account',
    callers: 'users',
    // Asked below, of the session as the database has it.
    beforeSecondFactor: true,
    body: z.object({ confirm: z.literal('delete') }),
    limit: { count: 10, seconds: 3600 },
    async handle({ request }) {
      const { user, session, aal } = await requireSession(context, request);
      const signedInAt = Math.max(0, ...session.amr.map(({ timestamp }) => timestamp));
      if (Date.now() / 1000 - signedInAt > FRESH_SECONDS) {
        throw new ServiceError(
          403,
          'reauthentication_needed',
          'For your safety, please sign in again and delete the account within ten minutes.',
        );
      }
      if (hasFactor(user) && aal !== 'aal2') {
        throw new ServiceError(403, 'insufficient_aal', 'Please confirm your second factor first.');
      }
      await resources.database.transaction(async (queries) => {
        await queries.run('delete from auth.users where id = $1', [user.id]);
        await writeAudit(queries, {
          action: 'user_deleted',
          actorId: user.id,
          client: clientOf(context, request),
          payload: { soft: false },
        });
      });
      return { deleted: true };
    },
  });
}
