import type { Language } from '../../kernel/contract/languages.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { type MailPart, mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import { isMailAddress } from '../../kernel/resources/mailer/mail-check.ts';
import { languageOfUser } from '../../kernel/resources/mailer/mail-language.ts';
import type { Mail } from '../../kernel/resources/mailer/mail-queue.ts';
import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

/** Seconds between two looks. */
const LOOK_SECONDS = 10;
/** Seconds that a customer has to read a message of the agency before it is mailed. */
const READ_SECONDS = 60;
/** Seconds between two mails or notices of the agency's messages in one thread; later messages wait for the next one. */
const PAUSE_SECONDS = 600;
/** Threads that one look takes, and messages of each; the rest waits for the next one. */
const AT_ONCE = 500;
/** Messages in one mail; the thread has the others. */
const MOST_MAILED = 10;

const MAILS = openTemplates('business/messages/mails', {
  message: ['words', 'more'],
  messages: ['words', 'more', 'count'],
  'line-attached': ['files'],
  'notice-message': [],
  'notice-messages': ['count'],
  'lesson-message': ['title', 'words'],
  'notice-lesson': ['title'],
} as const);

type MailParts = Pick<Resources, 'database' | 'mailer' | 'push' | 'settings' | 'site' | 'siteUrl' | 'log'>;

/** One side of a thread, which is told of what the other one wrote. */
interface Side {
  readonly userId: string;
  readonly fromAgency: boolean;
  /** The lesson that the thread is about; null for the thread of the account. */
  readonly lessonId: string | null;
}

/** What one mail is about: the messages of one side of a thread, oldest first. */
interface Told extends Side {
  /** The customer's address; null without a mail address. */
  readonly email: string | null;
  /** Title of the lesson that the thread is about. */
  readonly lesson: string | null;
  /** The customer wants mails about messages (`notices.messages` in the metadata). */
  readonly wanted: boolean;
  readonly messages: readonly { readonly id: string; readonly body: string; readonly files: string }[];
}

/**
 * Tells each side by mail of what the other one wrote, and customers in their browsers too; of all processes one looks
 * at a time.
 *
 * @trigger northline_app.messages note_message
 */
export function startMessageMails(resources: MailParts & Pick<Resources, 'jobs'>): void {
  resources.jobs.everyByOne('mails about messages', LOOK_SECONDS, () => sendMessageMails(resources));
}

/** One look. A thread whose mail cannot be written is told of later, and holds up no other. */
export async function sendMessageMails(parts: MailParts): Promise<void> {
  const { database, log } = parts;
  await database.run(
    `update private.message_notes n set mail_due = false from northline_app.messages m
      where m.id = n.message_id and n.mail_due and m.from_agency and m.read_at is not null`,
  );
  const waiting = await database.many(
    `select m.user_id, m.from_agency, m.lesson_id
       from private.message_notes n join northline_app.messages m on m.id = n.message_id
      where n.mail_due group by m.user_id, m.from_agency, m.lesson_id order by min(m.sent_at), m.user_id limit $1`,
    [AT_ONCE],
  );
  for (const { user_id: userId, from_agency: fromAgency, lesson_id: lessonId } of waiting) {
    await tellSide(parts, { userId, fromAgency, lessonId }).catch((error: unknown) => {
      log.error({ err: error, user: userId }, 'nobody could be told of a message');
    });
  }
}

/**
 * The note of a mail, the mail and the notice are one transaction: a process that ends in the middle has told of nothing,
 * and the next look tells of it once.
 */
async function tellSide(parts: MailParts, side: Side): Promise<void> {
  const { database, mailer, push } = parts;
  await database.transaction(async (queries) => {
    // Two looks at once would each send the one mail that a thread gets for some minutes; a customer who is reading waits too.
    await queries.run("select pg_advisory_xact_lock(hashtext('message_mails'), hashtext($1))", [side.userId]);
    const told = await findDue(queries, side);
    if (told === undefined) return;
    // Notices of browsers have a switch of their own: who wants no mails may want these.
    const language = told.fromAgency ? await languageOfUser(queries, told.userId) : 'en';
    if (told.fromAgency) await push.send(queries, told.userId, noticeOf(parts, told, language));
    const mail = mailOf(parts, told, language);
    if (mail !== undefined) await mailer.send(queries, mail);
    await queries.run(
      `update private.message_notes set mail_due = false, told_at = now(), mailed_at = case when $2 then now() end
        where message_id = any ($1)`,
      [told.messages.map(({ id }) => id), mail !== undefined],
    );
  });
}

