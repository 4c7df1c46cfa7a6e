import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { SmsChannel } from '../../../kernel/resources/sms/sms.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { smsText } from '../mails/mail-composition.server.ts';
import { limitSms } from '../request-limits.server.ts';
import { fakeUserResponse } from '../users/fake-user-response.server.ts';
import { signUpAtOnce } from '../users/sign-up-autoconfirm.server.ts';
import { createUser, type NewAccount, replaceUnconfirmed } from '../users/user-creation.server.ts';
import { findUserByPhone, type UserRow } from '../users/user-lookup.server.ts';
import { userBody } from '../users/user-view.server.ts';
import { composeCode, type SmsToSend, sendSms } from './sms-code.server.ts';

/**
 * `POST /signup` with a phone number and a password (docs/contracts/platform.md §2): a session when accounts
 * confirm themselves, else the user object and a code by text message. The owner of a taken number gets a
 * message as well, so that the reply and its timing reveal nothing.
 *
 * @throws ServiceError 422 `user_already_exists`, `sms_send_failed`; 429 `over_sms_send_rate_limit`
 */
export async function signUpByPhone(
  context: AuthContext,
  request: FastifyRequest,
  account: NewAccount & { readonly phone: string },
  channel: SmsChannel,
) {
  if (context.resources.settings.AUTH_AUTOCONFIRM)
    return signUpAtOnce(context, request, 'phone', (queries) => createOrReplace(queries, account, true));
  await limitSms(context, request, account.phone);
  const client = clientOf(context, request);
  const { user, message } = await context.resources.database.transaction(async (queries) => {
    const made = await createOrReplace(queries, account, false);
    const action = made === undefined ? 'user_repeated_signup' : 'user_signedup';
    await writeAudit(queries, { action, actorId: made?.id ?? null, client, payload: { provider: 'phone' } });
    const text: SmsToSend =
      made === undefined
        ? {
            to: account.phone,
            channel,
            text: smsText(
              context,
              'sms-already-registered',
              await findUserByPhone(queries, account.phone),
              {},
            ),
          }
        : await composeCode(context, queries, {
            user: made,
            type: 'phone_confirmation',
            phone: account.phone,
            channel,
          });
    return { user: made, message: text };
  });
  await sendSms(context, message);
  return userBody(user ?? fakeUserResponse(randomUUID(), account));
}

async function createOrReplace(
  queries: Queries,
  account: NewAccount & { readonly phone: string },
  confirmed: boolean,
): Promise<UserRow | undefined> {
  const created = await createUser(queries, account, confirmed);
  if (created !== undefined) return created;
  const owner = await findUserByPhone(queries, account.phone);
  // An account with a confirmed number or with an address keeps its number.
  if (owner === undefined || owner.phone_confirmed_at !== null || owner.email !== null) return undefined;
  return replaceUnconfirmed(queries, owner.id, account, confirmed);
}
