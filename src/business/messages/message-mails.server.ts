import { PAGES } from '../../kernel/contract/routes.ts';
import { type MailPart, mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import { isMailAddress } from '../../kernel/resources/mailer/mail-check.ts';
import type { Mail } from '../../kernel/resources/mailer/mailer.ts';
import type { PushNotice } from '../../kernel/resources/push/push.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

/** Seconds between two looks. */
const LOOK_SECONDS = 10;
/** Seconds that a customer has to read a message of the agency before it is mailed. */
const READ_SECONDS = 60;
/** Seconds between two mails of the agency's messages in one thread; what comes between is in the next. */
const PAUSE_SECONDS = 600;
/** Messages that one look takes; the rest waits for the next one. */
const AT_ONCE = 500;
/** Messages in one mail; the thread has the others. */
const MOST_MAILED = 10;

type MailParts = Pick<Resources, 'database' | 'mailer' | 'push' | 'settings' | 'siteUrl'>;

/** What one mail is about: the messages of one side of a thread, oldest first. */
interface Told {
  readonly userId: string;
  readonly fromAgency: boolean;
  /** The customer's address; null without a mail address. */
  readonly email: string | null;
  /** The customer wants mails about messages (`notices.messages` in the metadata). */
  readonly wanted: boolean;
  readonly messages: { readonly id: string; readonly body: string; readonly files: string }[];
}

/**
 * Tells each side by mail of what the other one wrote, and customers in their browsers too; of all processes one looks
 * at a time.
 */
export function startMessageMails(resources: MailParts & Pick<Resources, 'jobs'>): void {
  resources.jobs.everyByOne('messages.mails', LOOK_SECONDS, () => sendMessageMails(resources));
}

/** One look. The note of a mail, the mail and the notice are one transaction, so that each message is told of once. */
export async function sendMessageMails(parts: MailParts): Promise<void> {
  const { mailer, push, settings, siteUrl } = parts;
  await parts.database.transaction(async (queries) => {
    // Two looks at once would each send the one mail that a thread gets for some minutes.
    await queries.run("select pg_advisory_xact_lock(hashtext('message_mails'))");
    await queries.run(
      `update private.message_notes n set mail_due = false from public.messages m
        where m.id = n.message_id and n.mail_due and m.from_agency and m.read_at is not null`,
    );
    const due = await queries.many(
      `select m.id, m.user_id, m.from_agency, m.body, u.email,
              coalesce(u.raw_user_meta_data #>> '{notices,messages}', 'true') <> 'false' as wanted /* not null */,
              coalesce((select string_agg(a.file_name, ', ' order by a.file_name, a.id)
                          from public.message_files a where a.message_id = m.id), '') as files /* not null */
         from private.message_notes n
         join public.messages m on m.id = n.message_id
         join auth.users u on u.id = m.user_id
        where n.mail_due and (not m.from_agency or (
              exists (select from public.messages f join private.message_notes w on w.message_id = f.id
                       where f.user_id = m.user_id and f.from_agency and w.mail_due
                         and f.sent_at <= now() - make_interval(secs => $1))
              and not exists (select from public.messages f join private.message_notes w on w.message_id = f.id
                       where f.user_id = m.user_id and f.from_agency
                         and w.mailed_at > now() - make_interval(secs => $2))))
        order by m.user_id, m.from_agency, m.sent_at, m.id limit $3`,
      [READ_SECONDS, PAUSE_SECONDS, AT_ONCE],
    );
    for (const told of groupsOf(due)) {
      // Notices of browsers have a switch of their own: who wants no mails may want these.
      if (told.fromAgency) await push.send(queries, told.userId, noticeOf(told, settings.BRAND));
      const mail = mailOf(told, settings, siteUrl);
      if (mail !== undefined) await mailer.send(queries, mail);
      await queries.run(
        `update private.message_notes set mail_due = false, mailed_at = case when $2 then now() end
          where message_id = any ($1)`,
        [told.messages.map(({ id }) => id), mail !== undefined],
      );
    }
  });
}

/** A message that is due, as the look finds it. */
interface DueMessage {
  readonly id: string;
  readonly user_id: string;
  readonly from_agency: boolean;
  readonly body: string;
  readonly email: string | null;
  readonly wanted: boolean;
  readonly files: string;
}

/** One group for each side of each thread; the messages stand in this order already. */
function groupsOf(due: readonly DueMessage[]): Told[] {
  const groups = new Map<string, Told>();
  for (const { id, user_id: userId, from_agency: fromAgency, body, email, wanted, files } of due) {
    const key = `${userId} ${fromAgency}`;
    const group = groups.get(key) ?? { userId, fromAgency, email, wanted, messages: [] };
    group.messages.push({ id, body, files });
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Undefined where nobody is to be told: no address, or these mails are switched off. */
function mailOf(told: Told, settings: Resources['settings'], siteUrl: string): Mail | undefined {
  if (!told.fromAgency) return mailToAgency(told, settings, siteUrl);
  const { email, wanted } = told;
  return email === null || !isMailAddress(email) || !wanted
    ? undefined
    : mailToCustomer(told, email, settings, siteUrl);
}

/** The words of a message are for the thread and the mail alone. */
const noticeOf = (told: Told, brand: string): PushNotice => ({
  title: subjectOf(told, brand),
  body: 'Open your messages to read and answer.',
  path: PAGES.messages.path,
});

const subjectOf = ({ messages }: Told, from: string): string =>
  messages.length === 1 ? `A message from ${from}` : `${messages.length} messages from ${from}`;

function mailToCustomer(told: Told, to: string, settings: Resources['settings'], siteUrl: string): Mail {
  return {
    to,
    purpose: 'service',
    subject: subjectOf(told, settings.BRAND),
    ...mailBody(settings.BRAND, [
      ...wordsOf(told),
      { kind: 'button', label: 'Read and answer', href: `${siteUrl}${PAGES.messages.path}` },
      {
        kind: 'text',
        text: 'Answer in your dashboard. An answer to this mail does not come into the thread.',
      },
      {
        kind: 'link',
        text: 'Switch these mails off in your account',
        href: `${siteUrl}${PAGES.account.path}`,
      },
    ]),
  };
}

function mailToAgency(told: Told, settings: Resources['settings'], siteUrl: string): Mail {
  const { userId, email } = told;
  const replyTo = email !== null && isMailAddress(email) ? email : undefined;
  // Only a line's worth of the address, which may be as long as the whole subject.
  const who = (replyTo ?? 'a customer').slice(0, 120);
  return {
    to: settings.CONTACT_EMAIL,
    ...(replyTo !== undefined && { replyTo }),
    purpose: 'service',
    subject: subjectOf(told, who),
    ...mailBody(settings.BRAND, [
      ...wordsOf(told),
      {
        kind: 'button',
        label: 'Answer at the console',
        href: `${siteUrl}${PAGES.operatorMessages.path}?customer=${userId}`,
      },
      {
        kind: 'text',
        text: 'An answer to this mail goes to the customer, but does not come into the thread.',
      },
    ]),
  };
}

/** The words of the messages, a line of theirs a paragraph, and the names of attached files. */
function wordsOf({ messages }: Told): MailPart[] {
  const text = (words: string): MailPart => ({ kind: 'text', text: words });
  const parts = messages.slice(0, MOST_MAILED).flatMap(({ body, files }) => [
    ...body
      .split(/\s*\n\s*/)
      .filter((line) => line !== '')
      .map(text),
    ...(files === '' ? [] : [text(`Attached: ${files}`)]),
  ]);
  const more = messages.length - MOST_MAILED;
  return more > 0 ? [...parts, text(`There are ${more} more in the thread.`)] : parts;
}
