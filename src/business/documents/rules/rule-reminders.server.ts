import { readableDay } from '@northline/document-reader/dates';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import { languageOfUser } from '../../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { provenAddress } from './rule-application.server.ts';

const EVERY_SECONDS = 60;
const MOST_AT_ONCE = 100;
const VARIABLES = { 'document-reminder': ['file', 'label', 'day', 'href'] } as const;
const MAILS = openTemplates('business/documents/mails', VARIABLES);

type Parts = Pick<Resources, 'database' | 'mailer' | 'push' | 'settings' | 'site' | 'siteUrl'>;

/** Sends the reminders of rules when they are due. */
export function defineReminders(resources: Resources): void {
  resources.jobs.every('reminders of documents', EVERY_SECONDS, () => sendReminders(resources, new Date()));
}

/** Sends what is due: to the browsers of the account that show notices, and to its address. Each is sent once. */
export async function sendReminders(parts: Parts, now: Date): Promise<void> {
  const { database, siteUrl } = parts;
  for (let count = 0; count < MOST_AT_ONCE; count += 1) {
    const sent = await database.transaction(async (queries) => {
      const due = await queries.maybe(
        `select m.run_id, m.day::text as day /* not null */, r.file_id, r.user_id, f.file_name,
                d.acts #>> '{remind,label}' as label
           from private.document_reminders m
           join northline_app.rule_runs r on r.id = m.run_id
           join northline_app.document_rules d on d.id = r.rule_id
           join public.user_files f on f.id = r.file_id and f.deleted_at is null
          where m.sent_at is null and m.due_at <= $1 order by m.due_at limit 1 for no key update of m skip locked`,
        [now],
      );
      if (due === undefined) return false;
      const { file_id: fileId, user_id: userId } = due;
      const path = analysisPath(fileId);
      const values = {
        file: due.file_name,
        label: due.label ?? '',
        day: readableDay(due.day),
        href: siteUrl + path,
      };
      const language = await languageOfUser(queries, userId);
      const notice = MAILS.notice(parts, language, 'document-reminder', values);
      await parts.push.send(queries, userId, { ...notice, path });
      const address = await provenAddress(queries, userId);
      if (address !== undefined) {
        const mail = MAILS.mail(parts, language, 'document-reminder', values);
        await parts.mailer.send(queries, { to: address, purpose: 'service', ...mail });
      }
      await queries.run('update private.document_reminders set sent_at = now() where run_id = $1', [
        due.run_id,
      ]);
      return true;
    });
    if (!sent) return;
  }
}
