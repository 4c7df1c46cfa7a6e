import { writeAudit } from '../audit-log.server.ts';
import type { AuthOperation } from '../auth-context.server.ts';
import { tokenExpired } from '../auth-error.server.ts';
import type { ConsumedToken, TokenType } from '../tokens/one-time-token.server.ts';
import type { Verified } from '../tokens/token-verification.server.ts';
import { setPhoneIdentity } from '../users/user-creation.server.ts';
import { reloadUser, type UserRow } from '../users/user-lookup.server.ts';
import { setPhone } from './phone-change.server.ts';

/** The tokens that each `type` in a request may use up when it names a phone number. */
const PHONE_TOKENS: Record<string, readonly TokenType[]> = {
  sms: ['phone_confirmation', 'phone_login'],
  phone_change: ['phone_change'],
};

/** The tokens of a `type` that concerns a number, or undefined for another type. */
export function phoneTokenTypesOf(type: string): readonly TokenType[] | undefined {
  return Object.hasOwn(PHONE_TOKENS, type) ? PHONE_TOKENS[type] : undefined;
}

/** Whether a token came by text message. */
export function isPhoneToken({ token_type: type }: ConsumedToken): boolean {
  return type === 'phone_confirmation' || type === 'phone_login' || type === 'phone_change';
}

/** Carries out what the code of a text message confirms, in the transaction that used it up. */
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
  // A code for a former number of the account is no longer valid.
  if (user.phone !== token.relates_to) return refused;
  if (user.phone_confirmed_at !== null) return { kind: 'user', user, method: 'otp', token };
  // The password stays only when its chooser has proven the number: by the sign-up's own code, or because the
  // address was confirmed (decision 0013).
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
