import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { nameOf, storeDocument } from './attachment-storing.server.ts';
import type { Refusal } from './inbox.contract.ts';
import { type InboxContext, tokensIn } from './inbox-context.server.ts';
import { answerMail } from './mail-answer.server.ts';
import { parseMail } from './mail-parsing.server.ts';
import type { MailFile, ParsedMail } from './mail-parsing-process.server.ts';
import { isSenderConfirmed } from './sender-authentication.server.ts';

/** Most customers to whom one mail is given. */
const MOST_CUSTOMERS = 5;
const MOST_FILES = 50;
const MOST_HEADER_BYTES = 256 * 1024;
const MOST_A_DAY = 200;
/** After these attempts, the rest of a mail counts as failed: something in it may end the process. */
const MOST_ATTEMPTS = 20;
/** Mails from strangers that stay in a customer's list. */
const MOST_REFUSED = 50;
const LONGEST_SUBJECT = 200;

/** A customer to whom a mail goes. */
interface Receiver {
  readonly userId: string;
  readonly closing: boolean;
}

/** A mail as it came. */
export interface IncomingMail {
  /** RFC 5322; only its headers if it `isTooLarge`. */
  readonly raw: Buffer;
  readonly isTooLarge?: boolean;
}

/**
 * Takes a mail: each attachment becomes a document of the customer whose address the mail names. A mail that came before is
 * not taken again; an interrupted one goes on where it stopped.
 *
 * @returns how many customers' addresses it names
 * @throws Error if another attempt may succeed, e.g. while the disk is full
 */
export async function receiveMail(
  context: InboxContext,
  { raw, isTooLarge = false }: IncomingMail,
): Promise<number> {
  const whole = await parseMail(raw);
  // A mail that cannot be taken apart still says who sent it, and the sender has to know.
  const mail = whole ?? (await parseMail(headersOf(raw)));
  if (mail === undefined) return 0;
  const { database, settings } = context.resources;
  let taken = 0;
  for (const token of tokensIn(settings, mail.headers).slice(0, MOST_CUSTOMERS)) {
    const row = await database.maybe(
      `select u.id, u.deletion_due_at is not null as closing /* not null */
         from private.inbox_addresses a join auth.users u on u.id = a.user_id
        where a.token = $1 and u.deleted_at is null and coalesce(u.banned_until < now(), true)`,
      [token],
    );
    if (row === undefined) continue;
    await receiveFor(
      context,
      { userId: row.id, closing: row.closing },
      { mail, isTooLarge, isUnread: whole === undefined },
    );
    taken += 1;
  }
  return taken;
}

/** The headers of a mail, which end with the first empty line. */
function headersOf(raw: Buffer): Buffer {
  const ends = ['\r\n\r\n', '\n\n'].map((empty) => raw.indexOf(empty)).filter((end) => end >= 0);
  return Buffer.concat([raw.subarray(0, Math.min(...ends, MOST_HEADER_BYTES)), Buffer.from('\r\n\r\n')]);
}

interface Received {
  readonly mail: ParsedMail;
  readonly isTooLarge: boolean;
  /** Only its headers could be read. */
  readonly isUnread: boolean;
}

async function receiveFor(context: InboxContext, receiver: Receiver, received: Received): Promise<void> {
  const { database } = context.resources;
  const { mail } = received;
  const reason = await refusalOf(context, receiver, received);
  if (reason !== undefined) {
    await database.transaction((queries) => refuse(context, queries, { receiver, mail, reason }));
    return;
  }
  const { id, state, attempts } = await database.one(
    `insert into private.inbox_mails (user_id, digest, sender, subject) values ($1, decode($2, 'hex'), $3, $4)
     on conflict (user_id, digest) do update set attempts = private.inbox_mails.attempts + 1
     returning id, state, attempts`,
    [receiver.userId, mail.digest, senderOf(mail), subjectOf(mail)],
  );
  if (state !== 'working') return;
  await storeAll(context, {
    mailId: id,
    userId: receiver.userId,
    files: mail.files,
    isLast: attempts > MOST_ATTEMPTS,
  });
  await analyseAll(context, id, receiver.userId);
  await database.transaction(async (queries) => {
    const ended = await queries.run(
      "update private.inbox_mails set state = 'done' where id = $1 and state = 'working'",
      [id],
    );
    if (ended === 1)
      await answerMail(context.resources, queries, { mailId: id, userId: receiver.userId, mail });
  });
}

const senderOf = ({ from }: ParsedMail): string => (from[0] ?? '').slice(0, 254);

/** What the page and the answer show of the subject. */
export function subjectOf({ subject }: Pick<ParsedMail, 'subject'>): string {
  return subject
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_SUBJECT)
    .toWellFormed();
}

