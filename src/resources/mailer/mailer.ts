import { createTransport, type Transporter } from 'nodemailer';
import type { Settings } from '../../config/settings.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log/log.ts';
import { checkedMail } from './check-mail.ts';

/** One mail to one person. `text` and `html` say the same. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Whom an answer goes to, when that is not the sender. */
  readonly replyTo?: string;
}

/** A mail as the built-in mailbox shows it. `at` is ISO 8601. */
export interface KeptMail {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly at: string;
}

/** Sends mail through an outbox: a mail exists exactly when the change that it tells of does. */
export interface Mailer {
  /**
   * Puts a mail into the outbox in the caller's transaction; a job delivers it after the commit.
   *
   * @throws Error for an address or subject that would break out of its header
   */
  send(queries: Queries, mail: Mail): Promise<void>;
  /** Mails stay in the built-in mailbox, since no mail server is configured. */
  readonly keepsMails: boolean;
  /** The mailbox, newest first, at most `limit`. Empty when a mail server is configured. */
  kept(limit: number): Promise<KeptMail[]>;
}

const DELIVER = 'mailer.deliver';
const POLICY = { retries: 8, retryDelaySeconds: 15, timeoutSeconds: 60, concurrency: 2 };
const SOCKET_PATIENCE_MS = 20_000;
const HOUR_SECONDS = 3600;
/** Mails hold links that sign people in, so they do not stay for long. */
const KEEP_DAYS = 7;

interface OutboxRow {
  recipient: string;
  sender: string;
  subject: string;
  body_text: string;
  body_html: string;
  reply_to: string | null;
  state: string;
}

/** Opens the mailer; before `jobs.start`. */
export function createMailer(settings: Settings, database: Database, jobs: Jobs, log: Log): Mailer {
  const keepsMails = settings.SMTP_URL === '';
  const sender = settings.MAIL_FROM || `${settings.BRAND} <${settings.CONTACT_EMAIL}>`;
  const transport = keepsMails ? undefined : openTransport(settings.SMTP_URL);

  if (transport !== undefined) {
    jobs.define<{ id: string }>(DELIVER, POLICY, async ({ data, last }) => {
      try {
        await deliver(database, transport, data.id);
      } catch (error) {
        const message = (error as Error).message.slice(0, 500);
        await database.run('update private.mails set last_error = $2, state = $3 where id = $1', [
          data.id,
          message,
          last ? 'failed' : 'waiting',
        ]);
        throw error;
      }
    });
  }
  jobs.every('mailer.clean', HOUR_SECONDS, async () => {
    const removed = await database.run(
      'delete from private.mails where created_at < now() - make_interval(days => $1)',
      [KEEP_DAYS],
    );
    if (removed > 0) log.debug({ removed }, 'old mails were removed');
  });

  return {
    keepsMails,
    async send(queries, mail) {
      const { to, subject, text, html, replyTo } = checkedMail(mail);
      const { id } = await queries.one<{ id: string }>(
        `insert into private.mails (recipient, sender, subject, body_text, body_html, reply_to, state)
         values ($1, $2, $3, $4, $5, $6, $7) returning id`,
        [to, sender, subject, text, html, replyTo ?? null, keepsMails ? 'kept' : 'waiting'],
      );
      if (!keepsMails) await jobs.add(queries, DELIVER, { id }, { key: id });
    },
    async kept(limit) {
      if (!keepsMails) return [];
      const rows = await database.many<OutboxRow & { id: string; created_at: Date }>(
        `select * from private.mails where state = 'kept' order by created_at desc limit $1`,
        [limit],
      );
      return rows.map((row) => ({
        id: row.id,
        to: row.recipient,
        from: row.sender,
        subject: row.subject,
        text: row.body_text,
        html: row.body_html,
        at: row.created_at.toISOString(),
      }));
    },
  };
}

function openTransport(url: string): Transporter {
  return createTransport({
    url,
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: SOCKET_PATIENCE_MS,
    greetingTimeout: SOCKET_PATIENCE_MS,
    socketTimeout: SOCKET_PATIENCE_MS,
  });
}

/** Delivers once per id as far as SMTP allows: the Message-ID is the same at every attempt. */
async function deliver(database: Database, transport: Transporter, id: string): Promise<void> {
  const mail = await database.maybe<OutboxRow>('select * from private.mails where id = $1', [id]);
  if (mail === undefined || mail.state === 'sent') return;
  const domain = /@([^\s>]+)/.exec(mail.sender)?.[1] ?? 'localhost';
  await transport.sendMail({
    from: mail.sender,
    to: { name: '', address: mail.recipient },
    subject: mail.subject,
    text: mail.body_text,
    html: mail.body_html,
    messageId: `<${id}@${domain}>`,
    ...(mail.reply_to === null ? {} : { replyTo: { name: '', address: mail.reply_to } }),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // What was sent holds one-time links: only the envelope stays.
  await database.run(
    `update private.mails set state = 'sent', sent_at = now(), last_error = null, body_text = '', body_html = ''
     where id = $1`,
    [id],
  );
}
