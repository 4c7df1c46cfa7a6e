import { changedUnlessTaken } from '../../../kernel/resources/database/unique-violation.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { AuthOperation, Client } from '../auth-context.server.ts';
import { sendMail } from '../mails/mail-composition.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import type { Challenge } from '../request-input.server.ts';
import { saveChallenge } from '../tokens/code-exchange.server.ts';
import { verifyLink } from '../tokens/link-verification.server.ts';
import { type ConsumedToken, issueToken, type TokenType } from '../tokens/one-time-token.server.ts';
import { setEmailIdentity } from './user-creation.server.ts';
import { reloadUser, type UserRow } from './user-lookup.server.ts';

/** A request for another address. */
export interface EmailChange {
  readonly newEmail: string;
  readonly redirectTo: string;
  readonly challenge?: Challenge | undefined;
}

/**
 * Sends a link to the current and to the new address; both have to be used (docs/contracts/platform.md §6).
 */
export async function requestEmailChange(
  { context, queries, client }: AuthOperation<Client | undefined>,
  user: UserRow,
  change: EmailChange,
): Promise<void> {
  await queries.run(
    'update auth.users set email_change = $2, email_change_sent_at = now(), updated_at = now() where id = $1',
    [user.id, change.newEmail],
  );
  await queries.run(
    "delete from auth.one_time_tokens where user_id = $1 and token_type in ('email_change_current', 'email_change_new')",
    [user.id],
  );
  const sides: [type: TokenType, address: string | null][] = [
    ['email_change_new', change.newEmail],
    ['email_change_current', user.email],
  ];
  for (const [type, address] of sides) {
    if (address === null) continue;
    const flowStateId =
      change.challenge && (await saveChallenge(queries, user.id, 'email_change', change.challenge));
    const issued = await issueToken(context, queries, { userId: user.id, type, address, flowStateId });
    await sendMail(
      context,
      queries,
      { kind: 'email-change', to: address, reader: user },
      {
        href: verifyLink(context, issued.link, 'email_change', change.redirectTo),
        code: issued.code,
        newAddress: change.newEmail,
      },
    );
  }
  await writeAudit(queries, { action: 'user_email_change_requested', actorId: user.id, client });
}

/**
 * Records that one side has confirmed. Returns `waiting` while the other has not, `taken` when another
 * account has got the address in the meantime, else the user with the new address. In that last case the
 * tokens of the old address are deleted and the old address is informed (docs/security-attacks.md, attack
 * 14).
 */
export async function confirmNewEmail(
  { context, queries, client }: AuthOperation,
  user: UserRow,
  token: ConsumedToken,
): Promise<UserRow | 'waiting' | 'taken'> {
  const newEmail = user.email_change;
  // Things that belong to a proven address follow the account; the link that went there proves it now.
  if (token.token_type === 'email_change_current')
    await queries.run('update auth.users set email_proven_at = now() where id = $1', [user.id]);
  const other: TokenType =
    token.token_type === 'email_change_new' ? 'email_change_current' : 'email_change_new';
  const open = await queries.maybe(
    'select 1 from auth.one_time_tokens where user_id = $1 and token_type = $2',
    [user.id, other],
  );
  if (open !== undefined) return 'waiting';
  if (newEmail === null) return 'taken';
  const changed = await setEmail({ context, queries, client }, user, newEmail);
  if (changed === undefined) return 'taken';
  await queries.run('update auth.users set email_proven_at = now() where id = $1', [user.id]);
  return changed;
}

/**
 * Gives an account an address that is proven to be its owner's; an anonymous account becomes a permanent one.
 * Undefined when another account has got the address in the meantime.
 * @trigger auth.users email_changed
 * @trigger auth.users keep_bookings_of_account
 * @trigger auth.users keep_enquiries_of_account
 * @trigger auth.users keep_campaign_places_of_account
 */
export async function setEmail(
  { context, queries, client }: AuthOperation,
  user: UserRow,
  newEmail: string,
): Promise<UserRow | undefined> {
  const changed = await changedUnlessTaken(queries, () =>
    queries.run(
      `update auth.users set email = $2, email_change = null, email_change_sent_at = null,
         email_confirmed_at = now(), is_anonymous = false, updated_at = now() where id = $1`,
      [user.id, newEmail],
    ),
  );
  if (!changed) return undefined;
  await setEmailIdentity(queries, user.id, newEmail, true);
  await queries.run('delete from auth.one_time_tokens where user_id = $1', [user.id]);
  await writeAudit(queries, {
    action: 'user_modified',
    actorId: user.id,
    client,
    payload: { fields: ['email'] },
  });
  await notifyOwner(context, queries, user, { kind: 'email-changed', variables: { newAddress: newEmail } });
  // The first address of an account that had none.
  if (user.email === null)
    await context.onConfirmed(queries, { id: user.id, email: newEmail }, client.address);
  return reloadUser(queries, user.id);
}
