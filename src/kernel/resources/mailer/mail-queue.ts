import type { Settings } from '../../config/settings.ts';
import type { PublishedSite } from '../../contract/site-content.ts';
import type { Keys } from '../crypto/keys.ts';
import type { Database, Queries } from '../database/database.ts';
import { defineDelivery } from '../jobs/delivery-retries.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log/log.ts';
import { checkedMail, isDemoAddress } from './mail-check.ts';
import { attemptMail, type DeliveryParts, MAIL_COLUMNS, openTransport } from './mail-delivery.ts';
import { greetedName, greetPerson } from './mail-templates.ts';
import { isSuppressed, type MailPurpose } from './suppressions.ts';
import { unsubscribeLink } from './unsubscribe-links.ts';

/** One mail to one person. `text` and `html` say the same. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Whom an answer goes to, when that is not the sender. */
  readonly replyTo?: string;
  /** Why the mail is sent, which decides which suppressions apply. */
  readonly purpose: MailPurpose;
  /** An entry for the recipient's calendar, an iCalendar object with its METHOD (RFC 6047). */
  readonly calendar?: string;
  /** Message-ID of the mail that this one answers, with its angle brackets. */
  readonly inReplyTo?: string;
}

/** A mail as the built-in mailbox shows it. `at` is ISO 8601. */
export interface KeptMail {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The attached calendar entry, if there is one. */
  readonly calendar?: string;
  readonly at: string;
}

/** Sends mail through an outbox, so that a mail exists exactly when the change that it reports does. */
export interface Mailer {
  /**
   * Puts a mail into the outbox in the caller's transaction; a job delivers it after the commit. A suppressed
   * recipient gets no mail, and the outbox records why. A demo customer gets none, and there is no record.
   *
   * @returns false when the recipient gets no such mail
   * @throws Error for an address or subject that would break out of its header
   */
  send(queries: Queries, mail: Mail): Promise<boolean>;
  /** The link by which a recipient stops optional mails; templates also put it into their text. */
  unsubscribeLink(address: string): string;
  /** True when mails stay in the built-in mailbox because no mail server is configured. */
  readonly keepsMails: boolean;
  /** The mailbox, newest first, at most `limit`. Empty when a mail server is configured. */
  kept(limit: number): Promise<KeptMail[]>;
}

/**
 * Notified when there is a mail without a job.
 * @trigger private.mails notify_waiting
 */
const WAITING = 'mails_waiting';
const HOUR_SECONDS = 3600;
/** Mails contain links that sign people in, so they are not stored for long. */
const KEEP_DAYS = 7;

/** What the mailer needs. */
interface MailerParts {
  readonly settings: Settings;
  readonly site: PublishedSite;
  readonly siteUrl: string;
  readonly keys: Keys;
  readonly database: Database;
  readonly jobs: Jobs;
  readonly log: Log;
  /** Checks the address of a mail server before each mail. @throws Error when it may not be called */
  approve(url: string): Promise<void>;
}

/**
 * The name of the account whose confirmed address this is. At an address that nobody has confirmed, a stranger could have
 * chosen the name.
 */
async function nameAt(queries: Queries, address: string): Promise<string | undefined> {
  const account = await queries.maybe(
    `select raw_user_meta_data from auth.users
      where email = lower($1) and email_confirmed_at is not null and deleted_at is null
      order by is_sso_user, created_at limit 1`,
    [address],
  );
  return account === undefined ? undefined : greetedName(account.raw_user_meta_data);
}

/** Deletes the mails that are older than seven days. @returns how many it deleted */
export function deleteOldMails(database: Queries): Promise<number> {
  return database.run('delete from private.mails where created_at < now() - make_interval(days => $1)', [
    KEEP_DAYS,
  ]);
}

