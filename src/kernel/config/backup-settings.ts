import { backupPlace, flag, integer, text } from './setting-rules.ts';

/** A shorter passphrase can be guessed. */
export const SHORTEST_PASSPHRASE = 12;

/** Settings of the daily backup (docs/operators-guide.md, Back up). */
export const BACKUP_SETTINGS = {
  BACKUP_TO: {
    rule: backupPlace(),
    about:
      'Folder, or s3://KEY:SECRET@host/bucket/prefix?region=…, for a backup each day; empty = no daily backup.',
    secret: 'in address',
  },
  BACKUP_HOUR: {
    rule: integer(3, 0, 23),
    about: 'Hour of the day, in TIME_ZONE, at which the daily backup starts.',
  },
  BACKUP_KEEP: {
    rule: integer(14, 1, 1000),
    about: 'Number of daily backups to keep; older ones are deleted.',
  },
  BACKUP_WAL_DAYS: {
    rule: integer(14, 0, 366),
    about:
      'With the embedded database: every second of this many days can be restored (restore --at); 0 = only daily backups, and the archive in BACKUP_TO is removed.',
  },
  BACKUP_WAL_DISK_MB: {
    rule: integer(2048, 64, 1_048_576),
    about:
      'Most MB of write-ahead log that wait on the disk while BACKUP_TO cannot be reached. Beyond that the oldest part is dropped, and its seconds cannot be restored.',
  },
  BACKUP_PASSPHRASE_FILE: {
    rule: text(''),
    about: 'File with the passphrase that encrypts the backups; empty = not encrypted.',
  },
  BACKUP_PASSPHRASE: {
    rule: text('').refine((word) => word === '' || word.length >= SHORTEST_PASSPHRASE, {
      error: `must have ${SHORTEST_PASSPHRASE} characters or more`,
    }),
    about:
      'Passphrase that encrypts the backups, in place of BACKUP_PASSPHRASE_FILE. Store it elsewhere too: nobody can restore a backup without it.',
    secret: true,
  },
  BACKUP_BUCKET: {
    rule: flag(false),
    about: 'Daily backups include the files of the bucket in STORAGE_URL; without this they leave them out.',
  },
} as const;
