import path from 'node:path';
import { configuredPassphrase, makeBackup, readPassphrase } from '../business/backup/backup-record.server.ts';
import { PROJECT_ROOT } from '../kernel/config/project-root.ts';
import type { Settings } from '../kernel/config/settings.ts';
import { openObjectStore, storageAddress } from '../kernel/resources/object-store/object-store-open.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { parseOptions, typedPath } from './command-words.ts';
import { withInstallation } from './installation-database.ts';

const SHOWN = 50;

/** Makes a backup, whether the product runs or not. */
export const backupCommand: Command = {
  summary: 'copies database, files and keys as they are at one moment, while the product runs',
  usage: [
    '[--to DIR]                writes DIR/northline-YYYYMMDDTHHMMSSZ; without it to BACKUP_TO',
    '    --keep N              then removes all backups of this installation there but the newest N',
    '    --passphrase-file F   encrypts it with the passphrase in the file F (or BACKUP_PASSPHRASE_FILE)',
    '    --with-bucket         where STORAGE_URL is a bucket: copies its files too',
  ],
  async run(settings, words) {
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

/** The passphrase that the words or the settings name; '' for none. @throws Error with a sentence */
export function passphraseOf(settings: Settings, file: string | undefined): string {
  return file === undefined ? configuredPassphrase(settings) : readPassphrase(typedPath(file));
}

function folderOf({ BACKUP_TO: setting }: Settings, to: string | undefined): string {
  if (to !== undefined && to !== '') return typedPath(to);
  if (setting === '') throw new UsageError('Say where to: --to DIR, or set BACKUP_TO.');
  return path.resolve(PROJECT_ROOT, setting);
}

function count(word: string): number {
  if (!/^[1-9]\d{0,4}$/.test(word))
    throw new UsageError(`--keep takes a number from 1 on, and ${word} is none.`);
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
