import { PAGES } from '../../kernel/contract/routes.ts';
import { mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import type { Mail } from '../../kernel/resources/mailer/mailer.ts';
import type { PushNotice } from '../../kernel/resources/push/push.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { type LessonState, lengthWords, STATE_WORDS } from './course-videos.contract.ts';

/** Seconds between two looks; what an action here changes is looked for at once. */
const LOOK_SECONDS = 30;
/** Taken in one transaction. */
const AT_ONCE = 100;
/** Of a message, as a mail quotes it. */
const QUOTED = 1000;

type MailParts = Pick<Resources, 'database' | 'mailer' | 'push' | 'settings' | 'siteUrl' | 'log'>;

/**
 * Tells both sides of lessons, states and messages by mail, and customers in their browsers too; the mark and what is
 * sent are one transaction.
 */
export function startCourseMails(resources: MailParts & Pick<Resources, 'jobs'>): () => void {
  const look = (): Promise<void> => sendCourseMails(resources);
  resources.jobs.every('courses.mails', LOOK_SECONDS, look);
  return () => {
    look().catch((error) => resources.log.warn({ err: error }, 'mails about lessons are sent later'));
  };
}

/** One look: everything that somebody has not been told of. */
export async function sendCourseMails(resources: MailParts): Promise<void> {
  await tellStates(resources);
  await tellMessages(resources);
}

async function tellStates({ database, mailer, push, settings, siteUrl }: MailParts): Promise<void> {
  await database.transaction(async (queries) => {
    const changed = await queries.many(
      `with due as (
         select id, told_state from public.course_lessons where told_state is distinct from state
          order by created_at limit $1 for update skip locked)
       update public.course_lessons l set told_state = l.state from due, auth.users u, public.courses c
        where l.id = due.id and u.id = l.user_id and c.id = l.course_id
       returning due.told_state as before, l.state, l.title, c.title as course, l.duration_seconds, l.published_url, u.email, u.id as user_id`,
      [AT_ONCE],
    );
    for (const lesson of changed) {
      const { before, title, email, published_url: url } = lesson;
      const state = lesson.state as LessonState;
      if (before === null) {
        await mailer.send(queries, {
          to: settings.CONTACT_EMAIL,
          purpose: 'service',
          subject: `A lesson was received: ${title}`,
          ...mailBody(settings.BRAND, [
            {
              kind: 'text',
              text: `${email ?? 'A customer'} sent "${title}", ${lengthWords(lesson.duration_seconds)} long, for the course "${lesson.course}".`,
            },
            { kind: 'button', label: 'Open the lessons', href: `${siteUrl}${PAGES.operatorCourses.path}` },
          ]),
        });
      }
      if (before === null && state === 'received') continue;
      await push.send(queries, lesson.user_id, {
        title: `${STATE_WORDS[state]}: ${title}`,
        body: `Your lesson "${title}" is now: ${STATE_WORDS[state]}.`,
        path: PAGES.courses.path,
      });
      if (email !== null)
        await mailer.send(queries, stateMail({ to: email, title, state, url }, settings, siteUrl));
    }
  });
}

function stateMail(
  { to, title, state, url }: { to: string; title: string; state: LessonState; url: string | null },
  settings: Resources['settings'],
  siteUrl: string,
): Mail {
  return {
    to,
    purpose: 'service',
    subject: `${STATE_WORDS[state]}: ${title}`,
    ...mailBody(settings.BRAND, [
      { kind: 'text', text: `Your lesson "${title}" is now: ${STATE_WORDS[state]}.` },
      ...(url === null ? [] : [{ kind: 'text' as const, text: `It is at ${url}` }]),
      { kind: 'button', label: 'Open your course', href: `${siteUrl}${PAGES.courses.path}` },
    ]),
  };
}

async function tellMessages(parts: MailParts): Promise<void> {
  await parts.database.transaction(async (queries) => {
    const written = await queries.many(
      `with due as (
         select id from public.course_messages where mailed_at is null
          order by created_at limit $1 for update skip locked)
       update public.course_messages m set mailed_at = now()
         from due, public.course_lessons l, auth.users u
        where m.id = due.id and l.id = m.lesson_id and u.id = m.user_id
       returning m.from_agency, m.body, l.title, u.email, u.id as user_id`,
      [AT_ONCE],
    );
    for (const { from_agency: fromAgency, body, title, email, user_id: userId } of written) {
      if (fromAgency) await parts.push.send(queries, userId, answerNotice(title));
      const to = fromAgency ? email : parts.settings.CONTACT_EMAIL;
      if (to !== null) await parts.mailer.send(queries, messageMail({ to, title, fromAgency, body }, parts));
    }
  });
}

/** The words of an answer are for the course's page alone. */
const answerNotice = (title: string): PushNotice => ({
  title: `About your lesson ${title}`,
  body: 'You have an answer. Open your course to read it.',
  path: PAGES.courses.path,
});

function messageMail(
  { to, title, fromAgency, body }: { to: string; title: string; fromAgency: boolean; body: string },
  { settings, siteUrl }: MailParts,
): Mail {
  const page = fromAgency ? PAGES.courses.path : PAGES.operatorCourses.path;
  return {
    to,
    purpose: 'service',
    subject: fromAgency ? `About your lesson ${title}` : `A customer wrote about ${title}`,
    ...mailBody(settings.BRAND, [
      { kind: 'text', text: body.slice(0, QUOTED) },
      { kind: 'button', label: 'Read and answer', href: `${siteUrl}${page}` },
    ]),
  };
}
