import { type Queries, sqlState } from '../../resources/database/database.ts';
import type { AuthContext, Client } from './auth-context.server.ts';
import { sendMail } from './compose-mail.server.ts';
import { setEmailIdentity } from './create-user.server.ts';
import { keepChallenge } from './exchange-code.server.ts';
import { reloadUser, type UserRow } from './find-user.server.ts';
import { verifyLink } from './mail-link.server.ts';
import { notifyOwner } from './notify-owner.server.ts';
import { issueToken, type TakenToken, type TokenType } from './one-time-token.server.ts';
import type { Challenge } from './read-input.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** A wish for another address. */
export interface EmailChange {
  readonly newEmail: string;
  readonly redirectTo: string;
  readonly challenge?: Challenge | undefined;
}

/** Sends a link to the present and to the new address; both have to be used (contract §6). */
export async function askForNewEmail(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  change: EmailChange,
  client: Client | undefined,
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
      change.challenge && (await keepChallenge(queries, user.id, 'email_change', change.challenge));
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
  await writeAudit(queries, 'user_email_change_requested', user.id, client);
}

/**
 * One side has confirmed. Answers `waiting` while the other has not, `taken` when the
 * address went to another account meanwhile, else the user with the new address: then the
 * tokens of the old one are dead and the old address is told (security.md, attack 14).
 */
export async function confirmNewEmail(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  token: TakenToken,
  client: Client,
): Promise<UserRow | 'waiting' | 'taken'> {
  const newEmail = user.email_change;
  const other: TokenType =
    token.token_type === 'email_change_new' ? 'email_change_current' : 'email_change_new';
  const open = await queries.maybe(
    'select 1 from auth.one_time_tokens where user_id = $1 and token_type = $2',
    [user.id, other],
  );
  if (open !== undefined) return 'waiting';
  if (newEmail === null) return 'taken';
  const changed = await setEmail(context, queries, user, newEmail, client);
  if (changed === undefined) return 'taken';
  await queries.run('update auth.users set email_proven_at = now() where id = $1', [user.id]);
  return changed;
}

/**
 * Gives an account an address that is known to be its owner's; an anonymous account becomes
 * a permanent one. Undefined when the address went to another account meanwhile.
 */
export async function setEmail(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  newEmail: string,
  client: Client,
): Promise<UserRow | undefined> {
  await queries.run('savepoint email_change');
  try {
    await queries.run(
      `update auth.users set email = $2, email_change = null, email_change_sent_at = null,
         email_confirmed_at = now(), is_anonymous = false, updated_at = now() where id = $1`,
      [user.id, newEmail],
    );
  } catch (error) {
    if (sqlState(error)?.code !== '23505') throw error;
    await queries.run('rollback to savepoint email_change');
    return undefined;
  }
  await setEmailIdentity(queries, user.id, newEmail, true);
  await queries.run('delete from auth.one_time_tokens where user_id = $1', [user.id]);
  await writeAudit(queries, 'user_modified', user.id, client, { fields: ['email'] });
  await notifyOwner(context, queries, user, 'email-changed', { newAddress: newEmail });
  return reloadUser(queries, user.id);
}
