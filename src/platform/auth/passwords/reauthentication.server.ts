import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { sendMail } from '../mails/mail-composition.server.ts';
import { composeCode, sendSms } from '../phones/sms-code.server.ts';
import { limitAddress, limitMail, limitSms } from '../request-limits.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import { issueToken } from '../tokens/one-time-token.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';

/**
 * `GET /reauthenticate`: sends a code that `PUT /user` accepts as `nonce` in place of the current password,
 * by mail, or by text message to an account without an address.
 *
 * @throws ServiceError 400 `validation_failed` without either; 422 `email_not_confirmed`,
 * `phone_not_confirmed`, `sms_send_failed`; 429 `over_email_send_rate_limit`, `over_sms_send_rate_limit`
 */
export async function reauthenticate(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'reauthenticate');
  const { user } = await requireSession(context, request);
  const { email } = user;
  if (email === null && user.phone !== null) return reauthenticateByPhone(context, request, user, user.phone);
  if (email === null) {
    throw invalidInput('Reauthentication requires the user to have an email or a phone number');
  }
  if (user.email_confirmed_at === null) {
    throw new ServiceError(422, 'email_not_confirmed', 'Please verify your email first.');
  }
  await limitMail(context, email);
  const { database } = context.resources;
  await database.transaction(async (queries) => {
    const { code } = await issueToken(context, queries, {
      userId: user.id,
      type: 'reauthentication',
      address: email,
    });
    await sendMail(context, queries, { kind: 'reauthentication', to: email, reader: user }, { code });
    await queries.run('update auth.users set reauthentication_sent_at = now() where id = $1', [user.id]);
    await writeAudit(queries, {
      action: 'user_reauthenticate_requested',
      actorId: user.id,
      client: clientOf(context, request),
    });
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
  await limitSms(context, request, phone);
  const message = await context.resources.database.transaction(async (queries) => {
    await queries.run('update auth.users set reauthentication_sent_at = now() where id = $1', [user.id]);
    await writeAudit(queries, {
      action: 'user_reauthenticate_requested',
      actorId: user.id,
      client: clientOf(context, request),
    });
    const token = { user, type: 'reauthentication', phone, channel: 'sms' } as const;
    return composeCode(context, queries, token);
  });
  await sendSms(context, message);
  return {};
}
