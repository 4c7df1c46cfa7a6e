import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import { hashPassword, needsNewHash, requireRoom, verifyPassword } from '../../resources/crypto/passwords.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { invalidCredentials, invalidInput, userBanned } from './auth-error.server.ts';
import { isUsablePassword, weaknesses, weakPasswordMessage } from './check-password.server.ts';
import { findUserByEmail, findUserByPhone, isBanned, type UserRow } from './find-user.server.ts';
import { type SessionRow, sessionBody, tryStartSession } from './issue-session.server.ts';
import { limitAccount } from './limit-requests.server.ts';
import { BODIES, readBody, readEmail, readPhone } from './read-input.server.ts';
import { requireEmailProvider } from './require-email-provider.server.ts';
import { requirePhoneProvider } from './send-sms-code.server.ts';
import { writeAudit } from './write-audit.server.ts';
import { createWrongGuesses } from './wrong-guesses.server.ts';

/** Accounts and network addresses of wrong and right passwords: they say who waits behind whom. */
const wrongGuesses = createWrongGuesses();

/**
 * `POST /token?grant_type=password` (contract §2). Unknown accounts cost the same
 * work as wrong passwords and get the same answer.
 *
 * @throws ServiceError 400 `invalid_credentials`, `email_not_confirmed`,
 * `phone_not_confirmed`, `phone_provider_disabled`, `user_banned`, `validation_failed`
 */
export async function signIn(context: AuthContext, request: FastifyRequest) {
  const body = readBody(BODIES.password, request.body);
  if (body.email && body.phone)
    throw invalidInput('Only an email address or phone number should be provided');
  if (!body.email && !body.phone) throw invalidInput('missing email or phone');
  if (body.phone) requirePhoneProvider(context);
  else requireEmailProvider(context);
  const { database } = context.resources;
  const address = body.phone ? readPhone(body.phone) : readEmail(body.email ?? '');
  const password = body.password ?? '';
  limitAccount(context, address, 'passwordOfAccount');
  const client = clientOf(context, request);
  const lane = wrongGuesses.laneOf(address, client.address);
  requireRoom(lane);

  const user = await (body.phone ? findUserByPhone : findUserByEmail)(database, address);
  const usable = isUsablePassword(password);
  const fits = await verifyPassword(user?.encrypted_password ?? undefined, usable ? password : '', lane);
  if (user === undefined || !fits || !usable) {
    wrongGuesses.add(address, client.address);
    await writeAudit(database, 'login_failed', user?.id ?? null, client, { cause: 'credentials' });
    throw invalidCredentials();
  }
  if (isBanned(user)) {
    await writeAudit(database, 'login_failed', user.id, client, { cause: 'banned' });
    throw userBanned(400);
  }
  if (body.phone && user.phone_confirmed_at === null) {
    throw new ServiceError(400, 'phone_not_confirmed', 'Phone not confirmed');
  }
  if (!body.phone && user.email_confirmed_at === null) {
    throw new ServiceError(400, 'email_not_confirmed', 'Email not confirmed');
  }
  const stored = user.encrypted_password ?? '';
  const session = await tryStartSession(context, database, user, 'password', client, {
    provider: body.phone ? 'phone' : 'email',
    compared: stored,
    rehashed: needsNewHash(stored, password) ? await hashPassword(password) : undefined,
  });
  // The password was changed or the account barred while it was compared.
  if (session === undefined) throw invalidCredentials();
  wrongGuesses.right(address, client.address);
  const note = weaknessNote(context, user, password);
  return sessionBody(
    context,
    database,
    session,
    note,
    signedInNow(user, session, body.phone ? 'phone' : 'email'),
  );
}

/** The account as the sign-in left it, without asking for it again. */
function signedInNow(user: UserRow, session: SessionRow, provider: string): UserRow {
  const at = session.created_at;
  const identities = user.identities.map((identity) =>
    identity.provider === provider ? { ...identity, last_sign_in_at: at.toISOString() } : identity,
  );
  return { ...user, last_sign_in_at: at, identities };
}

/** The sign-in succeeds, but the client learns that the password no longer meets the rules (contract §2). */
function weaknessNote(context: AuthContext, user: UserRow, password: string): Record<string, unknown> {
  const { AUTH_PASSWORD_MIN_LENGTH: minLength, BRAND: brand } = context.resources.settings;
  const reasons = weaknesses(password, minLength, {
    email: user.email,
    metadata: user.raw_user_meta_data,
    brand,
  });
  if (reasons.length === 0) return {};
  return { weak_password: { message: weakPasswordMessage(reasons, minLength), reasons } };
}