/** Why the whole mail is refused; undefined if it is taken. */
async function refusalOf(
  { resources: { database, settings } }: InboxContext,
  { userId, closing }: Receiver,
  { mail, isTooLarge, isUnread }: Received,
): Promise<Refusal | undefined> {
  const [sender] = mail.from;
  if (sender === undefined || mail.from.length > 1 || !(await isProvenSender(database, userId, sender)))
    return 'sender';
  if (!isSenderConfirmed(mail.headers, sender, settings.MAIL_IN_AUTH_HOST)) return 'forged';
  if (closing) return 'closing';
  if (isTooLarge) return 'size';
  if (isUnread) return 'failed';
  if (mail.files.length === 0) return 'nothing';
  const { count } = await database.one(
    `select count(*)::integer as count /* not null */ from private.inbox_mails
      where user_id = $1 and received_at > now() - interval '1 day' and state <> 'refused' and digest <> decode($2, 'hex')`,
    [userId, mail.digest],
  );
  return count >= MOST_A_DAY ? 'daily' : undefined;
}

/** Whether a customer takes mails from an address: it is proven, and the customer's own, a team member's or an added one. */
async function isProvenSender(queries: Queries, userId: string, address: string): Promise<boolean> {
  const found = await queries.maybe(
    `select 1 from auth.users u
      where lower(u.email) = $2 and u.email_proven_at is not null and u.deleted_at is null
        and coalesce(u.banned_until < now(), true)
        and (u.id = $1 or exists (
          select 1 from northline_app.team_members own join northline_app.team_members other on other.team_id = own.team_id
           where own.user_id = $1 and own.role <> 'billing' and other.user_id = u.id and other.role <> 'billing'))
     union all
     select 1 from private.inbox_senders s where s.user_id = $1 and s.address = $2 and s.proven_at is not null
     limit 1`,
    [userId, address],
  );
  return found !== undefined;
}

/** Lists a refused mail. Strangers get no answer, as their address may be forged. */
async function refuse(
  { resources }: InboxContext,
  queries: Queries,
  { receiver: { userId }, mail, reason }: { receiver: Receiver; mail: ParsedMail; reason: Refusal },
): Promise<void> {
  const row = await queries.maybe(
    `insert into private.inbox_mails (user_id, digest, sender, subject, state, reason)
     values ($1, decode($2, 'hex'), $3, $4, 'refused', $5) on conflict (user_id, digest) do nothing returning id`,
    [userId, mail.digest, senderOf(mail), subjectOf(mail), reason],
  );
  if (row === undefined) return;
  await queries.run(
    `delete from private.inbox_mails where id in (
       select id from private.inbox_mails where user_id = $1 and state = 'refused'
        order by received_at desc, id offset $2)`,
    [userId, MOST_REFUSED],
  );
  if (reason === 'sender' || reason === 'forged') return;
  await answerMail(resources, queries, { mailId: row.id, userId, mail });
}

interface Documents {
  readonly mailId: string;
  readonly userId: string;
  readonly files: readonly MailFile[];
  readonly isLast: boolean;
}

async function storeAll(context: InboxContext, { mailId, userId, files, isLast }: Documents): Promise<void> {
  const { database, log } = context.resources;
  const rows = await database.many('select position from private.inbox_documents where mail_id = $1', [
    mailId,
  ]);
  const done = new Set(rows.map(({ position }) => position));
  for (const [position, file] of files.entries()) {
    if (done.has(position)) continue;
    let refusal: Refusal | undefined = position < MOST_FILES ? undefined : 'many';
    if (refusal === undefined && isLast) refusal = 'failed';
    if (refusal === undefined) {
      refusal = await storeDocument(context, { mailId, position, userId, file });
      if (refusal === undefined) continue;
    }
    log.debug({ mail: mailId, position, refusal }, 'an attachment was refused');
    await database.run(
      `insert into private.inbox_documents (mail_id, position, name, reason) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [mailId, position, nameOf(file), refusal],
    );
  }
}

/** Starts the analysis of each document that has none: nobody sits before the page to ask for it. */
async function analyseAll(context: InboxContext, mailId: string, userId: string): Promise<void> {
  const rows = await context.resources.database.many(
    `select f.id from private.inbox_documents d join public.user_files f on f.id = d.file_id
      where d.mail_id = $1 and f.deleted_at is null and not exists (select from private.analyses a where a.file_id = f.id)`,
    [mailId],
  );
  for (const { id } of rows)
    await context.analyse({ userId, fileId: id }).catch((error: unknown) => {
      // Deleted a moment ago, or analysed too often: the customer has seen it.
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    });
}
