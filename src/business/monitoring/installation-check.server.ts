import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { isSecret } from '../../kernel/config/console-settings.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { isLoopback, SETTINGS, type SettingName, type Settings } from '../../kernel/config/settings.ts';
import { diskSpace } from '../../kernel/http/health.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { readWalStatus, secondsAtRisk } from '../../kernel/resources/database/wal-status.ts';

/** Something that is wrong or could be better, with what to do about it and where that is explained. */
export interface Finding {
  /** `fault`: something does not work or may be lost; `advice`: it works, but not as it should. */
  readonly level: 'fault' | 'advice';
  readonly what: string;
  readonly act: string;
  /** A page of this repository with its heading, such as `docs/operators-guide.md#mail`. */
  readonly page: string;
}

const MB = 1024 * 1024;
const LITTLE_ROOM_MB = 1024;
const BACKUP_HOURS = 48;
const LATE_SECONDS = 1800;
const CLOCK_SECONDS = 60;
/** An archive that is written each second is late after this time, seconds. */
const LATE_WAL_SECONDS = 60;
/** How long a gap in the archive is a finding. */
const GAP_SHOWN_MS = 7 * 24 * 3600 * 1000;

const fault = (what: string, act: string, heading: string): Finding => ({
  level: 'fault',
  what,
  act,
  page: `docs/operators-guide.md#${heading}`,
});
const advice = (what: string, act: string, heading: string): Finding => ({
  ...fault(what, act, heading),
  level: 'advice',
});

/** Findings from the settings alone. */
export function checkSettings(settings: Settings): Finding[] {
  const site = URL.parse(settings.SITE_URL);
  const isPublic = site !== null && !isLoopback(site.hostname);
  const found: [boolean, Finding][] = [
    [
      isPublic && site.protocol === 'http:',
      fault(
        'The public site is served without TLS.',
        'Give SITE_URL https and let a proxy terminate it.',
        'put-it-on-the-internet',
      ),
    ],
    [
      isPublic && settings.TRUST_PROXY.length === 0 && isLoopback(settings.HOST),
      fault(
        'There is a proxy in front, but TRUST_PROXY names none: all visitors count as one address.',
        'Set TRUST_PROXY to the address of the proxy.',
        'put-it-on-the-internet',
      ),
    ],
    [
      isPublic && settings.SMTP_URL === '',
      fault('No mail server is set, so no mail leaves this machine.', 'Set SMTP_URL.', 'mail'),
    ],
    [
      isPublic && settings.TEST_PAYMENTS && settings.STRIPE_SECRET_KEY === '',
      advice(
        'Plans are sold by the Stripe emulator, which charges nobody.',
        "Set Stripe's settings.",
        'payments',
      ),
    ],
    [
      isPublic && settings.AUTH_AUTOCONFIRM,
      advice(
        'New accounts need no confirmation, so anybody can use anybody’s address.',
        'Set AUTH_AUTOCONFIRM to false once mail works.',
        'accounts-and-enquiries',
      ),
    ],
    [
      isPublic && settings.VOICE_PUBLIC_ADDRESS === '',
      advice('Callers elsewhere may not be heard.', 'Set VOICE_PUBLIC_ADDRESS and VOICE_UDP_PORTS.', 'calls'),
    ],
    [
      !settings.RATE_LIMITS,
      advice('There are no limits on abuse.', 'Turn them on: RATE_LIMITS=true.', 'watch-it'),
    ],
    [
      settings.BACKUP_TO === '',
      advice('No daily backup is set up.', 'Set BACKUP_TO to another disk or a bucket.', 'back-up'),
    ],
    [
      settings.BACKUP_TO !== '' &&
        settings.BACKUP_PASSPHRASE_FILE === '' &&
        settings.BACKUP_PASSPHRASE === '',
      advice('Backups are not encrypted, and each holds the keys.', 'Set BACKUP_PASSPHRASE.', 'back-up'),
    ],
  ];
  return found.filter(([applies]) => applies).map(([, finding]) => finding);
}

