import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSettings } from '../src/config/settings.ts';
import { loadKeys } from '../src/resources/crypto/keys.ts';
import { derivedSecret } from '../src/resources/crypto/secrets.ts';
import { createDatabase } from '../src/resources/database/database.ts';
import { startEmbeddedPostgres } from '../src/resources/database/embedded-postgres.ts';
import { PROCESS_LOCK } from '../src/resources/database/open-database.ts';
import { createLog } from '../src/resources/log/log.ts';
import { EVENTS_USAGE, manageEvents } from './manage-events.ts';

// `npm run events`: what goes out to automations, beside the running product.
const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));

async function run(words: readonly string[]): Promise<string> {
  if (words.length === 0) return EVENTS_USAGE;
  if (!existsSync(path.join(settings.DATA_DIR, 'keys.json'))) {
    throw new Error(
      `There is no installation in ${settings.DATA_DIR}: start the product once, or set DATA_DIR.`,
    );
  }
  const keys = await loadKeys(settings.DATA_DIR);
  const embedded =
    settings.DATABASE_URL === ''
      ? await startEmbeddedPostgres(settings.DATA_DIR, derivedSecret(keys, 'postgres').toString('base64url'))
      : undefined;
  const owner = embedded?.owner ?? { connectionString: settings.DATABASE_URL };
  const database = createDatabase({ owner, api: owner, poolSize: 2, log: createLog('error') });
  try {
    return await manageEvents(database, keys, words, settings);
  } finally {
    const running = await database.maybe(
      "select 1 from pg_locks where locktype = 'advisory' and objid::bigint = $1 and granted",
      [PROCESS_LOCK],
    );
    await database.close();
    if (running === undefined) await embedded?.stop();
  }
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
