import { ServiceError } from '../../contract/service-error.ts';
import { type Queries, sqlState } from '../../resources/database/database.ts';
import type { SmsChannel } from '../../resources/sms/sms.ts';
import type { AuthContext, Client } from './auth-context.server.ts';
import { setPhoneIdentity } from './create-user.server.ts';
import { reloadUser, type UserRow } from './find-user.server.ts';
import { notifyOwner } from './notify-owner.server.ts';
import { composeCode, type SmsToSend } from './send-sms-code.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** 422: the number belongs to another account. */
export function phoneExists(): ServiceError {
  return new ServiceError(422, 'phone_exists', 'A user with this phone number has already been registered');
}

/** Notes the wish for another number; the message with its code is to be sent after the commit. */
export async function askForNewPhone(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  change: { newPhone: string; channel: SmsChannel },
  client: Client | undefined,
): Promise<SmsToSend> {
  await queries.run(
    'update auth.users set phone_change = $2, phone_change_sent_at = now(), updated_at = now() where id = $1',
    [user.id, change.newPhone],
  );
  await writeAudit(queries, 'user_phone_change_requested', user.id, client);
  return composeCode(context, queries, {
    user,
    type: 'phone_change',
    phone: change.newPhone,
    channel: change.channel,
  });
}

/**
 * Gives an account a number that is known to be its owner's; an anonymous account becomes a
 * permanent one. Undefined when the number went to another account meanwhile.
 */
export async function setPhone(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  phone: string,
  client: Client,
): Promise<UserRow | undefined> {
  await queries.run('savepoint phone_change');
  try {
    await queries.run(
      `update auth.users set phone = $2, phone_change = null, phone_change_sent_at = null,
         phone_confirmed_at = now(), is_anonymous = false, updated_at = now() where id = $1`,
      [user.id, phone],
    );
  } catch (error) {
    if (sqlState(error)?.code !== '23505') throw error;
    await queries.run('rollback to savepoint phone_change');
    return undefined;
  }
  await setPhoneIdentity(queries, user.id, phone, true);
  // Codes that went to the number before count no more.
  await queries.run(
    `delete from auth.one_time_tokens where user_id = $1 and token_type in ('phone_confirmation', 'phone_login', 'phone_change')`,
    [user.id],
  );
  await writeAudit(queries, 'user_modified', user.id, client, { fields: ['phone'] });
  if (!user.is_anonymous)
    await notifyOwner(context, queries, user, 'phone-changed', { newPhone: `+${phone}` });
  return reloadUser(queries, user.id);
}
