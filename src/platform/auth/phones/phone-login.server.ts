import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { type BODIES, languageOf, readPhone } from '../request-input.server.ts';
import { limitSms } from '../request-limits.server.ts';
import { refuseUnknown } from '../users/one-time-code-refusal.server.ts';
import { createUser, type NewAccount } from '../users/user-creation.server.ts';
import { findUser, findUserByPhone, type UserRow } from '../users/user-lookup.server.ts';
import { requestPhoneChange } from './phone-change.server.ts';
import {
  composeCode,
  readChannel,
  requirePhoneProvider,
  type SmsToSend,
  sendSms,
} from './sms-code.server.ts';

type AddressBody = z.output<typeof BODIES.address>;

/**
 * `POST /otp` with a number: sends a code that signs in and replies `{message_id}`. Without `create_user` the
 * message is sent after the reply, so that neither reveals whether the number has an account.
 *
 * @throws ServiceError 400 `phone_provider_disabled`, `validation_failed`; 422 `sms_send_failed`,
 * `otp_disabled`; 429 `over_sms_send_rate_limit`
 */
export async function sendPhoneLogin(context: AuthContext, request: FastifyRequest, body: AddressBody) {
  requirePhoneProvider(context);
  const phone = readPhone(body.phone ?? '');
  const channel = readChannel(body.channel);
  await limitSms(context, request, phone);
  const mayCreate = (body.create_user ?? true) && context.resources.settings.AUTH_SIGNUP;
  const account: NewAccount | undefined = mayCreate
    ? { email: null, phone, metadata: body.data ?? {}, passwordHash: null, locale: languageOf(request) }
    : undefined;
  if (!mayCreate) await refuseUnknown(context, () => findUserByPhone(context.resources.database, phone));
  const send = async (): Promise<string | undefined> => {
    const message = await context.resources.database.transaction(async (queries) => {
      const user = await ownerOf(queries, phone, account);
      if (user === undefined) return undefined;
      await queries.run('update auth.users set recovery_sent_at = now() where id = $1', [user.id]);
      await writeAudit(queries, { action: 'user_recovery_requested', actorId: user.id, client: undefined });
      return composeCode(context, queries, { user, type: 'phone_login', phone, channel });
    });
    return message && sendSms(context, message);
  };
  if (account !== undefined) return { message_id: await send() };
  sendLater(context, send);
  return { message_id: randomUUID() };
}

async function ownerOf(
  queries: Queries,
  phone: string,
  account: NewAccount | undefined,
): Promise<UserRow | undefined> {
  const known = await findUserByPhone(queries, phone);
  if (known !== undefined || account === undefined) return known;
  return (await createUser(queries, account, false)) ?? findUserByPhone(queries, phone);
}

/**
 * `POST /resend` of type `sms` or `phone_change`: sends a new code that replaces the former one. Always
 * replies `{message_id}`, even when there is nothing to send.
 *
 * @throws ServiceError 400 `validation_failed`, `phone_provider_disabled`; 429 `over_sms_send_rate_limit`
 */
export async function resendSms(context: AuthContext, request: FastifyRequest, body: AddressBody) {
  requirePhoneProvider(context);
  if (!body.phone) throw invalidInput('Type provided requires a phone number');
  const phone = readPhone(body.phone);
  const channel = readChannel(body.channel);
  await limitSms(context, request, phone);
  sendLater(context, async () => {
    const message = await context.resources.database.transaction(
      async (queries): Promise<SmsToSend | undefined> => {
        if (body.type === 'phone_change') {
          const row = await queries.maybe(
            'select id from auth.users where phone_change = $1 and deleted_at is null order by phone_change_sent_at desc limit 1',
            [phone],
          );
          const user = row && (await findUser(queries, row.id));
          return (
            user &&
            requestPhoneChange({ context, queries, client: undefined }, user, { newPhone: phone, channel })
          );
        }
        const user = await findUserByPhone(queries, phone);
        if (user === undefined || user.phone_confirmed_at !== null) return undefined;
        return composeCode(context, queries, { user, type: 'phone_confirmation', phone, channel });
      },
    );
    if (message !== undefined) await sendSms(context, message);
  });
  return { message_id: randomUUID() };
}

/**
 * Starts work that the reply does not wait for. A process that stops before it is done loses a message, which
 * people can request again.
 */
function sendLater({ resources }: AuthContext, work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch((error) => resources.log.warn({ err: error }, 'a text message was not sent'));
  });
}
