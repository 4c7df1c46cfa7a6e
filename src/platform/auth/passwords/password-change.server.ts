import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { AuthContext, AuthOperation, Client } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { limitAccount } from '../request-limits.server.ts';
import type { SignInMethod } from '../sessions/session-issue.server.ts';
import type { SignedIn } from '../sessions/session-require.server.ts';
import { consumeCode, dropTokens } from '../tokens/one-time-token.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import { isUsablePassword, passwordRules, requireStrongPassword } from './password-strength.server.ts';

/**
 * Ways to sign in that prove the mailbox, so that a new password needs no old one (docs/contracts/platform.md
 * §6 "Sensitive updates").
 */
const PROVES_MAILBOX: readonly SignInMethod[] = ['recovery', 'invite'];
/** Seconds for which such a sign-in counts as proof. */
const PROOF_SECONDS = 3600;

interface PasswordChange {
  readonly password: string;
  readonly current_password?: string | null | undefined;
  readonly nonce?: string | null | undefined;
}

/**
 * The hash of a new password, after checking that the account's owner asks for it.
 *
 * @throws ServiceError 422 `weak_password`, `same_password`, `reauthentication_not_valid`; 400
 * `current_password_required`, `current_password_invalid`, `validation_failed`; 429
 */
export async function newPasswordHash(
  context: AuthContext,
  signedIn: SignedIn,
  change: PasswordChange,
  client: Client,
): Promise<string> {
  const { user } = signedIn;
  const { settings } = context.resources;
  if (change.password === '') throw invalidInput('Password cannot be empty');
  await refuseSamePassword(context, user, change.password);
  requireStrongPassword(change.password, passwordRules(settings), {
    email: user.email,
    metadata: user.raw_user_meta_data,
    brand: settings.BRAND,
  });
  await requireProof(context, signedIn, change, client);
  return context.passwords.hash(change.password);
}

/**
 * This check comes before any proof (docs/contracts/platform.md §2). It counts like a sign-in, because
 * otherwise it would be a way to try passwords.
 */
async function refuseSamePassword(context: AuthContext, user: UserRow, password: string): Promise<void> {
  if (user.encrypted_password === null || !isUsablePassword(password)) return;
  await limitAccount(context, user.email ?? user.phone ?? user.id, 'passwordOfAccount');
  if (!(await context.passwords.verify(user.encrypted_password, password))) return;
  throw new ServiceError(422, 'same_password', 'New password should be different from the old password.');
}

/**
 * Requires one proof: the current password, a mailed nonce, a fresh recovery session, or that the account has
 * no password so far (docs/contracts/platform.md §6; ASVS 6.2.3). Requires none when AUTH_PASSWORD_PROOF is
 * false (decision 0521).
 */
async function requireProof(
  context: AuthContext,
  { user, session }: SignedIn,
  change: PasswordChange,
  client: Client,
): Promise<void> {
  const { database } = context.resources;
  const since = Date.now() / 1000 - PROOF_SECONDS;
  const recovered = session.amr.some(
    ({ method, timestamp }) => PROVES_MAILBOX.includes(method) && timestamp > since,
  );
  if (recovered || user.encrypted_password === null) return;
  // A proof that is given although none is required still has to be right.
  const isGiven = Boolean(change.nonce || change.current_password);
  if (!isGiven && !context.resources.settings.AUTH_PASSWORD_PROOF) return;
  if (change.nonce) {
    const nonce = change.nonce;
    const token = await database.transaction((queries) =>
      consumeCode(context, queries, {
        types: ['reauthentication'],
        address: user.email ?? user.phone ?? '',
        code: nonce,
        userId: user.id,
      }),
    );
    if (token !== undefined) return;
    throw new ServiceError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid');
  }
  if (!change.current_password) {
    throw new ServiceError(
      400,
      'current_password_required',
      'Current password required when setting new password.',
    );
  }
  const given = change.current_password;
  await limitAccount(context, user.email ?? user.phone ?? user.id, 'passwordOfAccount');
  if (isUsablePassword(given) && (await context.passwords.verify(user.encrypted_password, given))) return;
  await writeAudit(database, {
    action: 'verification_failed',
    actorId: user.id,
    client,
    payload: { cause: 'current password' },
  });
  throw new ServiceError(400, 'current_password_invalid', 'Current password is incorrect.');
}

/** Stores a new password, ends every mailed token and every other session, and informs the owner. */
export async function setPassword(
  { context, queries, client }: AuthOperation,
  { user, session }: SignedIn,
  passwordHash: string,
): Promise<void> {
  await queries.run('update auth.users set encrypted_password = $2, updated_at = now() where id = $1', [
    user.id,
    passwordHash,
  ]);
  await dropTokens(queries, user.id);
  await queries.run('delete from auth.sessions where user_id = $1 and id <> $2', [user.id, session.id]);
  await writeAudit(queries, { action: 'user_updated_password', actorId: user.id, client });
  await notifyOwner(context, queries, user, { kind: 'password-changed', variables: {} });
}
