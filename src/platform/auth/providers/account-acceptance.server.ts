import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { isMailAddress } from '../../../kernel/resources/mailer/mail-check.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { AuthOperation } from '../auth-context.server.ts';
import { userBanned } from '../auth-error.server.ts';
import { requestMail } from '../mails/mail-sending.server.ts';
import type { Challenge } from '../request-input.server.ts';
import {
  findUser,
  findUserByEmail,
  isBanned,
  reloadUser,
  type UserRow,
} from '../users/user-lookup.server.ts';
import type { ExternalAccount } from './external-account.server.ts';
import { addIdentity, lockIdentity, setProviders, updateIdentity } from './identity-store.server.ts';

/** Where a confirmation mail leads, if one is needed. */
interface Confirmation {
  readonly redirectTo: string;
  readonly challenge: Challenge | undefined;
}

/** Records in the audit log that a provider's account was refused, and why. */
export function auditRefusal(
  { queries, client }: Pick<AuthOperation, 'queries' | 'client'>,
  provider: string,
  refusal: ServiceError,
): Promise<void> {
  return writeAudit(queries, {
    action: 'login_failed',
    actorId: null,
    client,
    payload: { provider, cause: refusal.code },
  });
}

/**
 * The account for a person whom a provider vouches for, by the linking rules of docs/contracts/platform.md
 * §6. A known identity gives its account; a *verified* address that has an account is linked to it; anything
 * else gives a new account. Accounts of a company's single sign-on are never linked. Refusals are returned,
 * so that their changes (an account that waits for its confirmation) are committed.
 */
export async function acceptAccount(
  { context, queries, client }: AuthOperation,
  account: ExternalAccount,
  confirmation: Confirmation,
): Promise<UserRow | ServiceError> {
  await lockIdentity(queries, account);
  const known = await queries.maybe(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [account.provider, account.providerId],
  );
  const user =
    known === undefined
      ? await joinOrCreate({ context, queries, client }, account)
      : await findUser(queries, known.user_id);
  if (user === undefined) return new ServiceError(403, 'user_banned', 'User is banned');
  if (user instanceof ServiceError) return user;
  if (isBanned(user)) return userBanned(403);
  await updateIdentity(queries, user, account);
  if (isSso(account)) {
    // With single sign-on, the company decides which address its people have.
    await queries.run('update auth.users set email = $2 where id = $1 and email is distinct from $2', [
      user.id,
      account.email ?? null,
    ]);
  }
  if (user.email_confirmed_at === null && user.email !== null && !isSso(account)) {
    if (!account.emailVerified || account.email !== user.email) {
      await requestMail(context, queries, { kind: 'resend', email: user.email, ...confirmation });
      return confirmationSent(account);
    }
    await proveEmail(queries, user.id);
    await context.onConfirmed(queries, { id: user.id, email: user.email }, client.address);
  }
  return reloadUser(queries, user.id);
}

async function joinOrCreate(
  { context, queries, client }: AuthOperation,
  account: ExternalAccount,
): Promise<UserRow | ServiceError> {
  const email = account.email !== undefined && isMailAddress(account.email) ? account.email : undefined;
  const owner = email === undefined || isSso(account) ? undefined : await lockOwner(queries, email);
  if (owner !== undefined && account.emailVerified) {
    if (isBanned(owner)) return userBanned(403);
    if (!(await isProven(queries, owner.id))) await dropUnproven({ context, queries, client }, owner);
    await addIdentity(queries, owner.id, account);
    await writeAudit(queries, {
      action: 'identity_linked',
      actorId: owner.id,
      client,
      payload: { provider: account.provider },
    });
    return reloadUser(queries, owner.id);
  }
  // An unverified address never joins or takes over an existing account (docs/security-attacks.md, attack 7).
  return createAccount({ context, queries, client }, account, owner === undefined ? email : undefined);
}

async function createAccount(
  { context, queries, client }: AuthOperation,
  account: ExternalAccount,
  own: string | undefined,
): Promise<UserRow | ServiceError> {
  const { AUTH_SIGNUP: open, AUTH_AUTOCONFIRM: autoconfirm } = context.resources.settings;
  if (!open && !isSso(account)) {
    return new ServiceError(422, 'signup_disabled', 'Signups not allowed for this instance');
  }
  const proven = account.emailVerified && own !== undefined;
  const confirmed = own !== undefined && (proven || autoconfirm || isSso(account));
  const { id } = await queries.one(
    `insert into auth.users (email, email_confirmed_at, email_proven_at, is_sso_user, raw_user_meta_data)
     values ($1, case when $2 then now() end, case when $3 then now() end, $4, $5) returning id`,
    [own ?? null, confirmed, proven, isSso(account), JSON.stringify(account.claims)],
  );
  await addIdentity(queries, id, account);
  await writeAudit(queries, {
    action: 'user_signedup',
    actorId: id,
    client,
    payload: { provider: account.provider },
  });
  if (confirmed) await context.onConfirmed(queries, { id, email: own }, client.address);
  return reloadUser(queries, id);
}

/** Makes two sign-ins for one address run one after another. */
async function lockOwner(queries: Queries, email: string): Promise<UserRow | undefined> {
  await queries.one('select pg_advisory_xact_lock(hashtextextended($1, 1))', [`auth email ${email}`]);
  const owner = await findUserByEmail(queries, email);
  if (owner !== undefined)
    await queries.one('select id from auth.users where id = $1 for update', [owner.id]);
  return owner;
}

async function isProven(queries: Queries, userId: string): Promise<boolean> {
  const row = await queries.one(
    'select email_confirmed_at is not null and email_proven_at is not null as proven from auth.users where id = $1',
    [userId],
  );
  return row.proven;
}

/**
 * The creator of this account has never proven the address, but the person who signs in now has. Every
 * earlier way to sign in is removed, so that the account never has two owners (attack 6).
 */
async function dropUnproven({ context, queries, client }: AuthOperation, owner: UserRow): Promise<void> {
  for (const table of [
    'sessions',
    'one_time_tokens',
    'identities',
    'mfa_factors',
    'passkeys',
    'flow_state',
  ]) {
    await queries.run(uncheckedSql(`delete from auth.${table} where user_id = $1`, 'composed'), [owner.id]);
  }
  await queries.run(
    `update auth.users set encrypted_password = null, phone = null, phone_confirmed_at = null, phone_change = null,
       email_change = null, raw_user_meta_data = '{}', email_confirmed_at = now(), email_proven_at = now(),
       updated_at = now() where id = $1`,
    [owner.id],
  );
  await setProviders(queries, owner.id);
  if (owner.email_confirmed_at === null && owner.email !== null)
    await context.onConfirmed(queries, { id: owner.id, email: owner.email }, client.address);
  await writeAudit(queries, {
    action: 'user_modified',
    actorId: owner.id,
    client,
    payload: { cause: 'address proven by a provider' },
  });
}

async function proveEmail(queries: Queries, userId: string): Promise<void> {
  await queries.run(
    `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()), email_proven_at = now(),
       updated_at = now() where id = $1`,
    [userId],
  );
}

function confirmationSent({ provider }: ExternalAccount): ServiceError {
  return new ServiceError(
    403,
    'provider_email_needs_verification',
    `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
  );
}

function isSso({ provider }: ExternalAccount): boolean {
  return provider.startsWith('sso:');
}