/** Opens the mailer; before `jobs.start`. */
export function createMailer(parts: MailerParts): Mailer {
  const { settings, siteUrl, keys, database, jobs, log } = parts;
  const keepsMails = (): boolean => settings.SMTP_URL === '';
  const sender = (): string => settings.MAIL_FROM || `${settings.BRAND} <${settings.CONTACT_EMAIL}>`;
  const linkFor = (address: string): string => unsubscribeLink(keys, siteUrl, address);

  const delivery = defineDelivery(parts, {
    queues: { 'mailer.deliver': 2 },
    attempt: mailAttempts(parts, linkFor),
    waiting: { round: 'mails without a job', channel: WAITING, take: takeWaiting },
  });
  jobs.everyByOne('old mails', HOUR_SECONDS, async () => {
    const removed = await deleteOldMails(database);
    if (removed > 0) log.debug({ removed }, 'old mails were removed');
  });

  return {
    get keepsMails() {
      return keepsMails();
    },
    unsubscribeLink: linkFor,
    async send(queries, mail) {
      if (isDemoAddress(mail.to)) return false;
      const checked = checkedMail(mail);
      const { to, subject, replyTo, purpose, calendar = '', inReplyTo = '' } = checked;
      const held = await isHeld(queries, mail, settings.CONTACT_EMAIL);
      const { text, html } = held ? checked : greetPerson(checked, await nameAt(queries, to));
      const kept = held ? NO_BODY : { text, html, calendar };
      const state = held ? 'suppressed' : keepsMails() ? 'kept' : 'waiting';
      const { id } = await queries.one(
        `insert into private.mails (recipient, sender, subject, body_text, body_html, reply_to, state, purpose, calendar, in_reply_to, queued_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now()) returning id`,
        [
          to,
          sender(),
          subject,
          kept.text,
          kept.html,
          replyTo ?? null,
          state,
          purpose,
          kept.calendar,
          inReplyTo,
        ],
      );
      if (state === 'waiting') await delivery.add(queries, { id });
      return !held;
    },
    async kept(limit) {
      if (!keepsMails()) return [];
      const rows = await database.many(
        `select ${MAIL_COLUMNS} from private.mails where state = 'kept' order by created_at desc limit $1`,
        [limit],
      );
      return rows.map((row) => ({
        id: row.id,
        to: row.recipient,
        from: row.sender,
        subject: row.subject,
        text: row.body_text,
        html: row.body_html,
        ...(row.calendar === '' ? {} : { calendar: row.calendar }),
        at: row.created_at.toISOString(),
      }));
    },
  };
}

/** A mail that is not sent keeps only its envelope. */
const NO_BODY = { text: '', html: '', calendar: '' };

/** Whether the recipient gets no mails of this purpose; the agency itself gets all. */
const isHeld = async (queries: Queries, { to, purpose }: Mail, agency: string): Promise<boolean> =>
  to.toLowerCase() !== agency.toLowerCase() && (await isSuppressed(queries, to, purpose));

function mailAttempts(
  { settings, site, database, approve }: MailerParts,
  unsubscribeLink: (address: string) => string,
) {
  let transport: { readonly url: string; readonly open: DeliveryParts['transport'] } | undefined;
  return async (id: string) => {
    const { SMTP_URL: url, CONTACT_EMAIL: agency } = settings;
    // The mail server was removed while the mail waited: the mail stays on this machine, as new ones do.
    if (url === '') {
      await database.run("update private.mails set state = 'kept' where id = $1 and state = 'waiting'", [id]);
      return undefined;
    }
    if (transport?.url !== url) transport = { url, open: await openTransport(url) };
    return attemptMail(
      {
        database,
        transport: transport.open,
        site,
        agency,
        unsubscribeLink,
        approve: () => approve(url),
      },
      id,
    );
  };
}

/** Mails without a job, e.g. after the operator asked for a retry or configured a mail server. */
function takeWaiting(queries: Queries) {
  return queries.many(
    `update private.mails set queued_at = now()
       where id in (select id from private.mails where state = 'waiting' and queued_at is null
                    order by created_at limit 100 for update skip locked)
       returning id`,
  );
}
