import { withBackupOf } from '../business/backup/backup-bucket.server.ts';
import { shownBackup } from '../business/backup/backup-place.server.ts';
import { openBackup } from '../business/backup/backup-proof.server.ts';
import { verifyBackup } from '../business/backup/backup-verification.server.ts';
import { openObjectStore, storageAddress } from '../kernel/resources/object-store/object-store-open.ts';
import { passphraseOf, placeToReadFrom } from './backup-command.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-words.ts';
import { installedSettings } from './installation-database.ts';

/** Restores a backup into a temporary folder and checks that all of it is right. */
export const verifyCommand: Command = {
  summary: 'restores a backup into a scratch folder and checks rows, books, keys and files',
  usage: [
    '[--from DIR]              a backup, or the newest one in a folder or s3://…; without it in BACKUP_TO',
    '    --passphrase-file F   the file with its passphrase (or BACKUP_PASSPHRASE_FILE)',
  ],
  async run(given, words) {
    const { settings } = await installedSettings(given);
    const { values } = parseOptions(words, ['from', 'passphrase-file']);
    const source = placeToReadFrom(settings, values.from);
    const passphrase = passphraseOf(settings, values['passphrase-file']);
    const bucket = settings.STORAGE_URL.startsWith('s3:')
      ? await openObjectStore(storageAddress(settings), settings.DATA_DIR)
      : undefined;
    const { backup, rows, files, faults } = await withBackupOf(source, async (folder) => {
      const opened = await openBackup(folder, passphrase);
      return { backup: opened, ...(await verifyBackup(opened, bucket)) };
    });
    return {
      text: [
        ...faults,
        `${shownBackup(source, backup.folder)} of ${backup.header.made_at}: ${rows} rows, ${files} files, ${faults.length} faults.`,
      ].join('\n'),
      exitCode: faults.length === 0 ? 0 : 1,
    };
  },
};
