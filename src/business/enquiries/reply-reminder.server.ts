import { PAGES } from '../../kernel/contract/routes.ts';
import { mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import type { Mail } from '../../kernel/resources/mailer/mail-queue.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { REPLY_HOURS, WARNING_HOURS } from './enquiry.contract.ts';
import { isSerious } from './enquiry-suspicion.server.ts';

/** Seconds between two checks. */
const LOOK_SECONDS = 60;
/** Enquiries named in one mail; further ones are only counted. */
const NAMED = 20;
/** Enquiries handled in one transaction. */
const AT_ONCE = 500;

interface DueEnquiry {
  readonly id: string;
  readonly name: string;
  readonly enquiry_type: string;
  readonly due_at: Date;
  readonly suspect_reasons: readonly string[];
}

/**
 * Watches the promise to reply within 24 hours: when no operator has answered an enquiry after 20 hours, the
 * agency gets one mail. The mark and the mail are written in one transaction, so that a kill at any point
 * neither loses nor doubles the mail.
 */
export function watchReplyClock(resources: Resources): void {
  resources.jobs.every('enquiries due for a reply', LOOK_SECONDS, () => warnOfDue(resources));
}

/** Runs one check. */
export async function warnOfDue(resources: Resources): Promise<void> {
  const { database, mailer, siteUrl } = resources;
  await database.transaction(async (queries) => {
    const due = await queries.many(
      `update public.enquiries set warned_at = now()
       where id in (
         select id from public.enquiries
         where replied_at is null and warned_at is null and due_at < now() + make_interval(hours => $1)
         order by due_at limit $2 for update skip locked)
       returning id, name, enquiry_type, due_at, suspect_reasons`,
      [REPLY_HOURS - WARNING_HOURS, AT_ONCE],
    );
    // Advertising alone does not cause a mail.
    const people = due.filter(({ suspect_reasons: reasons }) => !isSerious(reasons));
    if (people.length === 0) return;
    const others = due.length - people.length;
    await mailer.send(
      queries,
      warning(resources, `${siteUrl}${PAGES.operatorEnquiries.path}`, people, others),
    );
  });
}

function warning(resources: Resources, href: string, people: readonly DueEnquiry[], suspects: number): Mail {
  const [first] = people;
  const many = people.length > 1;
  const lines = [...people]
    .sort((left, right) => left.due_at.getTime() - right.due_at.getTime())
    .slice(0, NAMED)
    .map(
      ({ id, name, enquiry_type: about, due_at: due }) => `${name}, ${about}: reply by ${inUtc(due)} (${id})`,
    );
  const rest = people.length - lines.length;
  return {
    to: resources.settings.CONTACT_EMAIL,
    purpose: 'service' as const,
    subject: many
      ? `${people.length} enquiries have waited ${WARNING_HOURS} hours for a reply`
      : `${first?.name} has waited ${WARNING_HOURS} hours for a reply`,
    ...mailBody(resources, [
      {
        kind: 'text',
        text: `The site promises a reply within ${REPLY_HOURS} hours. ${many ? 'These are' : 'This one is'} not marked as answered:`,
      },
      ...lines.map((text) => ({ kind: 'text' as const, text })),
      ...(rest > 0 ? [{ kind: 'text' as const, text: `And ${rest} more.` }] : []),
      ...(suspects > 0
        ? [{ kind: 'text' as const, text: `${suspects} more wait that may be advertising.` }]
        : []),
      { kind: 'button', label: 'Open the operator console', href },
    ]),
  };
}

const TIME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** `Mon 5 Jan, 10:00 UTC`: the reader's time zone is not known. */
const inUtc = (time: Date): string => `${TIME.format(time)} UTC`;
