import type { Queries } from '../../kernel/resources/database/database.ts';
import { isMailAddress, isMessageId } from '../../kernel/resources/mailer/mail-check.ts';
import { languageOfAddress, languageOfUser } from '../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { REFUSALS, type Refusal } from './inbox.contract.ts';
import type { ParsedMail } from './mail-parsing-process.server.ts';

/** Strangers get no answer, so these reasons stand only on the page. */
type Told = Exclude<Refusal, 'sender' | 'forged'>;
const TOLD = (Object.keys(REFUSALS) as Refusal[]).filter(
  (reason) => reason !== 'sender' && reason !== 'forged',
);
const LINES = Object.fromEntries(TOLD.map((reason) => [`line-${reason}`, []])) as unknown as Record<
  `line-${Told}`,
  readonly []
>;
const TEMPLATES = openTemplates('business/inbox/mails', {
  ...LINES,
  'mail-taken': ['subject', 'taken', 'name', 'reason'],
  'mail-refused': ['subject', 'name', 'reason', 'whole'],
} as const);

/** Senders that are programs: an answer would come back, or reach nobody. */
const PROGRAMS = /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+@-]|$)/i;

/** Whether a mail was written by a program or went to a list, so that nobody waits for an answer (RFC 3834 §2). */
export function isAutomatic({ headers, from }: Pick<ParsedMail, 'headers' | 'from'>): boolean {
  return (
    PROGRAMS.test(from[0] ?? '') ||
    headers.some(([name, value]) => {
      const word = value.trim().toLowerCase();
      switch (name) {
        case 'auto-submitted':
          return !/^no\b/.test(word);
        case 'precedence':
          return /^(?:bulk|junk|list|auto_reply)\b/.test(word);
        case 'return-path':
          return word === '<>';
        case 'list-id':
        case 'x-auto-response-suppress':
          return word !== '' && word !== 'none';
        default:
          return false;
      }
    })
  );
}

/**
 * Tells the sender of a mail what became of it, once and in the transaction that ends it. Programs and lists get no answer.
 */
export async function answerMail(
  resources: Resources,
  queries: Queries,
  { mailId, userId, mail }: { mailId: string; userId: string; mail: ParsedMail },
): Promise<void> {
  const sender = mail.from[0] ?? '';
  if (isAutomatic(mail) || !isMailAddress(sender)) return;
  const { subject, reason } = await queries.one(
    'select subject, reason from private.inbox_mails where id = $1',
    [mailId],
  );
  const documents = await queries.many(
    'select name, reason from private.inbox_documents where mail_id = $1 order by position',
    [mailId],
  );
  const language = await languageOfAddress(queries, sender, await languageOfUser(queries, userId));
  const said = (code: string): string => TEMPLATES.line(resources, language, `line-${code as Told}`, {});
  const taken = documents.filter((each) => each.reason === null).map(({ name }) => name);
  const refused = documents.filter((each) => each.reason !== null);
  const common = {
    subject: subject === '' ? '…' : subject,
    name: refused.map(({ name }) => name),
    reason: refused.map((each) => said(each.reason ?? 'failed')),
  };
  const whole = reason === null ? [] : [said(reason)];
  await resources.mailer.send(queries, {
    to: sender,
    purpose: 'service',
    ...(isMessageId(mail.messageId) ? { inReplyTo: mail.messageId } : {}),
    ...(taken.length > 0
      ? TEMPLATES.mail(resources, language, 'mail-taken', { ...common, taken })
      : TEMPLATES.mail(resources, language, 'mail-refused', { ...common, whole })),
  });
}
