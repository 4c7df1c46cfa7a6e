import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '../kernel/config/settings.ts';
import { type Keys, loadKeys } from '../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../kernel/resources/crypto/secrets.ts';
import { createDatabase, type Database } from '../kernel/resources/database/database.ts';
import { PROCESS_LOCK } from '../kernel/resources/database/database-open.ts';
import { startEmbeddedPostgres } from '../kernel/resources/database/embedded-postgres.ts';
import { createLog } from '../kernel/resources/log/log.ts';
import { type MergedSettings, mergeSettings, readStoredWords } from '../kernel/resources/stored-settings.ts';

/**
 * Runs `work` on the installation's database as its owner, whether the product is running or not. An embedded
 * server that was started only for this is stopped again.
 *
 * @throws Error with a sentence for the operator when no installation exists
 */
export async function withInstallation<T>(
  settings: Settings,
  work: (database: Database, keys: Keys) => Promise<T>,
): Promise<T> {
  if (!existsSync(path.join(settings.DATA_DIR, 'keys.json'))) {
    throw new Error(
      `There is no installation in ${settings.DATA_DIR}: start the product once, or set DATA_DIR.`,
    );
  }
  const keys = await loadKeys(settings.DATA_DIR);
  const embedded =
    settings.DATABASE_URL === ''
      ? await startEmbeddedPostgres(
          settings.DATA_DIR,
          derivedSecret(keys, 'postgres').toString('base64url'),
          { walDiskMb: settings.BACKUP_WAL_DISK_MB },
        )
      : undefined;
  const owner = embedded?.owner ?? { connectionString: settings.DATABASE_URL };
  const database = createDatabase({ owner, api: owner, poolSize: 2, log: createLog('error') });
  try {
    return await work(database, keys);
  } finally {
    const running = await database.maybe(
      "select 1 from pg_locks where locktype = 'advisory' and objid::bigint = $1 and granted",
      [PROCESS_LOCK],
    );
    await database.close();
    if (running === undefined) await embedded?.stop();
    else embedded?.leaveRunning();
  }
}

/** The settings that a start would use. */
interface InstalledSettings extends MergedSettings {
  /** Why the settings of the console are missing here; undefined when they were read. */
  readonly unread?: string;
}

/**
 * Adds what operators decided at the console to the settings of the environment. Without an installation, or without its
 * database, they are those of the environment.
 */
export async function installedSettings(settings: Settings): Promise<InstalledSettings> {
  if (!existsSync(path.join(settings.DATA_DIR, 'keys.json')))
    return { ...mergeSettings(settings, new Map()), unread: 'there is no installation in DATA_DIR yet' };
  try {
    return mergeSettings(settings, await withInstallation(settings, readStoredWords));
  } catch (error) {
    return { ...mergeSettings(settings, new Map()), unread: (error as Error).message };
  }
}
