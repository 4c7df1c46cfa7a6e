import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import {
  type InboxMail,
  type InboxSender,
  type InboxView,
  type Refusal,
  SHOWN_MAILS,
} from './inbox.contract.ts';
import { customerAddress } from './inbox-context.server.ts';

/** What a customer sees of documents by mail. */
export async function viewInbox(
  { settings }: Pick<Resources, 'settings'>,
  queries: Queries,
  userId: string,
): Promise<InboxView> {
  const own = await queries.maybe('select token from private.inbox_addresses where user_id = $1', [userId]);
  return {
    address: own === undefined ? null : customerAddress(settings, own.token),
    senders: await findSenders(queries, userId),
    mails: await findMails(queries, userId),
  };
}

/** The customer's own address, those of the team, and the added ones. */
async function findSenders(queries: Queries, userId: string): Promise<InboxSender[]> {
  const people = await queries.many(
    `select lower(u.email) as address /* not null */, u.id = $1 as own /* not null */,
            u.email_proven_at is not null as proven /* not null */
       from auth.users u
      where u.email is not null and u.deleted_at is null and (u.id = $1 or exists (
        select 1 from northline_app.team_members own join northline_app.team_members other on other.team_id = own.team_id
         where own.user_id = $1 and own.role <> 'billing' and other.user_id = u.id and other.role <> 'billing'))
      order by u.id = $1 desc, lower(u.email)`,
    [userId],
  );
  const added = await queries.many(
    `select address, proven_at is not null as proven /* not null */ from private.inbox_senders
      where user_id = $1 order by address`,
    [userId],
  );
  const known = new Map<string, InboxSender>();
  for (const { address, own, proven } of people)
    known.set(address, { address, kind: own ? 'account' : 'team', proven });
  for (const { address, proven } of added) {
    const before = known.get(address);
    if (before?.proven !== true) known.set(address, { address, kind: 'added', proven });
  }
  return [...known.values()];
}

async function findMails(queries: Queries, userId: string): Promise<InboxMail[]> {
  const mails = await queries.many(
    `select id, sender, subject, state, reason, received_at from private.inbox_mails
      where user_id = $1 order by received_at desc, id limit $2`,
    [userId, SHOWN_MAILS],
  );
  const documents = await queries.many(
    `select d.mail_id, d.name, f.id as "file_id?", d.reason from private.inbox_documents d
       left join public.user_files f on f.id = d.file_id and f.deleted_at is null
      where d.mail_id = any ($1::uuid[]) order by d.mail_id, d.position`,
    [mails.map(({ id }) => id)],
  );
  return mails.map(({ id, sender, subject, state, reason, received_at: at }) => ({
    id,
    sender,
    subject,
    at: at.toISOString(),
    state: state as InboxMail['state'],
    reason: reason as Refusal | null,
    documents: documents
      .filter(({ mail_id: mail }) => mail === id)
      .map((each) => ({ name: each.name, file_id: each['file_id?'], reason: each.reason as Refusal | null })),
  }));
}