/** Findings about the machine: the disk, the account, files that others can read. */
export async function checkMachine(settings: Settings): Promise<Finding[]> {
  const space = await diskSpace(settings.DATA_DIR);
  const free = (space?.free ?? Number.POSITIVE_INFINITY) / MB;
  const found: [boolean, Finding][] = [
    [
      free < settings.DISK_MIN_FREE_MB,
      fault(
        `The disk under DATA_DIR is full: ${Math.round(free)} MB are left.`,
        'Make room, or move DATA_DIR.',
        'watch-it',
      ),
    ],
    [
      free >= settings.DISK_MIN_FREE_MB && free < LITTLE_ROOM_MB,
      advice(
        `The disk under DATA_DIR has ${Math.round(free)} MB left.`,
        'Make room, or move DATA_DIR.',
        'watch-it',
      ),
    ],
    [
      process.geteuid?.() === 0 && settings.DATABASE_URL === '',
      advice(
        'The server runs with too many rights: as root.',
        'Let northline install-service make an account of its own.',
        'run-it-as-a-service',
      ),
    ],
    [
      exposesSecrets(path.join(PROJECT_ROOT, '.env')),
      fault('Other accounts can read .env with its secrets.', 'Run chmod 600 .env.', 'where-things-are'),
    ],
    [
      readableByOthers(path.join(settings.DATA_DIR, 'keys.json')),
      fault(
        'Other accounts can read keys.json. Anybody with this file can sign in as any user.',
        'Run chmod 600 on it, then keys rotate.',
        'signing-keys',
      ),
    ],
  ];
  return [
    ...found.filter(([applies]) => applies).map(([, finding]) => finding),
    ...checkWalArchive(settings, new Date()),
  ];
}

/** Findings about the archive of the write-ahead log, which lets every second be restored. */
export function checkWalArchive(settings: Settings, now: Date): Finding[] {
  const status = readWalStatus(settings.DATA_DIR);
  if (status === undefined) return [];
  const atRisk = secondsAtRisk(status, now);
  const mb = Math.round(status.waiting_bytes / MB);
  const found: [boolean, Finding][] = [
    [
      status.error !== null,
      fault(
        `The write-ahead log is not archived since ${shortUtc(new Date(status.error_since ?? status.at))}: ${status.error}`,
        `${mb} of at most ${settings.BACKUP_WAL_DISK_MB} MB wait on the disk. Beyond that, what waits cannot be restored by the second.`,
        'restore-any-second',
      ),
    ],
    [
      status.error === null && atRisk !== undefined && atRisk > LATE_WAL_SECONDS,
      fault(
        `If the disk were lost now, up to ${Math.round(atRisk ?? 0)} seconds of work would be lost.`,
        'Start Northline, or look into its log.',
        'restore-any-second',
      ),
    ],
    [
      status.base_error !== null,
      fault(
        `The last copy of the database for the archive failed: ${status.base_error}`,
        'It is tried again every five minutes.',
        'restore-any-second',
      ),
    ],
    [
      status.gap !== null && now.getTime() - Date.parse(status.gap.to ?? status.at) < GAP_SHOWN_MS,
      advice(
        `The archive of the write-ahead log began anew: no second between ${status.gap?.from ?? 'its beginning'} and ${status.gap?.to ?? 'now'} can be restored. ${status.gap?.because}`,
        'Nothing has to be done, if you know the reason.',
        'restore-any-second',
      ),
    ],
  ];
  return found.filter(([applies]) => applies).map(([, finding]) => finding);
}

function readableByOthers(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o077) !== 0;
}

/** Whether a file of settings names a secret, and other accounts can read it. */
export function exposesSecrets(file: string): boolean {
  if (!readableByOthers(file)) return false;
  return Object.entries(parseEnv(readFileSync(file, 'utf8'))).some(
    ([name, word = '']) => name in SETTINGS && word !== '' && isSecret(name as SettingName, word),
  );
}

