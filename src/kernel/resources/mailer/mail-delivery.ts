import type { Transporter } from 'nodemailer';
import type { PublishedSite } from '../../contract/site-content.ts';
import type { Database } from '../database/database.ts';
import type { Attempt } from '../jobs/delivery-retries.ts';
import { LOGO_CID } from './mail-body.ts';
import { judgeRefusal } from './mail-refusal.ts';
import { isSuppressed, liftRefusal, type MailPurpose, suppress } from './suppressions.ts';

const SOCKET_PATIENCE_MS = 20_000;
const ERROR_LENGTH = 500;

/** A row of `private.mails`. */
export interface MailRow {
  readonly id: string;
  readonly recipient: string;
  readonly sender: string;
  readonly subject: string;
  readonly body_text: string;
  readonly body_html: string;
  readonly reply_to: string | null;
  readonly state: string;
  readonly purpose: MailPurpose;
  readonly calendar: string;
  readonly in_reply_to: string;
  readonly created_at: Date;
}

/** The columns of a MailRow. */
export const MAIL_COLUMNS =
  'id, recipient, sender, subject, body_text, body_html, reply_to, state, purpose, calendar, in_reply_to, created_at';

/** What sending a mail needs. */
export interface DeliveryParts {
  readonly database: Database;
  readonly transport: Transporter;
  readonly site: PublishedSite;
  /** The agency's own address, which is never suppressed. */
  readonly agency: string;
  /** Checks the address of the mail server. @throws Error when it may not be called */
  approve(): Promise<void>;
  /** The link of an optional mail. */
  unsubscribeLink(address: string): string;
}

/** The connection to the mail server; files and addresses in a mail are never followed. */
export async function openTransport(url: string): Promise<Transporter> {
  // Loaded at the first mail, as an installation without a mail server keeps its mails.
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: SOCKET_PATIENCE_MS,
    greetingTimeout: SOCKET_PATIENCE_MS,
    socketTimeout: SOCKET_PATIENCE_MS,
  });
}

/**
 * Sends one mail. A permanent refusal ends it; the address is suppressed when it was the reason. The agency's own
 * address is asked again after any refusal.
 *
 * @returns undefined when nothing is to be sent any more
 */
export async function attemptMail(parts: DeliveryParts, id: string): Promise<Attempt | undefined> {
  const { database } = parts;
  const mail = await database.maybe(
    `select ${MAIL_COLUMNS} from private.mails where id = $1 and state = 'waiting'`,
    [id],
  );
  if (mail === undefined) return undefined;
  const isAgency = mail.recipient.toLowerCase() === parts.agency.toLowerCase();
  if (!isAgency && (await isSuppressed(database, mail.recipient, mail.purpose))) {
    await end(database, id, 'suppressed', null);
    return undefined;
  }
  const error = await parts
    .approve()
    .then(() => send(parts, mail))
    .then(
      () => undefined,
      (failed: Error) => failed,
    );
  if (error === undefined) {
    return {
      outcome: 'delivered',
      async settle(queries) {
        await end(queries, id, 'sent', null);
        await liftRefusal(queries, mail.recipient);
      },
    };
  }
  const reason = error.message.slice(0, ERROR_LENGTH);
  const refusal = isAgency ? 'again' : judgeRefusal(error as object);
  return {
    outcome: refusal === 'again' ? 'again' : 'refused',
    async settle(queries, due) {
      if (due === undefined) await end(queries, id, refusal === 'bounced' ? 'bounced' : 'failed', reason);
      else {
        await queries.run('update private.mails set last_error = $2, attempts = attempts + 1 where id = $1', [
          id,
          reason,
        ]);
      }
      if (refusal !== 'bounced') return;
      await suppress(queries, { address: mail.recipient, reason: 'bounce', source: 'smtp', detail: reason });
    },
  };
}

/** Finished mails contain one-time links, so only the envelope is kept, unless the mail may be retried. */
async function end(
  queries: Pick<Database, 'run'>,
  id: string,
  state: 'sent' | 'failed' | 'bounced' | 'suppressed',
  error: string | null,
): Promise<void> {
  await queries.run(
    `update private.mails set state = $2, last_error = $3, attempts = attempts + 1,
            sent_at = case when $2 = 'sent' then now() end,
            body_text = case when $2 = 'failed' then body_text else '' end,
            body_html = case when $2 = 'failed' then body_html else '' end,
            calendar = case when $2 = 'failed' then calendar else '' end
     where id = $1`,
    [id, state, error],
  );
}

/** The logo of a mail that shows one: as it is now, or none any more. */
function logoOf({ drawnLogo: content }: PublishedSite, { body_html: html }: MailRow) {
  if (content === undefined || !html.includes(`cid:${LOGO_CID}`)) return {};
  return { attachments: [{ filename: 'logo.png', content: Buffer.from(content), cid: LOGO_CID }] };
}

/** Delivers once per id as far as SMTP allows: the Message-ID is the same at every attempt. */
async function send({ transport, site, unsubscribeLink }: DeliveryParts, mail: MailRow): Promise<void> {
  const domain = /@([^\s>]+)/.exec(mail.sender)?.[1] ?? 'localhost';
  await transport.sendMail({
    from: mail.sender,
    to: { name: '', address: mail.recipient },
    subject: mail.subject,
    text: mail.body_text,
    html: mail.body_html,
    ...logoOf(site, mail),
    ...(mail.calendar === ''
      ? {}
      : {
          icalEvent: {
            // Programs act on a calendar entry only when the MIME header names its method too (RFC 6047
            // §2.4).
            method: /^METHOD:(\w+)/m.exec(mail.calendar)?.[1] ?? 'PUBLISH',
            filename: 'booking.ics',
            content: mail.calendar,
          },
        }),
    messageId: `<${mail.id}@${domain}>`,
    ...(mail.reply_to === null ? {} : { replyTo: { name: '', address: mail.reply_to } }),
    ...(mail.in_reply_to === '' ? {} : { inReplyTo: mail.in_reply_to, references: mail.in_reply_to }),
    headers: {
      // RFC 3834 §5; programs that answer mails answer neither.
      'Auto-Submitted': mail.in_reply_to === '' ? 'auto-generated' : 'auto-replied',
      ...(mail.purpose === 'optional'
        ? {
            // nodemailer's own `list` option writes the second header wrongly (docs/contracts/documents.md
            // §7.6).
            'List-Unsubscribe': `<${unsubscribeLink(mail.recipient)}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }
        : {}),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
