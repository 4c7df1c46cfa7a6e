import type { Queries } from '../../../kernel/resources/database/database.ts';
import { setProviders } from '../providers/identity-store.server.ts';
import { reloadUser, type UserRow } from './user-lookup.server.ts';

/** The first values of a new account; at least one address, or none for an anonymous account. */
export interface NewAccount {
  /** Chosen by an administrator; a new one when left out. */
  readonly id?: string | undefined;
  readonly email: string | null;
  /** Digits of the E.164 number. */
  readonly phone?: string | null | undefined;
  readonly metadata: Record<string, unknown>;
  readonly passwordHash: string | null;
  /** Language of the browser, for mails. */
  readonly locale?: string | undefined;
}

/**
 * Creates an account with the identity of its address; undefined when the address is taken. `confirmed`
 * refers to the e-mail address, or to the number if there is no address.
 * @trigger auth.users account_seeded
 */
export async function createUser(
  queries: Queries,
  account: NewAccount,
  confirmed: boolean,
): Promise<UserRow | undefined> {
  const { email, phone = null } = account;
  const provider = email === null ? 'phone' : 'email';
  const row = await queries.maybe(
    `insert into auth.users (id, email, phone, encrypted_password, raw_app_meta_data, raw_user_meta_data, locale,
       email_confirmed_at, phone_confirmed_at, confirmation_sent_at)
     values (coalesce($1::uuid, gen_random_uuid()), $2::text, $3, $4, $5, $6, $7,
       case when $8 and $2 is not null then now() end, case when $8 and $2 is null then now() end,
       case when not $8 then now() end)
     on conflict ${email === null ? '(phone)' : '(email) where not is_sso_user'} do nothing returning id`,
    [
      account.id ?? null,
      email,
      phone,
      account.passwordHash,
      JSON.stringify({ provider, providers: [provider] }),
      JSON.stringify(account.metadata),
      account.locale ?? null,
      confirmed,
    ],
  );
  if (row === undefined) return undefined;
  if (email !== null) await setEmailIdentity(queries, row.id, email, confirmed);
  if (phone !== null) await setPhoneIdentity(queries, row.id, phone, email === null && confirmed);
  return reloadUser(queries, row.id);
}

/**
 * Gives an account that nobody ever confirmed to the person who signs up now. Its former password, metadata
 * and tokens are deleted, so that nobody can prepare an account for somebody else (docs/security-attacks.md,
 * attack 6).
 */
export async function replaceUnconfirmed(
  queries: Queries,
  userId: string,
  account: NewAccount,
  confirmed: boolean,
): Promise<UserRow> {
  const { email, phone = null } = account;
  await queries.run('delete from auth.sessions where user_id = $1', [userId]);
  await dropForeignIdentities(queries, userId);
  await queries.run('delete from auth.one_time_tokens where user_id = $1', [userId]);
  await queries.run(
    `update auth.users set encrypted_password = $2, raw_user_meta_data = $3, updated_at = now(), locale = $6,
       email_confirmed_at = case when $4 and $5 then now() end, phone_confirmed_at = case when $4 and not $5 then now() end,
       confirmation_sent_at = now()
     where id = $1`,
    [
      userId,
      account.passwordHash,
      JSON.stringify(account.metadata),
      confirmed,
      email !== null,
      account.locale ?? null,
    ],
  );
  if (email !== null) await setEmailIdentity(queries, userId, email, confirmed);
  if (email === null && phone !== null) await setPhoneIdentity(queries, userId, phone, confirmed);
  return reloadUser(queries, userId);
}

/**
 * Deletes identities at other providers that were added before the address was proven, because they may not
 * be its owner's (attack 6).
 */
export async function dropForeignIdentities(queries: Queries, userId: string): Promise<void> {
  await queries.run("delete from auth.identities where user_id = $1 and provider not in ('email', 'phone')", [
    userId,
  ]);
  await setProviders(queries, userId);
}

/** Updates a user's e-mail identity to the account's address. */
export function setEmailIdentity(
  queries: Queries,
  userId: string,
  email: string,
  verified: boolean,
): Promise<void> {
  return setIdentity(queries, userId, 'email', {
    email,
    email_verified: verified,
    phone_verified: false,
    sub: userId,
  });
}

/** Updates a user's phone identity to the account's number. */
export function setPhoneIdentity(
  queries: Queries,
  userId: string,
  phone: string,
  verified: boolean,
): Promise<void> {
  return setIdentity(queries, userId, 'phone', {
    phone,
    email_verified: false,
    phone_verified: verified,
    sub: userId,
  });
}

async function setIdentity(
  queries: Queries,
  userId: string,
  provider: 'email' | 'phone',
  data: Record<string, unknown>,
): Promise<void> {
  await queries.run(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
     values ($1::uuid, $2, $1::text, $3, now())
     on conflict (provider, provider_id) do update set identity_data = excluded.identity_data, updated_at = now()`,
    [userId, provider, JSON.stringify(data)],
  );
  // The claims list every way to sign in; an anonymous account gets its first one here.
  await queries.run(
    `update auth.users set raw_app_meta_data = raw_app_meta_data || jsonb_build_object(
       'provider', coalesce(raw_app_meta_data -> 'provider', to_jsonb($2::text)),
       'providers', coalesce(raw_app_meta_data -> 'providers', '[]') || to_jsonb($2::text))
     where id = $1 and not coalesce(raw_app_meta_data -> 'providers', '[]') ? $2`,
    [userId, provider],
  );
}
