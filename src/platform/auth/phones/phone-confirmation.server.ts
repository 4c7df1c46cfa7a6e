import { writeAudit } from '../audit-log.server.ts';
import type { AuthOperation } from '../auth-context.server.ts';
import { tokenExpired } from '../auth-error.server.ts';
import type { ConsumedToken, TokenType } from '../tokens/one-time-token.server.ts';
import type { Verified } from '../tokens/token-verification.server.ts';
import { setPhoneIdentity } from '../users/user-creation.server.ts';
import { reloadUser, type UserRow } from '../users/user-lookup.server.ts';
import { setPhone } from './phone-change.server.ts';

/** Which tokens each `type` of the wire may use up, when a number comes with it. */
const PHONE_TOKENS: Record<string, readonly TokenType[]> = {
  sms: ['phone_confirmation', 'phone_login'],
  phone_change: ['phone_change'],
};

/** The tokens of a `type` that belongs to a number, or undefined for another one. */
export function phoneTokenTypesOf(type: string): readonly TokenType[] | undefined {
  return Object.hasOwn(PHONE_TOKENS, type) ? PHONE_TOKENS[type] : undefined;
}

/** Whether a token came by text message. */
export function isPhoneToken({ token_type: type }: ConsumedToken): boolean {
  return type === 'phone_confirmation' || type === 'phone_login' || type === 'phone_change';
}

/** Does what the code of a text message stands for, in the transaction that used it up. */
export async function applyPhoneToken(
  { context, queries, client }: AuthOperation,
  user: UserRow,
  token: ConsumedToken,
): Promise<Verified> {
  const refused: Verified = { kind: 'refused', error: tokenExpired() };
  if (token.token_type === 'phone_change') {
    if (user.phone_change !== token.relates_to) return refused;
    const changed = await setPhone({ context, queries, client }, user, token.relates_to);
    return changed === undefined ? refused : { kind: 'user', user: changed, method: 'otp', token };
  }
  // A code for a number that the account has left counts no more.
  if (user.phone !== token.relates_to) return refused;
  if (user.phone_confirmed_at !== null) return { kind: 'user', user, method: 'otp', token };
  // Who proves the number by another way than the sign-up's own code did not choose its password (decision 0013).
  const keepPassword = token.token_type === 'phone_confirmation' || user.email_confirmed_at !== null;
  await queries.run(
    `update auth.users set phone_confirmed_at = now(), updated_at = now(),
       encrypted_password = case when $2 then encrypted_password end where id = $1`,
    [user.id, keepPassword],
  );
  await setPhoneIdentity(queries, user.id, token.relates_to, true);
  await writeAudit(queries, {
    action: 'user_signedup',
    actorId: user.id,
    client,
    payload: { confirmed: true },
  });
  return { kind: 'user', user: await reloadUser(queries, user.id), method: 'otp', token };
}
