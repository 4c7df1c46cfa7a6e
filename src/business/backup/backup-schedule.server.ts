import { mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import type { Mail } from '../../kernel/resources/mailer/mail-queue.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { shownPlace } from './backup-place.server.ts';
import { configuredPassphrase, configuredPlace, makeBackup } from './backup-record.server.ts';

const JOB = 'backup.make';
const POLICY = { retries: 3, retryDelaySeconds: 600, timeoutSeconds: 6 * 3600, concurrency: 1 };
const LOOK_SECONDS = 60;
/** The agency gets a mail after this many hours without a successful backup. */
export const WARNING_HOURS = 48;

/** Keys of `private.installation`. */
const DAY = 'backup_day';
const SINCE = 'backup_schedule_since';
const WARNED = 'backup_warned';

/**
 * Makes a backup each day if BACKUP_TO names a folder or a bucket, once for all processes of the
 * installation, and warns by mail when backups fail.
 */
export function scheduleBackups(resources: Resources): void {
  const { jobs, settings, log } = resources;
  jobs.define(JOB, POLICY, async () => {
    if (settings.BACKUP_TO === '') return;
    const { folder, files, removed } = await makeBackup(resources, {
      to: configuredPlace(settings),
      passphrase: configuredPassphrase(settings),
      keep: settings.BACKUP_KEEP,
      withBucket: settings.BACKUP_BUCKET,
    });
    log.info({ folder, files: files.count, removed: removed.length }, 'a backup was made');
    if (files.lost.length > 0) log.error({ lost: files.lost }, 'stored files are lost or damaged');
  });
  jobs.every('daily backup', LOOK_SECONDS, async () => {
    await orderBackup(resources, new Date());
    await warnOfNoBackup(resources, new Date());
  });
}

/** Adds the job of the day when its hour has come; the first one at once. */
export async function orderBackup({ database, jobs, settings }: Resources, now: Date): Promise<void> {
  if (settings.BACKUP_TO === '') return;
  const { day, hour } = localTime(now, settings.TIME_ZONE);
  if (hour < settings.BACKUP_HOUR) return;
  await database.transaction(async (queries) => {
    const ours = await queries.run(
      `insert into private.installation (key, value) values ($1, $2)
       on conflict (key) do update set value = excluded.value where installation.value <> excluded.value`,
      [DAY, day],
    );
    if (ours > 0) await jobs.add(queries, JOB, {}, { key: 'daily' });
  });
}

/** Sends a mail when the last successful backup, or the beginning of the schedule, is too long ago. */
export async function warnOfNoBackup(resources: Resources, now: Date): Promise<void> {
  const { database, mailer, settings } = resources;
  if (settings.BACKUP_TO === '') {
    await database.run('delete from private.installation where key = any ($1)', [[SINCE, WARNED]]);
    return;
  }
  await database.transaction(async (queries) => {
    await queries.run(
      'insert into private.installation (key, value) values ($1, $2) on conflict do nothing',
      [SINCE, now.toISOString()],
    );
    const { last, since, error } = await queries.one(
      `select (select max(finished_at) from private.backups where error is null) as last,
              (select value::timestamptz from private.installation where key = $1) as since /* not null */,
              (select error from private.backups order by finished_at desc limit 1) as error`,
      [SINCE],
    );
    const from = last !== null && last > since ? last : since;
    if (now.getTime() - from.getTime() < WARNING_HOURS * 3_600_000) return;
    // One mail for each time that backups stop working.
    const first = await queries.run(
      `insert into private.installation (key, value) values ($1, $2)
       on conflict (key) do update set value = excluded.value where installation.value <> excluded.value`,
      [WARNED, from.toISOString()],
    );
    if (first > 0) await mailer.send(queries, warning(resources, last, error));
  });
}

function warning(resources: Resources, last: Date | null, error: string | null): Mail {
  const { settings } = resources;
  const when =
    last === null
      ? 'None has been made yet.'
      : `The last good one is of ${last.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  const lines = [
    `A backup to ${shownPlace(settings.BACKUP_TO)} should be made each day, and for ${WARNING_HOURS} hours there has been none. ${when}`,
    ...(error === null ? [] : [`The last attempt ended with: ${error}`]),
    'Try it with: npm run northline -- backup',
  ];
  return {
    to: settings.CONTACT_EMAIL,
    purpose: 'service',
    subject: `No backup for ${WARNING_HOURS} hours`,
    ...mailBody(
      resources,
      lines.map((text) => ({ kind: 'text' as const, text })),
    ),
  };
}

function localTime(now: Date, timeZone: string): { day: string; hour: number } {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' },
  }).formatToParts(now);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return { day: `${of('year')}-${of('month')}-${of('day')}`, hour: Number(of('hour')) };
}
