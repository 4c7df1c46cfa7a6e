import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { sendMail } from './compose-mail.server.ts';
import type { UserRow } from './find-user.server.ts';
import { limitAddress, limitMail, limitSms } from './limit-requests.server.ts';
import { issueToken } from './one-time-token.server.ts';
import { requireSession } from './require-session.server.ts';
import { composeCode, sendSms } from './send-sms-code.server.ts';
import { writeAudit } from './write-audit.server.ts';

/**
 * `GET /reauthenticate`: mails a code, or sends it to the phone of an account without an address, that `PUT /user` takes as `nonce` in place of the
 * current password.
 *
 * @throws ServiceError 422 `email_not_confirmed`, `phone_not_confirmed`, `sms_send_failed`;
 * 429 `over_email_send_rate_limit`, `over_sms_send_rate_limit`
 */
export async function reauthenticate(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'reauthenticate');
  const { user } = await requireSession(context, request);
  const { email } = user;
  if (email === null && user.phone !== null) return reauthenticateByPhone(context, request, user, user.phone);
  if (email === null || user.email_confirmed_at === null) {
    throw new ServiceError(422, 'email_not_confirmed', 'Please verify your email first.');
  }
  limitMail(context, email);
  const { database } = context.resources;
  await database.transaction(async (queries) => {
    const { code } = await issueToken(context, queries, {
      userId: user.id,
      type: 'reauthentication',
      address: email,
    });
    await sendMail(context, queries, { kind: 'reauthentication', to: email, reader: user }, { code });
    await queries.run('update auth.users set reauthentication_sent_at = now() where id = $1', [user.id]);
    await writeAudit(queries, 'user_reauthenticate_requested', user.id, clientOf(context, request));
  });
  return {};
}

async function reauthenticateByPhone(
  context: AuthContext,
  request: FastifyRequest,
  user: UserRow,
  phone: string,
) {
  if (user.phone_confirmed_at === null) {
    throw new ServiceError(422, 'phone_not_confirmed', 'Please verify your phone first.');
  }
  limitSms(context, request, phone);
  const message = await context.resources.database.transaction(async (queries) => {
    await queries.run('update auth.users set reauthentication_sent_at = now() where id = $1', [user.id]);
    await writeAudit(queries, 'user_reauthenticate_requested', user.id, clientOf(context, request));
    const token = { user, type: 'reauthentication', phone, channel: 'sms' } as const;
    return composeCode(context, queries, token);
  });
  await sendSms(context, message);
  return {};
}
