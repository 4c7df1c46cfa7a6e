import path from 'node:path';
import { withSuperuser } from '../../../kernel/resources/database/embedded-postgres.ts';
import { forgetWalStatus } from '../../../kernel/resources/database/wal-status.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { configuredPassphrase, configuredPlace } from '../backup-record.server.ts';
import { stopKeepingWal } from './archive-continuation.server.ts';
import { openArchivePlace } from './archive-place.server.ts';
import { WalShipping } from './wal-shipping.server.ts';

const SHIP_SECONDS = 1;
const BASE_SECONDS = 5;
const FORGET_SECONDS = 3600;

/** The local folder for files of an archive on their way to a bucket. */
export function walStaging(dataDir: string): string {
  return path.join(dataDir, 'wal-staging');
}

/**
 * Archives the write-ahead log of the embedded database in BACKUP_TO each second, and copies the database each
 * week. Without BACKUP_TO or with BACKUP_WAL_DAYS=0 it makes sure that no WAL is kept for an archive.
 */
export function scheduleWalArchive(resources: Resources): void {
  const { jobs, database, settings } = resources;
  if (settings.DATABASE_URL !== '') return;
  if (settings.BACKUP_TO === '' || settings.BACKUP_WAL_DAYS === 0) {
    jobs.every('write-ahead log that nobody archives', FORGET_SECONDS, async () => {
      await withSuperuser(database.owner, stopKeepingWal);
      forgetWalStatus(settings.DATA_DIR);
    });
    return;
  }
  let shipping: WalShipping | undefined;
  jobs.every('archive of the write-ahead log', SHIP_SECONDS, async () => {
    shipping ??= new WalShipping({
      owner: database.owner,
      dataDir: settings.DATA_DIR,
      keys: resources.keys,
      objects: settings.STORAGE_URL.startsWith('s3:') ? undefined : resources.objects,
      newObjects: resources.newObjects,
      place: openArchivePlace(configuredPlace(settings), walStaging(settings.DATA_DIR)),
      passphrase: configuredPassphrase(settings),
      days: settings.BACKUP_WAL_DAYS,
      diskMb: settings.BACKUP_WAL_DISK_MB,
      log: resources.log,
    });
    await shipping.ship();
  });
  // Beside the task above, because WAL is archived while a copy is made.
  jobs.every('copies of the database for the archive', BASE_SECONDS, async () => {
    if (shipping?.needsBase() === true) await shipping.makeBase();
  });
}
