import { createHmac } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { PROJECT_ROOT } from '../../config/project-root.ts';
import type { Settings } from '../../config/settings.ts';
import { waitAtMost } from '../bounded-wait.ts';
import type { Keys } from '../crypto/keys.ts';
import { derivedSecret } from '../crypto/secrets.ts';
import type { Log } from '../log/log.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { requirePgWire } from './caller-statement.ts';
import { createDatabase, type Database } from './database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { defaultGrants, migrate, OWNER_SEARCH_PATH } from './migrations.ts';

/** The folder of the product's migrations. */
export const MIGRATIONS = path.join(PROJECT_ROOT, 'migrations');
/** Key of the advisory lock that the one process on an embedded database holds while it runs. */
export const PROCESS_LOCK = 7_204_002;
/**
 * The connections of a killed predecessor vanish within moments; after this time the folder is really in use.
 */
const LOCK_PATIENCE_MS = 3000;
/** When the process stops, a transaction that takes longer than this is cut off with its connection. */
const CLOSE_PATIENCE_MS = 700;
/** Pause between two attempts to start a server that stopped. */
const REVIVE_PAUSE_MS = 1000;

/** The open database, and the one call that closes all of it. */
export interface OpenDatabase {
  readonly database: Database;
  /** The database is embedded, so this process is the only one on it. */
  readonly alone: boolean;
  close(): Promise<void>;
}

/**
 * Starts or finds the database of `settings`, migrates it and opens the pools.
 *
 * @throws Error with one sentence that the operator can act on
 */
export async function openDatabase(
  settings: Settings,
  keys: Keys,
  { log, tracing }: { log: Log; tracing: Tracing },
): Promise<OpenDatabase> {
  const embedded =
    settings.DATABASE_URL === ''
      ? await startEmbeddedPostgres(
          settings.DATA_DIR,
          derivedSecret(keys, 'postgres').toString('base64url'),
          { walDiskMb: settings.BACKUP_WAL_DISK_MB },
        )
      : undefined;
  if (embedded !== undefined && process.geteuid?.() === 0) {
    const advice = 'other programs may share it, and northline install-service makes one of its own';
    log.warn(`started by root, the database runs as an account without rights of root: ${advice}`);
  }
  const owner = embedded?.owner ?? { connectionString: settings.DATABASE_URL };
  const lock = embedded === undefined ? undefined : await holdServer(embedded, settings.DATA_DIR, log);
  const applied = await migrate(owner, MIGRATIONS);
  if (applied.length > 0) log.info({ applied }, 'the database was migrated');
  await checkKeys(owner, keys);
  await withClient(owner, (client) => client.query(defaultGrants(settings.REST_GRANTS)));
  await withClient(owner, (client) => client.query(OWNER_SEARCH_PATH));
  const api =
    settings.DATABASE_API_URL === ''
      ? await giveApiLogin(owner, apiPassword(owner, keys))
      : { connectionString: settings.DATABASE_API_URL };
  requirePgWire();
  const database = createDatabase({ owner, api, poolSize: settings.DATABASE_POOL, log, tracing });
  return {
    database,
    alone: embedded !== undefined,
    async close() {
      await waitAtMost(CLOSE_PATIENCE_MS, database.close()).catch((error) =>
        log.warn({ err: error }, 'the connections to the database did not close'),
      );
      lock?.release();
      await embedded?.stop();
    },
  };
}

/**
 * Refuses a database whose accounts and tokens were made with other keys: two
 * installations on one database would sign each other's users out.
 */
async function checkKeys(owner: pg.ClientConfig, keys: Keys): Promise<void> {
  const fingerprint = derivedSecret(keys, 'installation').toString('base64url');
  await withClient(owner, async (client) => {
    const { rows } = await client.query<{ value: string }>(
      `insert into private.installation (key, value) values ('keys', $1)
       on conflict (key) do update set value = installation.value returning value`,
      [fingerprint],
    );
    if (rows[0]?.value !== fingerprint) {
      throw new Error(
        'The database belongs to an installation with another keys.json: copy that file into this data folder.',
      );
    }
  });
}

/**
 * Keeps the embedded server running: holds the process lock, and when the server stops unexpectedly (out of
 * memory, a kill) starts it again and takes the lock back.
 */
async function holdServer(
  embedded: EmbeddedPostgres,
  dataDir: string,
  log: Log,
): Promise<{ release(): void }> {
  let released = false;
  const hold = async (): Promise<void> => {
    const { ended } = await lockProcess(embedded, dataDir);
    void ended.then(() => (released ? undefined : revive()));
  };
  const revive = async (): Promise<void> => {
    log.error('the connection that holds the embedded database broke: it is started again if it has gone');
    while (!released) {
      try {
        await embedded.revive();
        await hold();
        return;
      } catch (error) {
        if (!released) log.error({ err: error }, 'the embedded database could not be started again');
        await new Promise((resolve) => setTimeout(resolve, REVIVE_PAUSE_MS));
      }
    }
  };
  await hold();
  return {
    release() {
      released = true;
    },
  };
}

/** Takes the process lock. `ended` resolves when the server has stopped or has released the lock. */
async function lockProcess(embedded: EmbeddedPostgres, dataDir: string): Promise<{ ended: Promise<void> }> {
  const client = new pg.Client({ ...embedded.owner, application_name: 'northline process', keepAlive: true });
  client.on('error', () => {});
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  await client.connect();
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
      PROCESS_LOCK,
    ]);
    if (rows[0]?.mine) return { ended };
    if (Date.now() > deadline) {
      await client.end();
      throw new Error(
        `Another Northline process is running on the data folder ${dataDir}: stop it, or set DATA_DIR.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * The password of the role `authenticator`. It is derived from the owner's password, so that several
 * installations on one server agree on it: roles belong to the server, not to the database.
 */
export function apiPassword(owner: pg.ClientConfig, keys: Keys): string {
  const ownerPassword = new pg.Client(owner).password;
  if (typeof ownerPassword === 'string' && ownerPassword !== '') {
    return createHmac('sha256', ownerPassword).update('northline authenticator').digest('base64url');
  }
  return derivedSecret(keys, 'authenticator').toString('base64url');
}

async function giveApiLogin(owner: pg.ClientConfig, password: string): Promise<pg.ClientConfig> {
  const base = new pg.Client(owner);
  const api: pg.ClientConfig = {
    host: base.host,
    port: base.port,
    database: base.database ?? '',
    user: 'authenticator',
    password,
    ...(owner.connectionString?.includes('sslmode') ? { ssl: base.ssl as boolean } : {}),
  };
  if (await canConnect(api)) return api;
  await withClient(owner, (client) =>
    client.query(`alter role authenticator login password ${client.escapeLiteral(password)}`),
  ).catch((error: Error) => {
    throw new Error(
      `The owner of DATABASE_URL may not set the password of the role authenticator (${error.message}): set DATABASE_API_URL.`,
    );
  });
  return api;
}

async function canConnect(config: pg.ClientConfig): Promise<boolean> {
  return withClient(config, async () => true).catch(() => false);
}

async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