/** Findings from the database: queues, backups, the clock, operators, accounts. */
export async function checkDatabase(queries: Queries, settings: Settings, now: Date): Promise<Finding[]> {
  return [
    ...(await checkQueues(queries)),
    ...(await checkBackups(queries, settings)),
    ...(await checkMailbox(queries, settings)),
    ...(await checkRecordings(queries)),
    ...(await checkPeople(queries)),
    ...(await checkServer(queries, settings, now)),
  ];
}

async function checkQueues(queries: Queries): Promise<Finding[]> {
  const row = await queries.one(
    `select (select count(*) from private.outbox_events where state = 'dead') as dead,
            (select count(*) from private.webhook_targets where disabled_at is not null) as disabled,
            (select extract(epoch from now() - min(created_at)) from private.mails where state = 'waiting') as mail,
            (select count(*) from private.mails where state = 'failed' and created_at > now() - interval '1 day') as failed,
            (select extract(epoch from now() - min(start_after)) from private.job
              where state::text in ('created', 'retry')) as job,
            (select count(*) from private.payment_events
              where handled_at is null and received_at < now() - interval '15 minutes') as payments`,
  );
  const found: [boolean, Finding][] = [
    [
      Number(row.dead) > 0,
      fault(
        `Events that were given up: ${row.dead}.`,
        'Run events list, mend the automation, and replay them.',
        'automations',
      ),
    ],
    [
      Number(row.disabled) > 0,
      fault(
        `${row.disabled} automations answered 410 and get nothing more.`,
        'Run events resume TARGET.',
        'automations',
      ),
    ],
    [
      Number(row.mail ?? 0) > LATE_SECONDS,
      fault('A mail has waited for half an hour.', 'Is the mail server of SMTP_URL reachable?', 'mail'),
    ],
    [
      Number(row.failed) > 0,
      fault(
        `Mails of the last day that were refused: ${row.failed}.`,
        'See /operator/mail for the reasons.',
        'mail',
      ),
    ],
    [
      Number(row.job ?? 0) > LATE_SECONDS,
      fault(
        'A job is half an hour late.',
        'Does the product run? Search its log for "a job failed".',
        'watch-it',
      ),
    ],
    [
      Number(row.payments) > 0,
      fault(`${row.payments} payment events have not been processed.`, 'Run billing reconcile.', 'payments'),
    ],
  ];
  return found.filter(([applies]) => applies).map(([, finding]) => finding);
}

async function checkBackups(queries: Queries, { BACKUP_TO }: Settings): Promise<Finding[]> {
  if (BACKUP_TO === '') return [];
  const { hours, error } = await queries.one(
    `select (select extract(epoch from now() - max(finished_at)) / 3600 from private.backups where error is null) as hours,
            (select error from private.backups order by finished_at desc limit 1) as error`,
  );
  const late = hours === null || Number(hours) > BACKUP_HOURS;
  const act = error === null ? 'Run backup and see what it says.' : `The last attempt ended with: ${error}`;
  return [
    ...(late
      ? [fault(`There has been no successful backup for ${BACKUP_HOURS} hours.`, act, 'back-up')]
      : []),
    ...(await checkVerifications(queries)),
  ];
}

async function checkVerifications(queries: Queries): Promise<Finding[]> {
  const newest = await queries.many(
    `select distinct on (kind) kind, error, faults,
            (select max(finished_at) from private.backup_verifications good
              where good.kind = v.kind and good.error is null and good.faults = '{}') as good
       from private.backup_verifications v order by kind, finished_at desc`,
  );
  return newest
    .filter(({ error, faults }) => error !== null || faults.length > 0)
    .map(({ kind, error, faults, good }) => {
      const last = good === null ? 'None was right before.' : `The last that was right: ${shortUtc(good)}.`;
      const [what, act, heading] =
        kind === 'backup'
          ? ['newest backup', 'Run verify and see what it says.', 'back-up']
          : [
              'latest second of the archive',
              'Try restore --at latest into a new folder.',
              'restore-any-second',
            ];
      return fault(
        `The ${what} could not be restored, or is not right: ${error ?? faults[0]}`,
        `${last} ${act}`,
        heading,
      );
    });
}

