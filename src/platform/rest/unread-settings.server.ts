import type { Database } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';

/**
 * Writes a warning with the settings that a hosted project gave the reference in its database
 * (`alter role authenticator set pgrst.db_max_rows = …`). They are stored, and nothing here reads them.
 */
export async function warnOfUnreadSettings(database: Database, log: Log): Promise<void> {
  const rows = await database.many(
    `select distinct split_part(one.setting, '=', 1) as name
     from pg_db_role_setting s join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) as one (setting)
     where r.rolname = 'authenticator' and starts_with(one.setting, 'pgrst.') order by 1`,
  );
  if (rows.length === 0) return;
  const settings = rows.map(({ name }) => name);
  log.warn({ settings }, 'the data API does not read these settings of the role authenticator');
}
