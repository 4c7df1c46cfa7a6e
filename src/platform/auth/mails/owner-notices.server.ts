import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { AuthContext } from '../auth-context.server.ts';
import type { SmsToSend } from '../phones/sms-code.server.ts';
import { limitNotice } from '../request-limits.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import { type MailKind, mailSubject, sendMail, smsText } from './mail-composition.server.ts';
import type { MessageVariables } from './mail-templates.server.ts';

const JOB = 'auth.notice';
const POLICY = { retries: 6, retryDelaySeconds: 15, timeoutSeconds: 60, concurrency: 2 };

/** Declares the job that sends notices by text message; before `jobs.start`. */
export function defineNoticeJob({ resources }: AuthContext): void {
  resources.jobs.define<SmsToSend>(JOB, POLICY, async ({ data }) => {
    await resources.sms.send(data);
  });
}

/**
 * Informs the owner of an account about a change of how to sign in, in the transaction of the change: by
 * mail, or by text message when the account has a confirmed number and no address. An account with neither
 * gets no notice. Pass `user` as it was before the change, so that the notice goes to the former address or
 * number.
 */
export async function notifyOwner<Kind extends MailKind>(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  { kind, variables }: { readonly kind: Kind; readonly variables: MessageVariables<Kind> },
): Promise<void> {
  if (user.email !== null) {
    await sendMail(context, queries, { kind, to: user.email, reader: user }, variables);
    return;
  }
  const { jobs, settings } = context.resources;
  const { phone, phone_confirmed_at: confirmedAt } = user;
  if (phone === null || confirmedAt === null || !settings.AUTH_PHONE) return;
  if (await isTooOften(context, queries, phone)) return;
  const what = mailSubject(context, kind, user, variables);
  const message: SmsToSend = {
    to: phone,
    channel: 'sms',
    text: smsText(context, 'sms-notice', user, { what }),
  };
  await jobs.add(queries, JOB, message);
}

/** Each message costs money, and ten in an hour are enough to inform the owner. */
async function isTooOften(context: AuthContext, queries: Queries, phone: string): Promise<boolean> {
  try {
    await limitNotice(context, queries, phone);
    return false;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 429) throw error;
    context.resources.log.warn(
      'a notice about an account was left out: its number was told ten times in an hour',
    );
    return true;
  }
}