function shortUtc(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

async function checkMailbox(queries: Queries, { MAIL_IN_IMAP_URL }: Settings): Promise<Finding[]> {
  if (MAIL_IN_IMAP_URL === '') return [];
  const row = await queries.maybe(
    `select error, extract(epoch from now() - checked_at) as age from private.inbox_mailbox
      order by tried_at desc limit 1`,
  );
  const act = 'Check its address, name and password.';
  const error = row?.error ?? null;
  if (error !== null)
    return [fault(`The mailbox of MAIL_IN_IMAP_URL cannot be read: ${error}`, act, 'documents-by-mail')];
  return Number(row?.age ?? Number.POSITIVE_INFINITY) > LATE_SECONDS
    ? [
        fault(
          'The mailbox of MAIL_IN_IMAP_URL has not been read for half an hour.',
          'Does the product run? Search its log for "documents in the mailbox".',
          'documents-by-mail',
        ),
      ]
    : [];
}

async function checkRecordings(queries: Queries): Promise<Finding[]> {
  const { refused } = await queries.one(
    'select count(*) as refused from private.voice_recordings where refused is not null',
  );
  if (Number(refused) === 0) return [];
  return [
    fault(
      `Recordings of calls that could not be stored: ${refused}.`,
      'Their files are in DATA_DIR/recordings until they expire; the log names them.',
      'calls',
    ),
  ];
}

async function checkPeople(queries: Queries): Promise<Finding[]> {
  const row = await queries.one(
    `select (select count(*) from auth.users u
              where u.deleted_at is null and private.operator_role_of(u.raw_app_meta_data) is not null
                and not exists (select 1 from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')) as bare,
            (select count(*) from public.enquiries where replied_at is null and due_at < now()) as overdue`,
  );
  const found: [boolean, Finding][] = [
    [
      Number(row.bare) > 0,
      advice(
        `Operators without a second factor: ${row.bare}.`,
        'Let each add an authenticator.',
        'the-agencys-console',
      ),
    ],
    [
      Number(row.overdue) > 0,
      fault(
        `Enquiries past their 24 hours: ${row.overdue}.`,
        'Answer them at /operator.',
        'the-agencys-console',
      ),
    ],
  ];
  return found.filter(([applies]) => applies).map(([, finding]) => finding);
}

async function checkServer(queries: Queries, settings: Settings, now: Date): Promise<Finding[]> {
  const row = await queries.one(
    `select clock_timestamp() as at, current_setting('max_connections')::int as most,
            current_setting('server_version_num')::int as version`,
  );
  const apart = Math.abs((row.at?.getTime() ?? now.getTime()) - now.getTime()) / 1000;
  const needed = 2 * settings.DATABASE_POOL + Math.ceil(settings.DATABASE_POOL / 3) + 8;
  const found: [boolean, Finding][] = [
    [
      apart > CLOCK_SECONDS,
      fault(
        `The clocks of this machine and of the database are ${Math.round(apart)} s apart.`,
        'Set both by NTP: tokens and codes depend on the time.',
        'a-database-of-your-own',
      ),
    ],
    [
      needed > (row.most ?? needed),
      fault(
        `One process may open ${needed} connections, and the database allows ${row.most}.`,
        'Lower DATABASE_POOL, or raise max_connections.',
        'a-database-of-your-own',
      ),
    ],
  ];
  return found.filter(([applies]) => applies).map(([, finding]) => finding);
}
