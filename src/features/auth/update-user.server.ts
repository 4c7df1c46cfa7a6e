import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import { hashPassword, verifyPassword } from '../../resources/crypto/passwords.ts';
import type { Queries } from '../../resources/database/database.ts';
import { type AuthContext, type Client, clientOf } from './auth-context.server.ts';
import { invalidInput } from './auth-error.server.ts';
import { askForNewEmail } from './change-email.server.ts';
import { isUsablePassword, requireStrongPassword } from './check-password.server.ts';
import { AUTH_MAILS } from './compose-mail.server.ts';
import { hasFactor } from './find-factor.server.ts';
import { findUserByEmail, reloadUser } from './find-user.server.ts';
import type { SignInMethod } from './issue-session.server.ts';
import { limitAccount, limitAddress, limitMail } from './limit-requests.server.ts';
import { redirectOf } from './mail-link.server.ts';
import { dropTokens, takeCode } from './one-time-token.server.ts';
import { BODIES, mergeMetadata, readBody, readChallenge, readEmail } from './read-input.server.ts';
import { requireSession, type SignedIn } from './require-session.server.ts';
import { userBody } from './show-user.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** Ways in that prove the mailbox, so that a new password needs no old one (contract §6 "Sensitive updates"). */
const PROVES_MAILBOX: readonly SignInMethod[] = ['recovery', 'invite'];
/** Seconds after such a sign-in in which it counts. */
const PROOF_SECONDS = 3600;

/**
 * `PUT /user` (contract §2). Identity comes from the token; `id`, `role`,
 * `app_metadata` and the like in the body mean nothing (security.md, attacks 16, 19).
 *
 * @throws ServiceError 422 `same_password`, `email_exists`, `weak_password`;
 * 401 `insufficient_aal`; 400 `current_password_required`, `current_password_invalid`, `validation_failed`
 */
export async function updateUser(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'user');
  const signedIn = await requireSession(context, request);
  const body = readBody(BODIES.updateUser, request.body);
  const { database } = context.resources;
  const client = clientOf(context, request);
  const { user } = signedIn;
  if (body.phone) throw new ServiceError(400, 'phone_provider_disabled', 'Phone numbers are disabled');

  if ((body.email || body.password) && hasFactor(user) && signedIn.aal !== 'aal2') {
    throw new ServiceError(
      401,
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
    );
  }

  const data = body.data ? mergeMetadata(user.raw_user_meta_data, body.data) : undefined;
  const passwordHash =
    body.password === undefined || body.password === null
      ? undefined
      : await newPasswordHash(context, signedIn, { ...body, password: body.password }, client);
  const email = body.email ? readEmail(body.email) : undefined;
  const challenge = readChallenge(body);
  const newEmail = email === user.email ? undefined : email;
  if (newEmail !== undefined) {
    if ((await findUserByEmail(database, newEmail)) !== undefined) throw emailExists();
    limitMail(context, newEmail);
  }

  const updated = await database.transaction(async (queries) => {
    if (data !== undefined) {
      await queries.run('update auth.users set raw_user_meta_data = $2, updated_at = now() where id = $1', [
        user.id,
        JSON.stringify(data),
      ]);
      await writeAudit(queries, 'user_modified', user.id, client, { fields: ['user_metadata'] });
    }
    if (passwordHash !== undefined) await setPassword(context, queries, signedIn, passwordHash, client);
    if (newEmail !== undefined) {
      const redirectTo = redirectOf(context, request.query);
      await askForNewEmail(context, queries, user, { newEmail, redirectTo, challenge }, client);
    }
    return reloadUser(queries, user.id);
  });
  return userBody(updated);
}

/** 422: the address belongs to another account. */
export function emailExists(): ServiceError {
  return new ServiceError(422, 'email_exists', 'A user with this email address has already been registered');
}

interface PasswordChange {
  readonly password: string;
  readonly current_password?: string | null | undefined;
  readonly nonce?: string | null | undefined;
}

async function newPasswordHash(
  context: AuthContext,
  signedIn: SignedIn,
  change: PasswordChange,
  client: Client,
): Promise<string> {
  const { user } = signedIn;
  const { settings } = context.resources;
  if (change.password === '') throw invalidInput('Password cannot be empty');
  requireStrongPassword(change.password, settings.AUTH_PASSWORD_MIN_LENGTH, {
    email: user.email,
    metadata: user.raw_user_meta_data,
    brand: settings.BRAND,
  });
  await requireProof(context, signedIn, change, client);
  const stored = user.encrypted_password ?? undefined;
  if (stored !== undefined && (await verifyPassword(stored, change.password))) {
    throw new ServiceError(422, 'same_password', 'New password should be different from the old password.');
  }
  return hashPassword(change.password);
}

/** The current password, a mailed nonce, a fresh recovery session, or no password so far (contract §6; ASVS 6.2.3). */
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
  if (change.nonce) {
    const nonce = change.nonce;
    const token = await database.transaction((queries) =>
      takeCode(context, queries, ['reauthentication'], user.email ?? '', nonce, user.id),
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
  limitAccount(context, user.email ?? user.id, 'passwordOfAccount');
  if (isUsablePassword(given) && (await verifyPassword(user.encrypted_password, given))) return;
  await writeAudit(database, 'verification_failed', user.id, client, { cause: 'current password' });
  throw new ServiceError(400, 'current_password_invalid', 'Current password is incorrect.');
}

/** A new password ends every mailed token and every other session, and the owner is told. */
async function setPassword(
  context: AuthContext,
  queries: Queries,
  { user, session }: SignedIn,
  passwordHash: string,
  client: Client,
): Promise<void> {
  await queries.run('update auth.users set encrypted_password = $2, updated_at = now() where id = $1', [
    user.id,
    passwordHash,
  ]);
  await dropTokens(queries, user.id);
  await queries.run('delete from auth.sessions where user_id = $1 and id <> $2', [user.id, session.id]);
  await writeAudit(queries, 'user_updated_password', user.id, client);
  if (user.email !== null) {
    const { mailer, settings } = context.resources;
    await mailer.send(queries, AUTH_MAILS.passwordChanged({ to: user.email, brand: settings.BRAND }));
  }
}
