import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import { PROCESS_LOCK } from '../../kernel/resources/database/database-open.ts';
import {
  type EmbeddedPostgres,
  embeddedCluster,
  startEmbeddedPostgres,
} from '../../kernel/resources/database/embedded-postgres.ts';
import {
  findPostgresBinaries,
  findPostgresBinariesIn,
  serverAccount,
} from '../../kernel/resources/database/postgres-binaries.ts';
import type { ReadableStore } from '../../platform/storage/store-copy.server.ts';
import { createBackup } from './backup-creation.server.ts';
import { openBackup } from './backup-proof.server.ts';
import { restoreDatabase } from './database-restore.server.ts';

/** Which database to upgrade, and which release wrote it. */
export interface DatabaseUpgrade {
  readonly dataDir: string;
  readonly keys: Keys;
  /** A release, checkout or npm package with the PostgreSQL version that wrote it. */
  readonly from: string;
  /** Version of the product, for people. */
  readonly version: string;
}

/** The result of the upgrade. */
export interface UpgradedDatabase {
  readonly was: number;
  readonly is: number;
  readonly rows: number;
  /** Folder with the old database; nothing reads it any more. */
  readonly kept: string;
}

/** Only rows are copied from the old database; files stay where they are. */
const NO_FILES: ReadableStore = {
  read: () => Promise.reject(new Error('no file is read for an upgrade of the database')),
};

/**
 * Upgrades an embedded database to the major version that comes with this release: the old version writes out
 * the rows, our migrations create the schema, the rows are loaded, and all foreign keys are checked. The old
 * files stay beside the new ones; when anything fails they are put back.
 *
 * @throws Error with one sentence; the database is then unchanged
 */
export async function upgradeDatabase(order: DatabaseUpgrade): Promise<UpgradedDatabase> {
  const { dataDir, keys } = order;
  const account = serverAccount();
  const { folder, major: was } = embeddedCluster(dataDir);
  const { major: is } = findPostgresBinaries(account);
  if (was === undefined) throw new Error(`There is no embedded database in ${dataDir}.`);
  if (was === is) throw new Error(`The database of ${dataDir} is already PostgreSQL ${is}.`);
  const old = findPostgresBinariesIn(order.from, account);
  if (old.major !== was) {
    throw new Error(
      `The database is PostgreSQL ${was}, and ${order.from} brings ${old.major}: name the release that ran before.`,
    );
  }
  const password = derivedSecret(keys, 'postgres').toString('base64url');
  const rowsFolder = path.join(dataDir, 'upgrade');
  rmSync(rowsFolder, { recursive: true, force: true });
  mkdirSync(rowsFolder, { mode: 0o700 });
  try {
    const server = await startEmbeddedPostgres(dataDir, password, { binaries: old });
    await refuseInUse(server);
    const backup = await withServer(server, ({ owner }) => takeRows(order, owner, rowsFolder));
    const kept = `${folder}.postgres-${was}`;
    renameSync(folder, kept);
    try {
      await withServer(await startEmbeddedPostgres(dataDir, password), async ({ owner }) =>
        restoreDatabase(owner, await openBackup(backup.folder, '')),
      );
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(kept, folder);
      throw error;
    }
    return { was, is, rows: backup.rows, kept };
  } finally {
    rmSync(rowsFolder, { recursive: true, force: true });
  }
}

/** A running product holds the process lock; its server is left alone. @throws Error with one sentence */
async function refuseInUse(server: EmbeddedPostgres): Promise<void> {
  const client = new pg.Client(server.owner);
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(
      "select from pg_locks where locktype = 'advisory' and objid::bigint = $1 and granted",
      [PROCESS_LOCK],
    );
    if (rows.length === 0) return;
    server.leaveRunning();
    throw new Error('Northline is running on this database: stop it first.');
  } finally {
    await client.end();
  }
}

async function withServer<T>(
  server: EmbeddedPostgres,
  work: (server: EmbeddedPostgres) => Promise<T>,
): Promise<T> {
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function takeRows({ dataDir, keys, version }: DatabaseUpgrade, owner: pg.ClientConfig, to: string) {
  return createBackup({
    owner,
    dataDir,
    keys,
    store: NO_FILES,
    withFiles: false,
    to,
    passphrase: '',
    version,
  });
}
