import type { Queries } from '../../../kernel/resources/database/database.ts';
import { mailBody } from '../../../kernel/resources/mailer/mail-body.ts';
import type { AuthContext } from '../auth-context.server.ts';
import {
  fillTemplate,
  languageFor,
  type Message,
  type MessageVariables,
  type Reader,
} from './mail-templates.server.ts';

export type MailKind = Exclude<Message, `sms-${string}`>;
type SmsKind = Extract<Message, `sms-${string}`>;

/** Nobody is locked out without these, and anybody can cause them who types an address. */
const SERVICE_MAILS: ReadonlySet<MailKind> = new Set(['welcome', 'already-registered']);

/** Puts a mail of the folder `mails/` into the outbox, in the language of its reader. */
export async function sendMail<Kind extends MailKind>(
  { resources }: AuthContext,
  queries: Queries,
  mail: { kind: Kind; to: string; reader: Reader | undefined },
  variables: MessageVariables<Kind>,
): Promise<void> {
  const { BRAND: brand } = resources.settings;
  const language = languageFor(mail.reader);
  const common = { brand, siteUrl: resources.siteUrl };
  const { subject, parts } = fillTemplate(mail.kind, language, { ...variables, ...common });
  await resources.mailer.send(queries, {
    to: mail.to,
    subject: headerText(subject),
    purpose: SERVICE_MAILS.has(mail.kind) ? 'service' : 'account',
    ...mailBody(brand, parts, language),
  });
}

/** What a mail of the folder `mails/` is about, in one line. */
export function mailSubject<Kind extends MailKind>(
  { resources }: AuthContext,
  kind: Kind,
  reader: Reader,
  variables: MessageVariables<Kind>,
): string {
  const common = { brand: resources.settings.BRAND, siteUrl: resources.siteUrl };
  return headerText(fillTemplate(kind, languageFor(reader), { ...variables, ...common }).subject);
}

/** A text message of the folder `mails/`, in the language of its reader. */
export function smsText<Kind extends SmsKind>(
  { resources }: AuthContext,
  kind: Kind,
  reader: Reader | undefined,
  variables: MessageVariables<Kind>,
): string {
  const common = { brand: resources.settings.BRAND, siteUrl: resources.siteUrl };
  const { parts } = fillTemplate(kind, languageFor(reader), { ...variables, ...common });
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ');
}

/** A brand comes from the settings; whatever it holds, a subject stays one line. */
function headerText(subject: string): string {
  return subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 200);
}
