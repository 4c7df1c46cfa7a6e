import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, clientOf } from '../auth-context.server.ts';
import { requireSecondLevel } from '../factors/factor-lookup.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import {
  findUser,
  findUserByEmail,
  type IdentityRow,
  reloadUser,
  type UserRow,
} from '../users/user-lookup.server.ts';
import { namedProviders } from './configured-providers.server.ts';
import type { ExternalAccount } from './external-account.server.ts';
import { addIdentity, lockIdentity, setProviders, updateIdentity } from './identity-store.server.ts';
import { requireManualLinking } from './sign-in-start.server.ts';

/**
 * Adds an identity to a signed-in user's account; 422 `identity_already_exists` when it belongs to an
 * account.
 */
export async function linkAccount(
  { context, queries, client }: AuthOperation,
  userId: string,
  account: ExternalAccount,
): Promise<UserRow | ServiceError> {
  await lockIdentity(queries, account);
  const user = await findUser(queries, userId);
  if (user === undefined) return new ServiceError(404, 'user_not_found', 'User not found');
  if (user.is_sso_user) return ssoManaged();
  const known = await queries.maybe(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [account.provider, account.providerId],
  );
  if (known !== undefined) {
    const whose = known.user_id === userId ? '' : ' to another user';
    return new ServiceError(422, 'identity_already_exists', `Identity is already linked${whose}`);
  }
  await addIdentity(queries, userId, account);
  await updateIdentity(queries, user, account);
  await takeAddress({ context, queries, client }, user, account);
  await queries.run('update auth.users set is_anonymous = false where id = $1 and is_anonymous', [userId]);
  await writeAudit(queries, {
    action: 'identity_linked',
    actorId: userId,
    client,
    payload: { provider: account.provider },
  });
  await notifyOwner(context, queries, user, { kind: 'sign-in-added', variables: { way: account.provider } });
  return reloadUser(queries, userId);
}

/**
 * An account without an address gets the verified address of its new identity, unless another account has it.
 */
async function takeAddress(
  { context, queries, client }: AuthOperation,
  user: UserRow,
  account: ExternalAccount,
): Promise<void> {
  if (user.email !== null || !account.emailVerified || account.email === undefined) return;
  if ((await findUserByEmail(queries, account.email)) !== undefined) return;
  await queries.run(
    `update auth.users set email = $2, email_confirmed_at = now(), email_proven_at = now(), is_anonymous = false
     where id = $1`,
    [user.id, account.email],
  );
  await context.onConfirmed(queries, { id: user.id, email: account.email }, client.address);
}

/**
 * `DELETE /user/identities/{identity_id}` (docs/contracts/platform.md §2): removes an identity, but never the
 * last way to sign in. The password goes together with the e-mail identity.
 *
 * @throws ServiceError 404 `manual_linking_disabled`; 422 `single_identity_not_deletable`,
 * `identity_not_found`, `email_conflict_identity_not_deletable`, `user_sso_managed`; 403 `insufficient_aal`
 */
export async function unlinkIdentity(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'user');
  const { user: asked, aal } = await requireSession(context, request);
  requireManualLinking(context);
  const { identityId } = request.params as { identityId: string };
  requireSecondLevel({ user: asked, aal }, 'remove a way to sign in');
  if (asked.is_sso_user) throw ssoManaged();
  return context.resources.database.transaction(async (queries) => {
    await queries.one('select id from auth.users where id = $1 for update', [asked.id]);
    const user = await reloadUser(queries, asked.id);
    if (user.identities.length <= 1) {
      throw new ServiceError(
        422,
        'single_identity_not_deletable',
        'User must have at least 1 identity after unlinking',
      );
    }
    const identity = isUuid(identityId) ? user.identities.find(({ id }) => id === identityId) : undefined;
    if (identity === undefined) throw new ServiceError(422, 'identity_not_found', "Identity doesn't exist");
    requireAnotherWay(context, user, identity);
    await queries.run('delete from auth.identities where id = $1', [identity.id]);
    await followAddress(queries, user, identity);
    await setProviders(queries, user.id);
    await writeAudit(queries, {
      action: 'identity_unlinked',
      actorId: user.id,
      client: clientOf(context, request),
      payload: {
        provider: identity.provider,
      },
    });
    await notifyOwner(context, queries, user, {
      kind: 'sign-in-removed',
      variables: { way: identity.provider },
    });
    return {};
  });
}

/**
 * Identities of a provider that is no longer configured do not count. @throws ServiceError 422
 * `single_identity_not_deletable`
 */
function requireAnotherWay({ resources }: AuthContext, user: UserRow, gone: IdentityRow): void {
  const { settings } = resources;
  const open = new Set(namedProviders(settings).map(({ name }) => name));
  if (settings.AUTH_EMAIL) open.add('email');
  if (settings.AUTH_PHONE) open.add('phone');
  if (user.identities.some(({ id, provider }) => id !== gone.id && open.has(provider))) return;
  throw new ServiceError(
    422,
    'single_identity_not_deletable',
    'None of the other identities can sign in here any more',
  );
}

/** Gives the account the address of a remaining identity; never one that another account has. */
async function followAddress(queries: Queries, user: UserRow, gone: IdentityRow): Promise<void> {
  if (gone.provider === 'phone') {
    await queries.run('update auth.users set phone = null, phone_confirmed_at = null where id = $1', [
      user.id,
    ]);
  }
  if (gone.provider === 'email') {
    await queries.run('update auth.users set encrypted_password = null where id = $1', [user.id]);
  }
  const rest = user.identities.filter(({ id }) => id !== gone.id);
  if (user.email === null || gone.email !== user.email || rest.some(({ email }) => email === user.email))
    return;
  const next = rest.find(({ email, identity_data: data }) => email !== null && data.email_verified === true);
  const owner = next?.email ? await findUserByEmail(queries, next.email) : undefined;
  if (owner !== undefined) {
    throw new ServiceError(
      422,
      'email_conflict_identity_not_deletable',
      'Unable to unlink identity due to email conflict',
    );
  }
  await queries.run(
    `update auth.users set email = $2, updated_at = now(),
       email_confirmed_at = case when $2::text is not null then now() end,
       email_proven_at = case when $2::text is not null then now() end where id = $1`,
    [user.id, next?.email ?? null],
  );
}

function ssoManaged(): ServiceError {
  return new ServiceError(422, 'user_sso_managed', 'Identities of this account are managed by its company');
}
