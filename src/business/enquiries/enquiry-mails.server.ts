import type { Settings } from '../../kernel/config/settings.ts';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { MESSAGES } from '../../kernel/contract/messages.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import { languageOfAddress } from '../../kernel/resources/mailer/mail-language.ts';
import type { Mail } from '../../kernel/resources/mailer/mail-queue.ts';
import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';
import type { Agency, Resources } from '../../kernel/resources/resources.ts';
import { isSerious } from './enquiry-suspicion.server.ts';

/**
 * An enquiry as it is stored, and as the webhook's `enquiry_data` contains it (docs/specification/site.md
 * §3).
 */
export interface Enquiry {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly company_name: string | null;
  readonly website: string | null;
  readonly enquiry_type: string;
  readonly additional_notes: string | null;
  readonly course_description: string | null;
  readonly user_id: string | null;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** The body of the enquiry webhook (docs/specification/site.md §7). */
export interface EnquiryWebhook {
  readonly type: 'enquiry_email' | 'course_inquiry_email';
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly html_body: string;
  readonly enquiry_data: Record<string, string | null>;
}

const LABELS: readonly [keyof Enquiry, string][] = [
  ['name', 'Name'],
  ['email', 'Email'],
  ['phone', 'Phone'],
  ['company_name', 'Company'],
  ['website', 'Website'],
  ['enquiry_type', 'Service'],
  ['additional_notes', 'Notes'],
  ['course_description', 'Course'],
  ['id', 'Reference'],
];

const MAILS = openTemplates('business/enquiries/mails', {
  'enquiry-received': ['id', 'unsubscribe'],
  'course-inquiry-received': ['id', 'unsubscribe'],
  'enquiry-reply': ['id', 'words', 'asked'],
  'course-inquiry-reply': ['id', 'words', 'asked'],
} as const);

const kindOf = (id: string): 'enquiry' | 'course-inquiry' =>
  id.startsWith('COURSE-') ? 'course-inquiry' : 'enquiry';
const isCourse = ({ id }: Enquiry): boolean => kindOf(id) === 'course-inquiry';

function subjectOf(enquiry: Enquiry, suspect: boolean): string {
  const about = isCourse(enquiry) ? 'Course inquiry' : `Enquiry: ${enquiry.enquiry_type}`;
  return `${suspect ? '[Suspect] ' : ''}${about} from ${enquiry.name}`;
}

/** The mail to the agency; a reply to it goes to the visitor. */
export function mailToAgency(
  agency: Agency,
  enquiry: Enquiry,
  reasons: readonly string[],
  refused = false,
): Mail {
  const rows = LABELS.map(([field, label]) => [label, enquiry[field]] as const).filter(([, value]) => value);
  // A slow device that could not finish its proof in time is no suspicion.
  const suspect = isSerious(reasons);
  const why = suspect ? [`May be advertising: ${reasons.join(', ')}.`] : [];
  const failed = isCourse(enquiry) ? MESSAGES.enquiry.courseMailFailed : MESSAGES.enquiry.mailFailed;
  const note = refused ? [`${failed}: your automation refused it, so it comes as this mail.`] : [];
  return {
    to: agency.settings.CONTACT_EMAIL,
    ...(enquiry.email === '' ? {} : { replyTo: enquiry.email }),
    purpose: 'service',
    subject: subjectOf(enquiry, suspect),
    ...mailBody(
      agency,
      [...note, ...why, ...rows.map(([label, value]) => `${label}: ${value}`)].map((text) => ({
        kind: 'text',
        text,
      })),
    ),
  };
}

/**
 * The acknowledgement to the visitor. It repeats none of their words, so that nobody can send advertising
 * with it. Another person may have typed the address, so its owner can stop these mails (RFC 8058).
 */
export async function mailToVisitor(
  resources: Pick<Resources, 'settings' | 'site' | 'siteUrl' | 'mailer'>,
  queries: Queries,
  { id, email }: Enquiry,
): Promise<Mail> {
  const language = await languageOfAddress(queries, email);
  const unsubscribe = resources.mailer.unsubscribeLink(email);
  return {
    to: email,
    replyTo: resources.settings.CONTACT_EMAIL,
    purpose: 'optional',
    ...MAILS.mail(resources, language, `${kindOf(id)}-received`, { id, unsubscribe }),
  };
}

/** What a person of the agency answers to an enquiry. */
interface EnquiryReply {
  readonly id: string;
  readonly email: string;
  readonly body: string;
  /** The visitor's own text; null if they wrote none. */
  readonly asked: string | null;
}

const paragraphs = (text: string): string[] => text.split(/\n\s*\n/).filter((part) => part.trim() !== '');

/** A reply that an operator wrote at the console, as a mail; a reply to it goes to the agency. */
export async function replyToVisitor(
  resources: Pick<Resources, 'settings' | 'site' | 'siteUrl'>,
  queries: Queries,
  { id, email, body, asked }: EnquiryReply,
): Promise<Mail> {
  const words = paragraphs(body);
  return {
    to: email,
    replyTo: resources.settings.CONTACT_EMAIL,
    purpose: 'service',
    ...MAILS.mail(resources, await languageOfAddress(queries, email), `${kindOf(id)}-reply`, {
      id,
      words,
      asked: asked === null ? [] : [asked.trim()],
    }),
  };
}

/** The specified webhook body. The visitor's words are escaped in `html_body`. */
export function webhookBody(settings: Settings, enquiry: Enquiry, suspect: boolean): EnquiryWebhook {
  const rows = LABELS.filter(([field]) => enquiry[field] !== null).map(
    ([field, label]) =>
      `<tr><th align="left">${label}</th><td>${escapeHtml(String(enquiry[field])).replaceAll('\n', '<br>')}</td></tr>`,
  );
  const { course_description, additional_notes, phone, ...common } = enquiry;
  return {
    type: isCourse(enquiry) ? 'course_inquiry_email' : 'enquiry_email',
    to: settings.CONTACT_EMAIL,
    from: settings.MAIL_FROM || `${settings.BRAND} <${settings.CONTACT_EMAIL}>`,
    subject: subjectOf(enquiry, suspect),
    html_body: `<table cellpadding="4">${rows.join('')}</table>`,
    enquiry_data: isCourse(enquiry)
      ? { ...common, course_description }
      : { ...common, phone, additional_notes },
  };
}
