import type { Queries } from '../../../kernel/resources/database/database.ts';
import { languageFor, type Reader } from '../../../kernel/resources/mailer/mail-language.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { AUTH_MAILS, type Message, type MessageVariables } from './mail-templates.server.ts';

export type MailKind = Exclude<Message, `sms-${string}`>;
type SmsKind = Extract<Message, `sms-${string}`>;

/** Mails that lock nobody out when they are held back, and that anybody can cause by typing an address. */
const SERVICE_MAILS: ReadonlySet<MailKind> = new Set(['welcome', 'already-registered']);

/** Puts a mail of the folder `mails/` into the outbox, in its reader's language. */
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

/** The subject of a mail of the folder `mails/`. */
export function mailSubject<Kind extends MailKind>(
  { resources }: AuthContext,
  kind: Kind,
  reader: Reader,
  variables: MessageVariables<Kind>,
): string {
  return AUTH_MAILS.notice(resources, languageFor(reader), kind, variables).title;
}

/** The text of a text message of the folder `mails/`, in its reader's language. */
export function smsText<Kind extends SmsKind>(
  { resources }: AuthContext,
  kind: Kind,
  reader: Reader | undefined,
  variables: MessageVariables<Kind>,
): string {
  return AUTH_MAILS.line(resources, languageFor(reader), kind, variables);
}
