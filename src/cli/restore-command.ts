import { openBackup } from '../business/backup/backup-archive.server.ts';
import { shownBackup, withBackupOf } from '../business/backup/backup-bucket.server.ts';
import { restoreBackup } from '../business/backup/backup-restore.server.ts';
import { passphraseOf, placeToReadFrom } from './backup-command.ts';
import { type Command, UsageError } from './command.ts';
import { parseOptions, typedPath } from './command-words.ts';

/** Restores a backup into an empty data folder. */
export const restoreCommand: Command = {
  summary: 'restores an installation from a backup, in an empty place',
  usage: [
    '[--from DIR] --data-dir NEW   a backup, or the newest one in a folder or s3://…, without it in BACKUP_TO; into NEW, which is empty or not there',
    '    --passphrase-file F     the file with its passphrase (or BACKUP_PASSPHRASE_FILE)',
    '                            where DATABASE_URL or STORAGE_URL is set, its database (empty) or bucket is used',
  ],
  async run(settings, words) {
    const { values } = parseOptions(words, ['from', 'data-dir', 'passphrase-file']);
    const { from, 'data-dir': dataDir } = values;
    if (!dataDir) throw new UsageError('Say --data-dir NEW.');
    const source = placeToReadFrom(settings, from);
    const passphrase = passphraseOf(settings, values['passphrase-file']);
    const place = { ...settings, DATA_DIR: typedPath(dataDir) };
    const { backup, rows, files, faults } = await withBackupOf(source, async (folder) => {
      const opened = await openBackup(folder, passphrase);
      return { backup: opened, ...(await restoreBackup(opened, place)) };
    });
    return {
      text: [
        ...faults,
        `${shownBackup(source, backup.folder)} of ${backup.header.made_at}: ${rows} rows and ${files} files are in ${place.DATA_DIR}.`,
        `Start it with DATA_DIR=${place.DATA_DIR}.`,
      ].join('\n'),
      exitCode: faults.length === 0 ? 0 : 1,
    };
  },
};
