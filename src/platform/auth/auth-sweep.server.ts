import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { notOverSql } from './sessions/session-limits.server.ts';

/**
 * Deletes what has no further use: expired tokens, old PKCE challenges, sessions past their end, abandoned
 * anonymous accounts.
 * @trigger auth.users delete_objects_of_user
 * @trigger auth.users end_subscriptions_of_user
 */
export async function sweepAuth({
  database,
  settings,
}: Pick<Resources, 'database' | 'settings'>): Promise<void> {
  await database.run("delete from auth.one_time_tokens where expires_at < now() - interval '1 day'");
  await database.run("delete from auth.flow_state where created_at < now() - interval '1 day'");
  await database.run('delete from auth.webauthn_challenges where expires_at < now()');
  await database.run('delete from auth.provider_flows where expires_at < now()');
  await database.run('delete from auth.used_assertions where expires_at < now()');
  await database.run('delete from auth.mfa_challenges where expires_at < now()');
  await database.run(
    uncheckedSql(
      `delete from auth.sessions s where s.updated_at < now() - interval '1 day' and not ${notOverSql(settings)}`,
      'composed',
    ),
  );
  await database.run(
    `delete from auth.users u where is_anonymous and greatest(u.created_at,
       (select max(s.updated_at) from auth.sessions s where s.user_id = u.id)) < now() - make_interval(days => $1)`,
    [settings.AUTH_ANONYMOUS_DAYS],
  );
}
