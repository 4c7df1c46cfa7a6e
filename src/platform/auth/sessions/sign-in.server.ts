import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { addressKey } from '../../../kernel/http/client-address.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, clientOf } from '../auth-context.server.ts';
import { invalidCredentials, invalidInput, userBanned } from '../auth-error.server.ts';
import {
  isUsablePassword,
  passwordRules,
  weaknesses,
  weakPasswordMessage,
} from '../passwords/password-strength.server.ts';
import { requirePhoneProvider } from '../phones/sms-code.server.ts';
import { BODIES, readBody, readEmail, readPhone } from '../request-input.server.ts';
import { limitAccount } from '../request-limits.server.ts';
import { requireEmailProvider } from '../users/email-provider-check.server.ts';
import { findUserByEmail, findUserByPhone, isBanned, type UserRow } from '../users/user-lookup.server.ts';
import { type SessionRow, sessionBody, tryStartSession } from './session-issue.server.ts';

/**
 * `POST /token?grant_type=password` (docs/contracts/platform.md §2). Unknown accounts cost the same work as
 * wrong passwords and get the same reply.
 *
 * @throws ServiceError 400 `invalid_credentials`, `email_not_confirmed`, `phone_not_confirmed`,
 * `phone_provider_disabled`, `user_banned`, `validation_failed`
 */
export async function signIn(context: AuthContext, request: FastifyRequest) {
  const { address, by, password } = readCredentials(context, request);
  const { signInPriority, passwords } = context;
  const { database } = context.resources;
  await limitAccount(context, address, 'passwordOfAccount');
  const client = clientOf(context, request);
  const network = addressKey(client.address);
  const priority = signInPriority.priorityOf(address, network);
  passwords.requireCapacity(priority);

  const user = await (by === 'phone' ? findUserByPhone : findUserByEmail)(database, address);
  const usable = isUsablePassword(password);
  const fits = await passwords.verify(
    user?.encrypted_password ?? undefined,
    usable ? password : '',
    priority,
  );
  if (user === undefined || !fits || !usable) {
    signInPriority.add(address, network);
    await writeAudit(database, {
      action: 'login_failed',
      actorId: user?.id ?? null,
      client,
      payload: { cause: 'credentials' },
    });
    throw invalidCredentials();
  }
  await requireUsable({ context, queries: database, client }, user, by);
  const stored = user.encrypted_password ?? '';
  const session = await tryStartSession({ context, queries: database, client }, user, {
    method: 'password',
    provider: by,
    compared: stored,
    rehashed: passwords.needsNewHash(stored, password) ? await passwords.hash(password) : undefined,
  });
  // The password was changed or the account banned while the password was compared.
  if (session === undefined) throw invalidCredentials();
  signInPriority.right(address, network);
  return sessionBody(context, database, session, {
    extra: weaknessNote(context, user, password),
    user: signedInNow(user, session, by),
  });
}

interface Credentials {
  /** Mail address or E.164 number, normalised. */
  readonly address: string;
  readonly by: 'email' | 'phone';
  readonly password: string;
}

/** @throws ServiceError 400 `validation_failed`; `phone_provider_disabled`, `email_provider_disabled` */
function readCredentials(context: AuthContext, request: FastifyRequest): Credentials {
  const body = readBody(BODIES.password, request.body);
  const password = body.password ?? '';
  if (body.email && body.phone) {
    throw invalidInput('Only an email address or phone number should be provided');
  }
  if (body.phone) {
    requirePhoneProvider(context);
    return { address: readPhone(body.phone), by: 'phone', password };
  }
  if (!body.email) throw invalidInput('missing email or phone');
  requireEmailProvider(context);
  return { address: readEmail(body.email), by: 'email', password };
}

/** @throws ServiceError 400 `user_banned`, `phone_not_confirmed`, `email_not_confirmed` */
async function requireUsable(
  { queries, client }: AuthOperation,
  user: UserRow,
  by: Credentials['by'],
): Promise<void> {
  if (isBanned(user)) {
    const entry = { action: 'login_failed', actorId: user.id, client, payload: { cause: 'banned' } } as const;
    await writeAudit(queries, entry);
    throw userBanned(400);
  }
  if (by === 'phone' && user.phone_confirmed_at === null) {
    throw new ServiceError(400, 'phone_not_confirmed', 'Phone not confirmed');
  }
  if (by === 'email' && user.email_confirmed_at === null) {
    throw new ServiceError(400, 'email_not_confirmed', 'Email not confirmed');
  }
}

/** The account after the sign-in, without reading it again. */
function signedInNow(user: UserRow, session: SessionRow, provider: string): UserRow {
  const at = session.created_at;
  const identities = user.identities.map((identity) =>
    identity.provider === provider ? { ...identity, last_sign_in_at: at.toISOString() } : identity,
  );
  return { ...user, last_sign_in_at: at, identities };
}

/**
 * The sign-in succeeds, but the reply says that the password no longer meets the rules
 * (docs/contracts/platform.md §2).
 */
function weaknessNote(context: AuthContext, user: UserRow, password: string): Record<string, unknown> {
  const { settings } = context.resources;
  const rules = passwordRules(settings);
  const reasons = weaknesses(password, rules, {
    email: user.email,
    metadata: user.raw_user_meta_data,
    brand: settings.BRAND,
  });
  if (reasons.length === 0) return {};
  return { weak_password: { message: weakPasswordMessage(reasons, rules.minLength), reasons } };
}
