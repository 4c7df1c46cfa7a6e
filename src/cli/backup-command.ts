import { isBucketPlace } from '../business/backup/backup-place.server.ts';
import {
  configuredPassphrase,
  configuredPlace,
  makeBackup,
  readPassphrase,
} from '../business/backup/backup-record.server.ts';
import type { Settings } from '../kernel/config/settings.ts';
import { parseStorageUrl } from '../kernel/config/storage-url.ts';
import { openObjectStore, storageAddress } from '../kernel/resources/object-store/object-store-open.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { parseOptions, typedPath } from './command-words.ts';
import { installedSettings, withInstallation } from './installation-database.ts';

const SHOWN = 50;

/** Makes a backup; works whether the product is running or not. */
export const backupCommand: Command = {
  summary: 'copies database, files and keys as of one moment, while the product is running',
  usage: [
    '[--to DIR]                writes DIR/northline-YYYYMMDDTHHMMSSZ, DIR a folder or s3://…; without it to BACKUP_TO',
    '    --keep N              then removes all but the newest N backups of this installation there',
    '    --passphrase-file F   encrypts it with the passphrase in the file F (or BACKUP_PASSPHRASE_FILE)',
    '    --with-bucket         where STORAGE_URL is a bucket: copies its files too',
  ],
  async run(given, words) {
    const { settings } = await installedSettings(given);
    const { values, flags } = parseOptions(words, ['to', 'keep', 'passphrase-file'], ['with-bucket']);
    const wish = {
      to: folderOf(settings, values.to),
      keep: values.keep === undefined ? undefined : count(values.keep),
      passphrase: passphraseOf(settings, values['passphrase-file']),
      withBucket: flags.has('with-bucket') || settings.BACKUP_BUCKET,
    };
    return withInstallation(settings, async (database, keys) => {
      const objects = await openObjectStore(storageAddress(settings), settings.DATA_DIR);
      return summary(await makeBackup({ settings, database, keys, objects }, wish));
    });
  },
};

/** The passphrase from the command line or the settings; '' for none. @throws Error with a sentence */
export function passphraseOf(settings: Settings, file: string | undefined): string {
  return file === undefined ? configuredPassphrase(settings) : readPassphrase(typedPath(file));
}

function folderOf(settings: Settings, to: string | undefined): string {
  if (to !== undefined && to !== '') return placeOf(to);
  if (settings.BACKUP_TO === '') throw new UsageError('Name a place: --to DIR, or set BACKUP_TO.');
  return configuredPlace(settings);
}

/**
 * A place for backups as typed: a folder, or `s3://…`. @throws UsageError for an address that cannot be a
 * bucket
 */
export function placeOf(word: string): string {
  if (!isBucketPlace(word)) return typedPath(word);
  try {
    parseStorageUrl(word);
  } catch (error) {
    throw new UsageError(`The bucket ${(error as Error).message}.`);
  }
  return word;
}

/** The place to read backups from: as typed, or BACKUP_TO. @throws UsageError when neither is given */
export function placeToReadFrom(settings: Settings, from: string | undefined): string {
  if (from) return placeOf(from);
  if (settings.BACKUP_TO === '') throw new UsageError('Name the backup: --from DIR, or set BACKUP_TO.');
  return configuredPlace(settings);
}

function count(word: string): number {
  if (!/^[1-9]\d{0,4}$/.test(word)) throw new UsageError(`--keep takes a number of at least 1, not ${word}.`);
  return Number(word);
}

function summary({ folder, rows, files, removed }: Awaited<ReturnType<typeof makeBackup>>): Outcome {
  const size = `${(files.size / 1024 / 1024).toFixed(1)} MB`;
  const bytes = files.bytes_are === 'here' ? '' : ' that stay in their bucket';
  return {
    text: [
      ...files.lost
        .slice(0, SHOWN)
        .map(({ object, what }) => `${object}: ${what} in the installation itself`),
      ...(files.lost.length > SHOWN ? [`... and ${files.lost.length - SHOWN} more`] : []),
      ...removed.map((old) => `removed ${old}`),
      `${folder}: ${rows} rows, ${files.count} files (${size})${bytes}.`,
    ].join('\n'),
    exitCode: files.lost.length === 0 ? 0 : 1,
  };
}
