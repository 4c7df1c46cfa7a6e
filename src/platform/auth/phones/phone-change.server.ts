import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { changedUnlessTaken } from '../../../kernel/resources/database/unique-violation.ts';
import type { SmsChannel } from '../../../kernel/resources/sms/sms.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { AuthOperation, Client } from '../auth-context.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { setPhoneIdentity } from '../users/user-creation.server.ts';
import { reloadUser, type UserRow } from '../users/user-lookup.server.ts';
import { composeCode, type SmsToSend } from './sms-code.server.ts';

/** 422: the number belongs to another account. */
export function phoneExists(): ServiceError {
  return new ServiceError(422, 'phone_exists', 'A user with this phone number has already been registered');
}

/** Records the request for another number; send the message with its code after the commit. */
export async function requestPhoneChange(
  { context, queries, client }: AuthOperation<Client | undefined>,
  user: UserRow,
  change: { newPhone: string; channel: SmsChannel },
): Promise<SmsToSend> {
  await queries.run(
    'update auth.users set phone_change = $2, phone_change_sent_at = now(), updated_at = now() where id = $1',
    [user.id, change.newPhone],
  );
  await writeAudit(queries, { action: 'user_phone_change_requested', actorId: user.id, client });
  return composeCode(context, queries, {
    user,
    type: 'phone_change',
    phone: change.newPhone,
    channel: change.channel,
  });
}

/**
 * Gives an account a number that is proven to be its owner's; an anonymous account becomes a permanent one.
 * Undefined when another account has got the number in the meantime.
 */
export async function setPhone(
  { context, queries, client }: AuthOperation,
  user: UserRow,
  phone: string,
): Promise<UserRow | undefined> {
  const changed = await changedUnlessTaken(queries, () =>
    queries.run(
      `update auth.users set phone = $2, phone_change = null, phone_change_sent_at = null,
         phone_confirmed_at = now(), is_anonymous = false, updated_at = now() where id = $1`,
      [user.id, phone],
    ),
  );
  if (!changed) return undefined;
  await setPhoneIdentity(queries, user.id, phone, true);
  // Codes that were sent to the former number are no longer valid.
  await queries.run(
    `delete from auth.one_time_tokens where user_id = $1 and token_type in ('phone_confirmation', 'phone_login', 'phone_change')`,
    [user.id],
  );
  await writeAudit(queries, {
    action: 'user_modified',
    actorId: user.id,
    client,
    payload: { fields: ['phone'] },
  });
  if (!user.is_anonymous)
    await notifyOwner(context, queries, user, {
      kind: 'phone-changed',
      variables: { newPhone: `+${phone}` },
    });
  return reloadUser(queries, user.id);
}
