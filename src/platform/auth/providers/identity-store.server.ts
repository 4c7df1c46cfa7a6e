import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import type { ExternalAccount } from './external-account.server.ts';

/** Makes sign-ins of one person at one provider run one after another. */
export async function lockIdentity(
  queries: Queries,
  { provider, providerId }: ExternalAccount,
): Promise<void> {
  await queries.one('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `auth identity ${provider} ${providerId}`,
  ]);
}

/** Adds an identity to an account. */
export async function addIdentity(queries: Queries, userId: string, account: ExternalAccount): Promise<void> {
  await queries.run(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
     values ($1, $2, $3, $4, now())`,
    [userId, account.provider, account.providerId, JSON.stringify(account.claims)],
  );
  await setProviders(queries, userId);
}

/**
 * Stores the provider's current claims: in the identity, and in the account's own metadata where the person
 * has not set another value (name, picture).
 */
export async function updateIdentity(
  queries: Queries,
  user: UserRow,
  account: ExternalAccount,
): Promise<void> {
  await queries.run(
    `update auth.identities set identity_data = identity_data || $3, last_sign_in_at = now(), updated_at = now()
     where provider = $1 and provider_id = $2`,
    [account.provider, account.providerId, JSON.stringify(account.claims)],
  );
  await queries.run(
    'update auth.users set raw_user_meta_data = $2::jsonb || raw_user_meta_data where id = $1',
    [user.id, JSON.stringify(account.claims)],
  );
}

/** Updates `app_metadata.provider` and `providers` from the account's identities. */
export async function setProviders(queries: Queries, userId: string): Promise<void> {
  await queries.run(
    `update auth.users u set updated_at = now(),
       raw_app_meta_data = u.raw_app_meta_data || jsonb_build_object(
         'provider', coalesce(p.names ->> 0, 'email'), 'providers', coalesce(p.names, '["email"]'))
     from (select jsonb_agg(provider order by first, provider) as names from (
       select provider, min(created_at) as first from auth.identities where user_id = $1 group by provider) n) p
     where u.id = $1`,
    [userId],
  );
}
