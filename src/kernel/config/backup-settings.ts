import { backupPlace, flag, integer, text } from './setting-rules.ts';

/** Settings of the daily backup (docs/operators-guide.md, Back up). */
export const BACKUP_SETTINGS = {
  BACKUP_TO: {
    rule: backupPlace(),
    about:
      'Folder, or s3://KEY:SECRET@host/bucket/prefix?region=…, that a backup is written to each day; empty = none.',
    secret: 'in address',
  },
  BACKUP_HOUR: { rule: integer(3, 0, 23), about: 'Hour of the day, in TIME_ZONE, from which it is made.' },
  BACKUP_KEEP: { rule: integer(14, 1, 1000), about: 'Daily backups that stay; older ones are removed.' },
  BACKUP_PASSPHRASE_FILE: {
    rule: text(''),
    about: 'File with the passphrase that backups are encrypted with; empty = not encrypted.',
  },
  BACKUP_BUCKET: {
    rule: flag(false),
    about: 'Daily backups hold the files of a bucket (STORAGE_URL) too; without it they stay there only.',
  },
} as const;
