import { withBackupOf } from '../business/backup/backup-bucket.server.ts';
import { shownBackup } from '../business/backup/backup-place.server.ts';
import { openBackup } from '../business/backup/backup-proof.server.ts';
import { restoreBackup } from '../business/backup/backup-restore.server.ts';
import { openArchivePlace } from '../business/backup/wal/archive-place.server.ts';
import { restoreMoment } from '../business/backup/wal/moment-restore.server.ts';
import { findMoment } from '../business/backup/wal/moment-search.server.ts';
import { walStaging } from '../business/backup/wal/wal-schedule.server.ts';
import type { Settings } from '../kernel/config/settings.ts';
import { passphraseOf, placeToReadFrom } from './backup-command.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { parseOptions, typedPath } from './command-words.ts';

/** Restores a backup into an empty data folder. */
export const restoreCommand: Command = {
  summary: 'restores an installation from a backup, in an empty place',
  usage: [
    '[--from DIR] --data-dir NEW   a backup, or the newest one in a folder or s3://…, without it in BACKUP_TO; into NEW, which is empty or not there',
    '    --at TIME               the embedded database as of a moment such as 2026-11-27T15:04:05Z, or latest',
    '    --installation ID       with --at, if several installations keep their archives there',
    '    --passphrase-file F     the file with its passphrase (or BACKUP_PASSPHRASE_FILE)',
    '                            where DATABASE_URL or STORAGE_URL is set, its database (empty) or bucket is used',
  ],
  async run(settings, words) {
    const { values } = parseOptions(words, ['from', 'data-dir', 'at', 'installation', 'passphrase-file']);
    const { from, 'data-dir': dataDir, at, installation } = values;
    if (!dataDir) throw new UsageError('Say --data-dir NEW.');
    const source = placeToReadFrom(settings, from);
    const passphrase = passphraseOf(settings, values['passphrase-file']);
    const place = { ...settings, DATA_DIR: typedPath(dataDir) };
    if (at !== undefined) return restoreAt(at, { source, passphrase, settings, place, installation });
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

interface MomentOrder {
  readonly source: string;
  readonly passphrase: string;
  /** Those of the installation that was; its disk may have what the archive does not have yet. */
  readonly settings: Settings;
  readonly place: Settings;
  readonly installation: string | undefined;
}

async function restoreAt(
  word: string,
  { source, passphrase, settings, place, installation }: MomentOrder,
): Promise<Outcome> {
  const archives = openArchivePlace(source, walStaging(place.DATA_DIR));
  const wish = word === 'latest' ? undefined : momentOf(word);
  const moment = await findMoment(archives, passphrase, { wish, dataDir: settings.DATA_DIR, installation });
  const { files, faults } = await restoreMoment(moment, place);
  const also = moment.tail === undefined ? '' : ` with what ${moment.tail} still had`;
  return {
    text: [
      ...faults,
      `Everything acknowledged before ${moment.at.toISOString()}${also}: the database and ${files} files are in ${place.DATA_DIR}.`,
      `Start it with DATA_DIR=${place.DATA_DIR}.`,
    ].join('\n'),
    exitCode: faults.length === 0 ? 0 : 1,
  };
}

/** A moment with its time zone. @throws UsageError for anything else */
function momentOf(word: string): Date {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(word);
  const moment = new Date(word);
  if (!isMoment || Number.isNaN(moment.getTime()))
    throw new UsageError('--at takes latest, or a moment with its time zone such as 2026-11-27T15:04:05Z.');
  return moment;
}
