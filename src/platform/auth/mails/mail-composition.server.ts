import type { Queries } from '../../../kernel/resources/database/database.ts';
import { languageFor, type Reader } from '../../../kernel/resources/mailer/mail-language.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { AUTH_MAILS, type Message, type MessageVariables } from './mail-templates.server.ts';

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
  await resources.mailer.send(queries, {
    to: mail.to,
    purpose: SERVICE_MAILS.has(mail.kind) ? 'service' : 'account',
    ...AUTH_MAILS.mail(resources, languageFor(mail.reader), mail.kind, variables),
  });
}

/** What a mail of the folder `mails/` is about, in one line. */
export function mailSubject<Kind extends MailKind>(
  { resources }: AuthContext,
  kind: Kind,
  reader: Reader,
  variables: MessageVariables<Kind>,
): string {
  return AUTH_MAILS.notice(resources, languageFor(reader), kind, variables).title;
}

/** A text message of the folder `mails/`, in the language of its reader. */
export function smsText<Kind extends SmsKind>(
  { resources }: AuthContext,
  kind: Kind,
  reader: Reader | undefined,
  variables: MessageVariables<Kind>,
): string {
  return AUTH_MAILS.line(resources, languageFor(reader), kind, variables);
}
