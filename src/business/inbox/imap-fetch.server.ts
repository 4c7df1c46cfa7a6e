import type { ImapFlow } from 'imapflow';
import { isLoopback } from '../../kernel/config/settings.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { type InboxContext, MOST_MAIL_BYTES } from './inbox-context.server.ts';
import { receiveMail } from './mail-receipt.server.ts';

const PATIENCE_MS = 30_000;
const LEASE_SECONDS = 120;
/** Most mails of one round; the next round goes on after them. */
const MOST_A_ROUND = 200;
const LONGEST_ERROR = 300;

/** Where a mailbox is read. */
interface Mailbox {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly user: string;
  readonly password: string;
  readonly folder: string;
}

/** Reads `imaps://user:password@host:993/INBOX`. */
export function mailboxOf(address: string): Mailbox {
  const url = new URL(address);
  const secure = url.protocol === 'imaps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 993 : 143) : Number(url.port),
    secure,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    folder: decodeURIComponent(url.pathname.slice(1)) || 'INBOX',
  };
}

/** The mailbox's row in `private.inbox_mailbox`, without its password. */
export const mailboxName = ({ user, host, port, folder }: Mailbox): string =>
  `${user}@${host}:${port}/${folder}`;

/**
 * Takes the new mails of the mailbox, one after another. A mail counts as done, and gets its flag, only after its documents
 * are stored. One process reads at a time; the lease of a killed one ends by itself.
 *
 * @returns how many mails were looked at; undefined if another process reads
 * @throws Error if the mailbox cannot be read, or a mail cannot be taken now; the reason is kept for the doctor
 */
export async function fetchMails(context: InboxContext): Promise<number | undefined> {
  const { database, settings } = context.resources;
  const mailbox = mailboxOf(settings.MAIL_IN_IMAP_URL);
  const name = mailboxName(mailbox);
  if (!(await lease(database, name))) return undefined;
  try {
    const count = await inMailbox(mailbox, (client) => takeNew(context, client, name));
    await release(database, name, null);
    return count;
  } catch (error) {
    await release(database, name, reasonOf(error));
    throw error;
  }
}

async function lease(database: Database, name: string): Promise<boolean> {
  const changed = await database.run(
    `insert into private.inbox_mailbox as m (mailbox, tried_at, leased_until)
     values ($1, now(), now() + make_interval(secs => $2))
     on conflict (mailbox) do update set tried_at = excluded.tried_at, leased_until = excluded.leased_until
       where m.leased_until is null or m.leased_until < now()`,
    [name, LEASE_SECONDS],
  );
  return changed === 1;
}

async function release(database: Database, name: string, error: string | null): Promise<void> {
  await database.run(
    `update private.inbox_mailbox set leased_until = null, error = $2,
            checked_at = case when $2::text is null then now() else checked_at end
      where mailbox = $1`,
    [name, error],
  );
}

/** The server's own words, where it has said some. */
function reasonOf(error: unknown): string {
  const { responseText, message } = error as { responseText?: unknown; message?: unknown };
  const said =
    typeof responseText === 'string' && responseText !== '' ? responseText : String(message ?? error);
  return said.toWellFormed().slice(0, LONGEST_ERROR);
}

async function inMailbox<T>(mailbox: Mailbox, work: (client: ImapFlow) => Promise<T>): Promise<T> {
  // Loaded only where a mailbox is read.
  const { ImapFlow: Client } = await import('imapflow');
  const { host, port, secure, user, password, folder } = mailbox;
  const client = new Client({
    host,
    port,
    secure,
    // A password never crosses a network in the clear.
    ...(secure || isLoopback(host) ? {} : { doSTARTTLS: true }),
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS * 4,
    maxLiteralSize: MOST_MAIL_BYTES + 1024 * 1024,
  });
  // The command that runs then fails with the same reason.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.mailboxOpen(folder);
    return await work(client);
  } finally {
    client.close();
  }
}

async function takeNew(context: InboxContext, client: ImapFlow, name: string): Promise<number> {
  const { database } = context.resources;
  const validity = String(client.mailbox === false ? '' : client.mailbox.uidValidity);
  // Other UIDs of a new UIDVALIDITY: all mails are looked at again, and those that were taken are known by their content.
  const { last_uid: last } = await database.one(
    `update private.inbox_mailbox set last_uid = case when uid_validity = $2 then last_uid else 0 end, uid_validity = $2
      where mailbox = $1 returning last_uid`,
    [name, validity],
  );
  const found = await client.search({ uid: `${Number(last) + 1}:*` }, { uid: true });
  // `*` is the newest mail, also when it is older than the first number (RFC 9051 §9).
  const uids = (found || []).filter((uid) => uid > Number(last)).sort((a, b) => a - b);
  for (const uid of uids.slice(0, MOST_A_ROUND)) {
    await takeOne(context, client, uid);
    await database.run(
      `update private.inbox_mailbox set last_uid = $2, leased_until = now() + make_interval(secs => $3) where mailbox = $1`,
      [name, uid, LEASE_SECONDS],
    );
    await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
  }
  return Math.min(uids.length, MOST_A_ROUND);
}

async function takeOne(context: InboxContext, client: ImapFlow, uid: number): Promise<void> {
  const about = await client.fetchOne(String(uid), { size: true }, { uid: true });
  // Deleted in the meantime.
  if (about === false) return;
  const isTooLarge = (about.size ?? 0) > MOST_MAIL_BYTES;
  const mail = await client.fetchOne(String(uid), isTooLarge ? { headers: true } : { source: true }, {
    uid: true,
  });
  if (mail === false) return;
  const raw = isTooLarge ? mail.headers : mail.source;
  if (raw === undefined) throw new Error(`The mailbox sent no content of mail ${uid}.`);
  await receiveMail(context, { raw, isTooLarge });
}
