import type { Queries } from '../../resources/database/database.ts';
import { reloadUser, type UserRow } from './find-user.server.ts';

/** What a new account starts with. */
export interface NewAccount {
  /** Chosen by an administrator; else a new one. */
  readonly id?: string | undefined;
  readonly email: string;
  readonly metadata: Record<string, unknown>;
  readonly passwordHash: string | null;
}

const APP_METADATA = JSON.stringify({ provider: 'email', providers: ['email'] });

/** Makes an account with its e-mail identity; undefined when the address is taken. */
export async function createUser(
  queries: Queries,
  account: NewAccount,
  confirmed: boolean,
): Promise<UserRow | undefined> {
  const row = await queries.maybe<{ id: string }>(
    `insert into auth.users (id, email, encrypted_password, raw_app_meta_data, raw_user_meta_data,
       email_confirmed_at, confirmation_sent_at)
     values (coalesce($6::uuid, gen_random_uuid()), $1, $2, $3, $4,
       case when $5 then now() end, case when not $5 then now() end)
     on conflict (email) where not is_sso_user do nothing returning id`,
    [
      account.email,
      account.passwordHash,
      APP_METADATA,
      JSON.stringify(account.metadata),
      confirmed,
      account.id ?? null,
    ],
  );
  if (row === undefined) return undefined;
  await queries.run(
    `insert into auth.identities (user_id, provider, provider_id, identity_data)
     values ($1::uuid, 'email', $1::text, $2)`,
    [row.id, identityData(row.id, account.email, confirmed)],
  );
  return reloadUser(queries, row.id);
}

/**
 * Hands an account that nobody ever confirmed to who asks now: password, metadata and
 * tokens of the one before go, so that an account cannot be prepared for somebody
 * else (security.md, attack 6).
 */
export async function replaceUnconfirmed(
  queries: Queries,
  userId: string,
  account: NewAccount,
  confirmed: boolean,
): Promise<UserRow> {
  await queries.run('delete from auth.sessions where user_id = $1', [userId]);
  await queries.run('delete from auth.one_time_tokens where user_id = $1', [userId]);
  await queries.run(
    `update auth.users set encrypted_password = $2, raw_user_meta_data = $3, updated_at = now(),
       email_confirmed_at = case when $4 then now() end, confirmation_sent_at = now()
     where id = $1`,
    [userId, account.passwordHash, JSON.stringify(account.metadata), confirmed],
  );
  await setEmailIdentity(queries, userId, account.email, confirmed);
  return reloadUser(queries, userId);
}

/** Brings the e-mail identity of a user to the account's address. */
export async function setEmailIdentity(
  queries: Queries,
  userId: string,
  email: string,
  verified: boolean,
): Promise<void> {
  await queries.run(
    `insert into auth.identities (user_id, provider, provider_id, identity_data)
     values ($1::uuid, 'email', $1::text, $2)
     on conflict (provider, provider_id) do update set identity_data = excluded.identity_data, updated_at = now()`,
    [userId, identityData(userId, email, verified)],
  );
}

function identityData(userId: string, email: string, verified: boolean): string {
  return JSON.stringify({ email, email_verified: verified, phone_verified: false, sub: userId });
}
