import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '../../kernel/config/settings.ts';
import { writeFileDurably } from '../../kernel/resources/crypto/durable-write.ts';
import { parseKeys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import { createDatabase, type Database } from '../../kernel/resources/database/database.ts';
import { startEmbeddedPostgres } from '../../kernel/resources/database/embedded-postgres.ts';
import { createLog } from '../../kernel/resources/log/log.ts';
import { openObjectStore, storageAddress } from '../../kernel/resources/object-store/object-store-open.ts';
import {
  copyObjects,
  type ReadableStore,
  type StoreReport,
  verifyObjects,
} from '../../platform/storage/store-copy.server.ts';
import { BackupRefused } from './backup-format.server.ts';
import { readSmallPart } from './backup-part.server.ts';
import { checkParts, type OpenBackup } from './backup-proof.server.ts';
import { DatabaseNotEmpty, restoreDatabase } from './database-restore.server.ts';
import { endRestoredKeys, eraseAgain, readNotes } from './erasure-notes.server.ts';
import { backupStore } from './file-backup.server.ts';

/** The place to restore to: an empty data folder, and the database and bucket if the settings name them. */
export type RestorePlace = Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'STORAGE_URL'>;

/** The result of a restore. */
export interface Restored {
  readonly rows: number;
  readonly files: number;
  /** Sentences about missing files. */
  readonly faults: readonly string[];
}

/**
 * Restores a backup into an empty place. keys.json comes last, so that a killed restore cannot be started as
 * an installation.
 *
 * @throws BackupRefused with a sentence; nothing is left in the data folder in that case
 */
export async function restoreBackup(backup: OpenBackup, place: RestorePlace): Promise<Restored> {
  const dataDir = place.DATA_DIR;
  requireEmpty(dataDir);
  if (backup.manifest.files.bytes_are === 'bucket' && place.STORAGE_URL === '') {
    throw new BackupRefused('The files of this backup stayed in their bucket: set STORAGE_URL to it.');
  }
  await checkParts(backup);
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  try {
    return await fill(backup, place);
  } catch (error) {
    removeAll(dataDir);
    if (place.DATABASE_URL === '' || error instanceof DatabaseNotEmpty) throw error;
    throw new BackupRefused(
      `${(error as Error).message} The database of DATABASE_URL may have a part of it now: make a new one before you try again.`,
      { cause: error },
    );
  }
}

/** Nothing is restored over something. @throws BackupRefused when the folder has a content */
export function requireEmpty(dataDir: string): void {
  if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) return;
  throw new BackupRefused(
    `The folder ${dataDir} is not empty, and nothing is ever restored over something: name a new one.`,
  );
}

async function fill(backup: OpenBackup, place: RestorePlace): Promise<Restored> {
  const keysText = (await readSmallPart(backup.folder, backup.manifest.keys, backup.key)).toString();
  const keys = parseKeys(keysText);
  const password = derivedSecret(keys, 'postgres').toString('base64url');
  const server =
    place.DATABASE_URL === '' ? await startEmbeddedPostgres(place.DATA_DIR, password) : undefined;
  const owner = server?.owner ?? { connectionString: place.DATABASE_URL };
  const database = createDatabase({ owner, api: owner, poolSize: 2, log: createLog('error') });
  try {
    await restoreDatabase(owner, backup);
    await eraseAgain(database, readNotes(path.dirname(backup.folder)), new Date(backup.header.made_at));
    await endRestoredKeys(database);
    const faults = await restoreBackedUpFiles(database, backup, place);
    writeFileDurably(path.join(place.DATA_DIR, 'keys.json'), keysText);
    const rows = backup.manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    return { rows, files: backup.manifest.files.count, faults };
  } finally {
    await database.close();
    await server?.stop();
  }
}

async function restoreBackedUpFiles(
  database: Database,
  backup: OpenBackup,
  place: RestorePlace,
): Promise<string[]> {
  const { bytes_are: where, lost } = backup.manifest.files;
  const faults = await restoreFiles(database, where === 'here' ? backupStore(backup) : undefined, place);
  const known = new Set(lost.map(({ object }) => object));
  const wrong = faults.find(({ object }) => where === 'here' && !known.has(object));
  if (wrong !== undefined) {
    throw new BackupRefused(
      `The backup ${backup.folder} was changed or is damaged: ${wrong.object}: ${wrong.what}.`,
    );
  }
  return faults.map(({ object, what }) => `${object}: ${what}.`);
}

/**
 * Brings the files that the restored database names to its store, or compares those that are there.
 *
 * @param from undefined when they stayed in their bucket
 * @returns the files that are missing or damaged
 */
export async function restoreFiles(
  database: Database,
  from: ReadableStore | undefined,
  place: RestorePlace,
): Promise<StoreReport['faults']> {
  const store = await openObjectStore(storageAddress(place), place.DATA_DIR);
  const fresh = await isEmpty(store.kept());
  const { faults } =
    from === undefined
      ? await verifyObjects(database, store)
      : await copyObjects(database, { from, to: store });
  // Another installation may still use a store that was not empty, so nothing in it may count as
  // unreferenced.
  const id = fresh ? store.id : `restored from a backup, beside ${store.id}`;
  await database.run(
    `insert into private.installation (key, value) values ('object_store', $1)
     on conflict (key) do update set value = excluded.value`,
    [id],
  );
  await database.run("delete from private.installation where key like 'object_store %'");
  return faults;
}

async function isEmpty(ids: AsyncIterable<string>): Promise<boolean> {
  for await (const _ of ids) return false;
  return true;
}

/**
 * Removes everything that a failed restore created, including a database that had to be in another folder.
 */
export function removeAll(dataDir: string): void {
  const pointer = path.join(dataDir, 'postgres.location');
  if (existsSync(pointer)) {
    rmSync(path.dirname(readFileSync(pointer, 'utf8').trim()), { recursive: true, force: true });
  }
  for (const name of readdirSync(dataDir)) rmSync(path.join(dataDir, name), { recursive: true, force: true });
}
