import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SHORTEST_PASSPHRASE } from '../../kernel/config/backup-settings.ts';
import { PRODUCT_VERSION } from '../../kernel/config/product-version.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import type { Settings } from '../../kernel/config/settings.ts';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { type Database, sqlState } from '../../kernel/resources/database/database.ts';
import type { ReadableStore } from '../../platform/storage/store-copy.server.ts';
import { createBackupInBucket } from './backup-bucket.server.ts';
import { createBackup, type MadeBackup } from './backup-creation.server.ts';
import { isBucketPlace, shownPlace } from './backup-place.server.ts';

/** How many records are kept, of successes and failures. */
const RECORDS = 500;
const UNDEFINED_TABLE = '42P01';

interface Outcome {
  readonly startedAt: Date;
  readonly folder: string;
  readonly made?: MadeBackup;
  readonly error?: string;
}

/** What the backup copies. */
export interface BackupSource {
  readonly settings: Settings;
  readonly database: Database;
  readonly keys: Keys;
  readonly objects: ReadableStore;
}

/**
 * How to make a backup; `to` is a folder or `s3://…`, `passphrase` is '' for none, `keep` undefined for all.
 */
export interface BackupWish {
  readonly to: string;
  readonly passphrase: string;
  readonly keep: number | undefined;
  /** True to copy the files even from a bucket. */
  readonly withBucket: boolean;
}

/**
 * Makes a backup and records the result in the database.
 *
 * @throws Error with a sentence, which is recorded too
 */
export async function makeBackup(source: BackupSource, wish: BackupWish): Promise<MadeBackup> {
  const { database, settings, keys, objects } = source;
  const startedAt = new Date();
  try {
    const order = {
      owner: database.owner,
      dataDir: settings.DATA_DIR,
      keys,
      store: objects,
      withFiles: wish.withBucket || !settings.STORAGE_URL.startsWith('s3:'),
      to: wish.to,
      passphrase: wish.passphrase,
      keep: wish.keep,
      version: PRODUCT_VERSION,
    };
    const made = isBucketPlace(wish.to) ? await createBackupInBucket(order) : await createBackup(order);
    await record(database, { startedAt, folder: made.folder, made });
    return made;
  } catch (error) {
    // If the database is unavailable, the reason for the failed backup matters more than the record.
    await record(database, { startedAt, folder: shownPlace(wish.to), error: (error as Error).message }).catch(
      () => {},
    );
    throw error;
  }
}

async function record(database: Database, outcome: Outcome): Promise<void> {
  try {
    await writeRecord(database, outcome);
  } catch (error) {
    // Before an update the database may have a version without this table.
    if (sqlState(error)?.code !== UNDEFINED_TABLE) throw error;
  }
}

async function writeRecord(database: Database, { startedAt, folder, made, error }: Outcome): Promise<void> {
  await database.run(
    `insert into private.backups (started_at, folder, row_count, file_count, lost_files, error)
     values ($1, $2, $3, $4, $5, $6)`,
    [startedAt, folder, made?.rows, made?.files.count, made?.files.lost.length, error],
  );
  await database.run(
    `delete from private.backups where id in (select id from private.backups order by finished_at desc offset $1)`,
    [RECORDS],
  );
}

/** The place for backups in the settings: a folder, or `s3://…`; '' for none. */
export function configuredPlace({ BACKUP_TO: to }: Settings): string {
  return to === '' || isBucketPlace(to) ? to : path.resolve(PROJECT_ROOT, to);
}

/** The passphrase from the settings; '' for none. @throws Error with a sentence */
export function configuredPassphrase({
  BACKUP_PASSPHRASE: passphrase,
  BACKUP_PASSPHRASE_FILE: file,
}: Settings): string {
  if (passphrase !== '') return passphrase;
  return readPassphrase(file === '' ? '' : path.resolve(PROJECT_ROOT, file));
}

/** The passphrase in a file, without the line end; '' when no file is given. @throws Error with a sentence */
export function readPassphrase(file: string): string {
  if (file === '') return '';
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`The file of the passphrase, ${file}, cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (text.length < SHORTEST_PASSPHRASE) {
    throw new Error(`The passphrase in ${file} is shorter than ${SHORTEST_PASSPHRASE} characters.`);
  }
  return text;
}
