import type { Database } from '../../resources/database/database.ts';

/** Removes what has no further use: dead mail tokens, old PKCE challenges, sessions past their end. */
export async function sweepAuth(database: Database): Promise<void> {
  await database.run("delete from auth.one_time_tokens where expires_at < now() - interval '1 day'");
  await database.run("delete from auth.flow_state where created_at < now() - interval '1 day'");
  await database.run('delete from auth.mfa_challenges where expires_at < now()');
  await database.run('delete from auth.sessions where not_after < now()');
}
