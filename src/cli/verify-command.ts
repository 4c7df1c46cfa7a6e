import { findBackup, openBackup } from '../business/backup/backup-archive.server.ts';
import { verifyBackup } from '../business/backup/backup-verification.server.ts';
import { openObjectStore, storageAddress } from '../kernel/resources/object-store/object-store-open.ts';
import { passphraseOf } from './backup-command.ts';
import { type Command, UsageError } from './command.ts';
import { parseOptions, typedPath } from './command-words.ts';

/** Restores a backup into a scratch folder and looks whether all is right. */
export const verifyCommand: Command = {
  summary: 'restores a backup into a scratch folder and checks rows, books, keys and files',
  usage: [
    '--from DIR                a backup, or the newest one in a folder',
    '    --passphrase-file F   the file with its passphrase (or BACKUP_PASSPHRASE_FILE)',
  ],
  async run(settings, words) {
    const { values } = parseOptions(words, ['from', 'passphrase-file']);
    if (!values.from) throw new UsageError('Say --from DIR.');
    const backup = await openBackup(
      findBackup(typedPath(values.from)),
      passphraseOf(settings, values['passphrase-file']),
    );
    const bucket = settings.STORAGE_URL.startsWith('s3:')
      ? await openObjectStore(storageAddress(settings), settings.DATA_DIR)
      : undefined;
    const { rows, files, faults } = await verifyBackup(backup, bucket);
    return {
      text: [
        ...faults,
        `${backup.folder} of ${backup.header.made_at}: ${rows} rows, ${files} files, ${faults.length} faults.`,
      ].join('\n'),
      exitCode: faults.length === 0 ? 0 : 1,
    };
  },
};
