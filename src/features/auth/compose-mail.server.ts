import type { Queries } from '../../resources/database/database.ts';
import { mailBody } from '../../resources/mailer/mail-body.ts';
import type { AuthContext } from './auth-context.server.ts';
import {
  fillTemplate,
  languageFor,
  type Message,
  type MessageVariables,
  type Reader,
} from './mail-templates.server.ts';

type MailKind = Exclude<Message, `sms-${string}`>;
type SmsKind = Extract<Message, `sms-${string}`>;

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
    ...mailBody(brand, parts, language),
  });
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

/** Tells the owner of an account about a change of how to sign in; nobody to tell without an address. */
export async function notifyOwner<Kind extends MailKind>(
  context: AuthContext,
  queries: Queries,
  user: Reader & { readonly email: string | null },
  kind: Kind,
  variables: MessageVariables<Kind>,
): Promise<void> {
  if (user.email !== null)
    await sendMail(context, queries, { kind, to: user.email, reader: user }, variables);
}
