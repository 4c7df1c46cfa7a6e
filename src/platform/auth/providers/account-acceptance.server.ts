import { ServiceError } from '../../../contract/service-error.ts';
import type { Queries } from '../../../resources/database/database.ts';
import { isMailAddress } from '../../../resources/mailer/check-mail.ts';
import type { AuthContext, Client } from '../auth-context.server.ts';
import { userBanned } from '../auth-error.server.ts';
import { findUser, findUserByEmail, isBanned, reloadUser, type UserRow } from '../find-user.server.ts';
import type { Challenge } from '../read-input.server.ts';
import { requestMail } from '../send-auth-mail.server.ts';
import { writeAudit } from '../write-audit.server.ts';
import type { ExternalAccount } from './external-account.server.ts';
import { addIdentity, lockIdentity, setProviders, updateIdentity } from './keep-identity.server.ts';

/** Where a confirmation mail leads, should one be needed. */
interface Way {
  readonly redirectTo: string;
  readonly challenge: Challenge | undefined;
}

/**
 * The account of somebody whom a provider vouches for, by the linking rules of contract §6:
 * a known identity is its account; a *verified* address that has an account joins it; anything
 * else is a new account. Companies' sign-ons are never linked. Refusals are returned, so that
 * what they did (an account that waits for its confirmation) is committed.
 */
export async function acceptAccount(
  context: AuthContext,
  queries: Queries,
  account: ExternalAccount,
  client: Client,
  way: Way,
): Promise<UserRow | ServiceError> {
  await lockIdentity(queries, account);
  const known = await queries.maybe<{ user_id: string }>(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [account.provider, account.providerId],
  );
  const user =
    known === undefined
      ? await joinOrCreate(context, queries, account, client)
      : await findUser(queries, known.user_id);
  if (user === undefined) return new ServiceError(403, 'user_banned', 'User is banned');
  if (user instanceof ServiceError) return user;
  if (isBanned(user)) return userBanned(403);
  await updateIdentity(queries, user, account);
  if (isSso(account)) {
    // The company says which address its people have.
    await queries.run('update auth.users set email = $2 where id = $1 and email is distinct from $2', [
      user.id,
      account.email ?? null,
    ]);
  }
  if (user.email_confirmed_at === null && user.email !== null && !isSso(account)) {
    if (account.emailVerified && account.email === user.email) await proveEmail(queries, user.id);
    else return askForConfirmation(context, queries, user.email, account, way);
  }
  return reloadUser(queries, user.id);
}

async function joinOrCreate(
  context: AuthContext,
  queries: Queries,
  account: ExternalAccount,
  client: Client,
): Promise<UserRow | ServiceError> {
  const email = account.email !== undefined && isMailAddress(account.email) ? account.email : undefined;
  const owner = email === undefined || isSso(account) ? undefined : await lockOwner(queries, email);
  if (owner !== undefined && account.emailVerified) {
    if (isBanned(owner)) return userBanned(403);
    if (!(await isProven(queries, owner.id))) await dropUnproven(queries, owner, client);
    await addIdentity(queries, owner.id, account);
    await writeAudit(queries, 'identity_linked', owner.id, client, { provider: account.provider });
    return reloadUser(queries, owner.id);
  }
  const { AUTH_SIGNUP: open, AUTH_AUTOCONFIRM: autoconfirm } = context.resources.settings;
  if (!open && !isSso(account)) {
    return new ServiceError(422, 'signup_disabled', 'Signups not allowed for this instance');
  }
  // An address that nobody vouches for never takes, or shares, somebody's account (security.md, attack 7).
  const own = owner === undefined ? email : undefined;
  const proven = account.emailVerified && own !== undefined;
  const { id } = await queries.one<{ id: string }>(
    `insert into auth.users (email, email_confirmed_at, email_proven_at, is_sso_user, raw_user_meta_data)
     values ($1, case when $2 then now() end, case when $3 then now() end, $4, $5) returning id`,
    [
      own ?? null,
      own !== undefined && (proven || autoconfirm || isSso(account)),
      proven,
      isSso(account),
      JSON.stringify(account.claims),
    ],
  );
  await addIdentity(queries, id, account);
  await writeAudit(queries, 'user_signedup', id, client, { provider: account.provider });
  return reloadUser(queries, id);
}

/** Two arrivals for one address come one after another. */
async function lockOwner(queries: Queries, email: string): Promise<UserRow | undefined> {
  await queries.one('select pg_advisory_xact_lock(hashtextextended($1, 1))', [`auth email ${email}`]);
  const owner = await findUserByEmail(queries, email);
  if (owner !== undefined)
    await queries.one('select id from auth.users where id = $1 for update', [owner.id]);
  return owner;
}

async function isProven(queries: Queries, userId: string): Promise<boolean> {
  const row = await queries.one<{ proven: boolean }>(
    'select email_confirmed_at is not null and email_proven_at is not null as proven from auth.users where id = $1',
    [userId],
  );
  return row.proven;
}

/**
 * Whoever made this account has never shown that the address is theirs; who comes now has.
 * Every way in that was there before goes, so that there are never two owners (attack 6).
 */
async function dropUnproven(queries: Queries, owner: UserRow, client: Client): Promise<void> {
  for (const table of [
    'sessions',
    'one_time_tokens',
    'identities',
    'mfa_factors',
    'passkeys',
    'flow_state',
  ]) {
    await queries.run(`delete from auth.${table} where user_id = $1`, [owner.id]);
  }
  await queries.run(
    `update auth.users set encrypted_password = null, phone = null, phone_confirmed_at = null, phone_change = null,
       email_change = null, raw_user_meta_data = '{}', email_confirmed_at = now(), email_proven_at = now(),
       updated_at = now() where id = $1`,
    [owner.id],
  );
  await setProviders(queries, owner.id);
  await writeAudit(queries, 'user_modified', owner.id, client, { cause: 'address proven by a provider' });
}

async function proveEmail(queries: Queries, userId: string): Promise<void> {
  await queries.run(
    `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()), email_proven_at = now(),
       updated_at = now() where id = $1`,
    [userId],
  );
}

async function askForConfirmation(
  context: AuthContext,
  queries: Queries,
  email: string,
  { provider }: ExternalAccount,
  way: Way,
): Promise<ServiceError> {
  await requestMail(context, queries, { kind: 'resend', email, ...way });
  return new ServiceError(
    403,
    'provider_email_needs_verification',
    `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
  );
}

function isSso({ provider }: ExternalAccount): boolean {
  return provider.startsWith('sso:');
}