/** The messages that a side is to be told of now; undefined for none. */
async function findDue(queries: Queries, { userId, fromAgency, lessonId }: Side): Promise<Told | undefined> {
  const due = await queries.many(
    `select m.id, m.body, u.email, l.title as lesson,
            coalesce(u.raw_user_meta_data #>> '{notices,messages}', 'true') <> 'false' as wanted /* not null */,
            coalesce((select string_agg(a.file_name, ', ' order by a.file_name, a.id)
                        from northline_app.message_files a where a.message_id = m.id), '') as files /* not null */
       from private.message_notes n
       join northline_app.messages m on m.id = n.message_id
       join auth.users u on u.id = m.user_id
       left join northline_app.course_lessons l on l.id = m.lesson_id
      where n.mail_due and m.user_id = $1 and m.from_agency = $2 and m.lesson_id is not distinct from $6 and (not m.from_agency or (
            m.read_at is null
            and exists (select from northline_app.messages f join private.message_notes w on w.message_id = f.id
                     where f.user_id = m.user_id and f.lesson_id is not distinct from m.lesson_id and f.from_agency and w.mail_due
                       and f.sent_at <= now() - make_interval(secs => $3))
            and not exists (select from northline_app.messages f join private.message_notes w on w.message_id = f.id
                     where f.user_id = m.user_id and f.lesson_id is not distinct from m.lesson_id and f.from_agency
                       and w.told_at > now() - make_interval(secs => $4))))
      order by m.sent_at, m.id limit $5`,
    [userId, fromAgency, READ_SECONDS, PAUSE_SECONDS, AT_ONCE, lessonId],
  );
  const [first] = due;
  if (first === undefined) return undefined;
  const { email, lesson, wanted } = first;
  return { userId, fromAgency, lessonId, email, lesson, wanted, messages: due };
}

/** Undefined where no mail may be sent: the person has no address, or has switched these mails off. */
function mailOf(parts: MailParts, told: Told, language: Language): Mail | undefined {
  if (!told.fromAgency) return mailToAgency(parts, told);
  const { email, lesson, wanted } = told;
  // The switch is for messages; an answer about a lesson belongs to the work that the customer pays for.
  return email === null || !isMailAddress(email) || (!wanted && lesson === null)
    ? undefined
    : { to: email, purpose: 'service', ...wordsToCustomer(parts, told, language) };
}

/** The words of a message are for the thread and the mail alone. `read_messages` takes it back by its topic. */
function noticeOf(parts: MailParts, { lesson, messages: { length } }: Told, language: Language) {
  if (lesson !== null) {
    const about = MAILS.notice(parts, language, 'notice-lesson', { title: lesson });
    return { ...about, path: PAGES.courses.path };
  }
  const notice =
    length === 1
      ? MAILS.notice(parts, language, 'notice-message', {})
      : MAILS.notice(parts, language, 'notice-messages', { count: String(length) });
  return { ...notice, path: PAGES.messages.path, topic: 'messages' };
}

function wordsToCustomer(parts: MailParts, told: Told, language: Language) {
  const { length } = told.messages;
  if (told.lesson !== null) {
    const words = linesOf(parts, told, language);
    return MAILS.mail(parts, language, 'lesson-message', { title: told.lesson, words });
  }
  const words = { words: linesOf(parts, told, language), more: moreThanMailed(told) };
  return length === 1
    ? MAILS.mail(parts, language, 'message', words)
    : MAILS.mail(parts, language, 'messages', { ...words, count: String(length) });
}

function mailToAgency(parts: MailParts, told: Told): Mail {
  const { settings, siteUrl } = parts;
  const { userId, email, lesson, messages } = told;
  const replyTo = email !== null && isMailAddress(email) ? email : undefined;
  // Only a line's worth of the address, which may be as long as the whole subject.
  const who = (replyTo ?? 'a customer').slice(0, 120);
  return {
    to: settings.CONTACT_EMAIL,
    ...(replyTo !== undefined && { replyTo }),
    purpose: 'service',
    subject:
      lesson !== null
        ? `A customer wrote about ${lesson}`
        : messages.length === 1
          ? `A message from ${who}`
          : `${messages.length} messages from ${who}`,
    ...mailBody(parts, [
      ...[
        ...linesOf(parts, told, 'en'),
        ...moreThanMailed(told).map((more) => `There are ${more} more in the thread.`),
      ].map((text): MailPart => ({ kind: 'text', text })),
      {
        kind: 'button',
        label: 'Answer at the console',
        href:
          lesson === null
            ? `${siteUrl}${PAGES.operatorMessages.path}/${userId}`
            : `${siteUrl}${PAGES.operatorCourses.path}`,
      },
      {
        kind: 'text',
        text: 'An answer to this mail goes to the customer, but does not come into the thread.',
      },
    ]),
  };
}

/** The words of the messages, a line of theirs a paragraph, and the names of attached files. */
function linesOf(parts: MailParts, { messages }: Told, language: Language): string[] {
  return messages
    .slice(0, MOST_MAILED)
    .flatMap(({ body, files }) => [
      ...body.split(/\s*\n\s*/).filter((line) => line !== ''),
      ...(files === '' ? [] : [MAILS.line(parts, language, 'line-attached', { files })]),
    ]);
}

/** How many messages a mail does not have; no item where it has all. */
const moreThanMailed = ({ messages }: Told): string[] =>
  messages.length > MOST_MAILED ? [String(messages.length - MOST_MAILED)] : [];
