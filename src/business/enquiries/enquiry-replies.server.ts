import type { Resources } from '../../kernel/resources/resources.ts';
import { replyToVisitor } from './enquiry-mails.server.ts';

/** Seconds between two checks. */
const LOOK_SECONDS = 10;
const AT_ONCE = 100;

/** Sends the replies that operators write at the console. */
export function sendEnquiryReplies(resources: Resources): void {
  resources.jobs.every('replies to enquiries', LOOK_SECONDS, () => mailReplies(resources));
}

/** Runs one check. The mark and the mail are written in one transaction, so that a reply is sent once. */
export async function mailReplies(
  resources: Pick<Resources, 'database' | 'mailer' | 'settings' | 'site' | 'siteUrl'>,
): Promise<void> {
  const { database, mailer } = resources;
  await database.transaction(async (queries) => {
    const replies = await queries.many(
      `with due as (
         select id from private.enquiry_replies where mailed_at is null
          order by created_at limit $1 for update skip locked)
       update private.enquiry_replies r set mailed_at = now() from due, public.enquiries e
        where r.id = due.id and e.id = r.enquiry_id
       returning r.body, e.id, e.name, e.email, coalesce(e.additional_notes, e.course_description) as asked`,
      [AT_ONCE],
    );
    for (const reply of replies) await mailer.send(queries, await replyToVisitor(resources, queries, reply));
  });
}
