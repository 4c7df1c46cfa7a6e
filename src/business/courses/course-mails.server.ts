import { PAGES } from '../../kernel/contract/routes.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import { languageOfUser } from '../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { type LessonState, lengthWords } from './course-videos.contract.ts';

/** Seconds between two looks; what an action here changes is looked for at once. */
const LOOK_SECONDS = 30;
/** Taken in one transaction. */
const AT_ONCE = 100;

const MAILS = openTemplates('business/courses/mails', {
  'lesson-received': ['title', 'url'],
  'lesson-in-work': ['title', 'url'],
  'lesson-published': ['title', 'url'],
} as const);
const STATE_MAILS = {
  received: 'lesson-received',
  in_work: 'lesson-in-work',
  published: 'lesson-published',
} as const satisfies Record<LessonState, string>;

type MailParts = Pick<Resources, 'database' | 'mailer' | 'push' | 'settings' | 'site' | 'siteUrl' | 'log'>;

/**
 * Tells both sides of lessons and their states by mail, and customers in their browsers too; the mark and what is
 * sent are one transaction.
 */
export function startCourseMails(resources: MailParts & Pick<Resources, 'jobs'>): () => void {
  const look = (): Promise<void> => sendCourseMails(resources);
  resources.jobs.every('mails about lessons', LOOK_SECONDS, look);
  return () => {
    look().catch((error) => resources.log.warn({ err: error }, 'mails about lessons are sent later'));
  };
}

/** One look: every lesson and state that somebody has not been told of. */
export async function sendCourseMails(parts: MailParts): Promise<void> {
  const { database, mailer, settings, siteUrl } = parts;
  await database.transaction(async (queries) => {
    const changed = await queries.many(
      `with due as (
         select id, told_state from northline_app.course_lessons where told_state is distinct from state
          order by created_at limit $1 for update skip locked)
       update northline_app.course_lessons l set told_state = l.state from due, auth.users u, northline_app.courses c
        where l.id = due.id and u.id = l.user_id and c.id = l.course_id
       returning due.told_state as before, l.state, l.title, c.title as course, l.duration_seconds, l.published_url, u.email, u.id as user_id`,
      [AT_ONCE],
    );
    for (const lesson of changed) {
      const { before, title, email } = lesson;
      const state = lesson.state as LessonState;
      if (before === null) {
        await mailer.send(queries, {
          to: settings.CONTACT_EMAIL,
          purpose: 'service',
          subject: `A lesson was received: ${title}`,
          ...mailBody(parts, [
            {
              kind: 'text',
              text: `${email ?? 'A customer'} sent "${title}", ${lengthWords(lesson.duration_seconds)} long, for the course "${lesson.course}".`,
            },
            { kind: 'button', label: 'Open the lessons', href: `${siteUrl}${PAGES.operatorCourses.path}` },
          ]),
        });
      }
      // The customer has just sent this lesson, so a mail about its arrival would say nothing new.
      if (before !== null || state !== 'received') await tellCustomer(parts, queries, { ...lesson, state });
    }
  });
}

interface ChangedLesson {
  readonly user_id: string;
  readonly email: string | null;
  readonly title: string;
  readonly state: LessonState;
  readonly published_url: string | null;
}

async function tellCustomer(parts: MailParts, queries: Queries, lesson: ChangedLesson): Promise<void> {
  const { user_id: userId, email, title, state, published_url: url } = lesson;
  const language = await languageOfUser(queries, userId);
  const kind = STATE_MAILS[state];
  const notice = MAILS.notice(parts, language, kind, { title, url: [] });
  await parts.push.send(queries, userId, { ...notice, path: PAGES.courses.path });
  if (email === null) return;
  const words = { title, url: url === null ? [] : [url] };
  await parts.mailer.send(queries, {
    to: email,
    purpose: 'service',
    ...MAILS.mail(parts, language, kind, words),
  });
}
