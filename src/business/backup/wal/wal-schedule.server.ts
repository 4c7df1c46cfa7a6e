import path from 'node:path';
import type { Settings } from '../../../kernel/config/settings.ts';
import { waitAtMost } from '../../../kernel/resources/bounded-wait.ts';
import { withSuperuser } from '../../../kernel/resources/database/embedded-postgres.ts';
import { forgetWalStatus } from '../../../kernel/resources/database/wal-status.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { removeArchives } from '../backup-expiry.server.ts';
import { configuredPassphrase, configuredPlace } from '../backup-record.server.ts';
import { stopKeepingWal } from './archive-continuation.server.ts';
import { type ArchivePlace, openArchivePlace } from './archive-place.server.ts';
import { WalShipping } from './wal-shipping.server.ts';

const SHIP_SECONDS = 1;
const BASE_SECONDS = 5;
const FORGET_SECONDS = 60;
/** How long settings that cannot be used are left alone, milliseconds. */
const UNUSABLE_MS = 60_000;
/**
 * Longest time for the last WAL when the process stops, milliseconds; a part of the time that running work has. A place that
 * is known to be away gets none.
 */
const FINISH_MS = 2000;

/** The archive of the write-ahead log of this process. */
export interface ScheduledArchive {
  /** Archives what was committed last, before the database is closed; gives up when the place is slow or away. */
  finish(): Promise<void>;
}

/** The local folder for files of an archive on their way to a bucket. */
export function walStaging(dataDir: string): string {
  return path.join(dataDir, 'wal-staging');
}

/**
 * Archives the write-ahead log of the embedded database in BACKUP_TO each second, and copies the database each
 * week. Without BACKUP_TO or with BACKUP_WAL_DAYS=0 it makes sure that no WAL is kept for an archive. Operators
 * may change the place and the passphrase meanwhile: another archive follows then.
 */
export function scheduleWalArchive(resources: Resources): ScheduledArchive {
  const { jobs, settings } = resources;
  const archived = new ArchivedInstallation(resources);
  if (settings.DATABASE_URL === '') {
    jobs.every('archive of the write-ahead log', SHIP_SECONDS, () => archived.ship());
    // Beside the task above, because WAL is archived while a copy is made.
    jobs.every('copies of the database for the archive', BASE_SECONDS, () => archived.care());
    jobs.every('unarchived pieces of the database', FORGET_SECONDS, () => archived.forgetUnwanted());
  }
  return { finish: () => archived.finish() };
}

/** What the settings say now about the archive of an installation. */
class ArchivedInstallation {
  readonly #resources: Resources;
  #shipping: WalShipping | undefined;
  /** The settings of `#shipping`. */
  #words = '';
  #unusableUntil = 0;
  #isForgotten = false;
  #working: Promise<void> = Promise.resolve();

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  ship(): Promise<void> {
    this.#working = this.#ship();
    return this.#working;
  }

  async care(): Promise<void> {
    await this.#shipping?.care();
  }

  /** Ends what keeps WAL, and with BACKUP_WAL_DAYS=0 also removes the archives, which may hold what was erased. */
  async forgetUnwanted(): Promise<void> {
    const { database, settings, keys, newObjects } = this.#resources;
    if (isWanted(settings) || this.#isForgotten) return;
    await this.#end();
    await withSuperuser(database.owner, stopKeepingWal);
    await newObjects.forget();
    forgetWalStatus(settings.DATA_DIR);
    if (settings.BACKUP_TO !== '') await removeArchives(placeOf(settings), keys.voice_org_id);
    this.#isForgotten = true;
  }

  async finish(): Promise<void> {
    const shipping = this.#shipping;
    if (shipping === undefined) return;
    await waitAtMost(
      FINISH_MS,
      this.#working.then(() => shipping.finish()),
    );
  }

  async #ship(): Promise<void> {
    const { settings } = this.#resources;
    if (!isWanted(settings)) return this.#end();
    this.#isForgotten = false;
    const { BACKUP_TO: to, BACKUP_PASSPHRASE: passphrase, BACKUP_PASSPHRASE_FILE: file } = settings;
    const words = JSON.stringify([to, passphrase, file]);
    if (words !== this.#words) {
      await this.#end();
      this.#unusableUntil = 0;
      this.#words = words;
    }
    if (performance.now() < this.#unusableUntil) return;
    // A passphrase that cannot be read is not said each second.
    this.#unusableUntil = performance.now() + UNUSABLE_MS;
    this.#shipping ??= shippingOf(this.#resources);
    this.#unusableUntil = 0;
    await this.#shipping.ship();
  }

  async #end(): Promise<void> {
    const shipping = this.#shipping;
    this.#shipping = undefined;
    await shipping?.close();
  }
}

function isWanted({ BACKUP_TO: to, BACKUP_WAL_DAYS: days }: Settings): boolean {
  return to !== '' && days > 0;
}

function placeOf(settings: Settings): ArchivePlace {
  return openArchivePlace(configuredPlace(settings), walStaging(settings.DATA_DIR));
}

/** @throws Error with a sentence when the passphrase cannot be read */
function shippingOf({ settings, database, keys, objects, newObjects, log }: Resources): WalShipping {
  return new WalShipping({
    ...{ owner: database.owner, dataDir: settings.DATA_DIR, keys, newObjects, log },
    objects: settings.STORAGE_URL.startsWith('s3:') ? undefined : objects,
    place: placeOf(settings),
    passphrase: configuredPassphrase(settings),
    days: settings.BACKUP_WAL_DAYS,
  });
}
