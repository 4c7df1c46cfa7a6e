import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import { hashPassword } from '../../resources/crypto/passwords.ts';
import type { Queries } from '../../resources/database/database.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { invalidInput } from './auth-error.server.ts';
import { requireStrongPassword } from './check-password.server.ts';
import { AUTH_MAILS } from './compose-mail.server.ts';
import { createUser, type NewAccount, replaceUnconfirmed } from './create-user.server.ts';
import { findUserByEmail, type UserRow } from './find-user.server.ts';
import { sessionBody, startSession } from './issue-session.server.ts';
import { limitAddress, limitMail } from './limit-requests.server.ts';
import { redirectOf } from './mail-link.server.ts';
import { BODIES, readBody, readChallenge, readEmail } from './read-input.server.ts';
import { requestMail } from './send-auth-mail.server.ts';
import { userBody } from './show-user.server.ts';
import { writeAudit } from './write-audit.server.ts';

/**
 * `POST /signup` (contract §2): a session when accounts confirm themselves, else the
 * user object, with the same answer and the same work for an address that is taken.
 *
 * @throws ServiceError 422 `signup_disabled`, `weak_password`, `user_already_exists`; 400 `validation_failed`
 */
export async function signUp(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'signup');
  const { settings } = context.resources;
  const body = readBody(BODIES.signUp, request.body);
  if (!settings.AUTH_SIGNUP) {
    throw new ServiceError(422, 'signup_disabled', 'Signups not allowed for this instance');
  }
  refuseOtherKinds(body);
  const challenge = readChallenge(body);
  const email = readEmail(body.email ?? '');
  const metadata = body.data ?? {};
  if (!body.password) throw invalidInput('Signup requires a valid password');
  requireStrongPassword(body.password, settings.AUTH_PASSWORD_MIN_LENGTH, {
    email,
    metadata,
    brand: settings.BRAND,
  });
  if (!settings.AUTH_AUTOCONFIRM) limitMail(context, email);
  // Before anything is looked up, so that a taken address costs the same.
  const account = { email, metadata, passwordHash: await hashPassword(body.password) };
  return settings.AUTH_AUTOCONFIRM
    ? signUpAtOnce(context, request, account)
    : signUpByMail(context, request, account, {
        kind: 'signup' as const,
        email,
        redirectTo: redirectOf(context, request.query),
        challenge,
      });
}

function refuseOtherKinds(body: {
  email?: string | null | undefined;
  phone?: string | null | undefined;
}): void {
  if (body.email && body.phone) {
    throw invalidInput('Only an email address or phone number should be provided on signup.');
  }
  if (body.phone) throw new ServiceError(400, 'phone_provider_disabled', 'Phone signups are disabled');
  if (!body.email) {
    throw new ServiceError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  }
}

async function signUpAtOnce(context: AuthContext, request: FastifyRequest, account: NewAccount) {
  const client = clientOf(context, request);
  const { database, mailer, settings, siteUrl } = context.resources;
  const session = await database.transaction(async (queries) => {
    const user = await createOrReplace(queries, account, true);
    if (user === undefined) return undefined;
    await writeAudit(queries, 'user_signedup', user.id, client, { provider: 'email' });
    await mailer.send(queries, AUTH_MAILS.welcome({ to: account.email, brand: settings.BRAND, siteUrl }));
    return startSession(queries, user, 'password', client);
  });
  if (session === undefined) {
    await writeAudit(database, 'user_repeated_signup', null, client);
    // The text that names the account is allowed here, but not for harvesting (security.md, attack 8).
    limitAddress(context, request, 'existing');
    throw new ServiceError(422, 'user_already_exists', 'User already registered');
  }
  return sessionBody(context, database, session);
}

async function signUpByMail(
  context: AuthContext,
  request: FastifyRequest,
  account: NewAccount,
  mail: Parameters<typeof requestMail>[2],
) {
  const client = clientOf(context, request);
  return context.resources.database.transaction(async (queries) => {
    const user = await createOrReplace(queries, account, false);
    const action = user === undefined ? 'user_repeated_signup' : 'user_signedup';
    await writeAudit(queries, action, user?.id ?? null, client, { provider: 'email' });
    await requestMail(context, queries, mail);
    return userBody(user ?? pretendedUser(account));
  });
}

/** The account, new or taken over from somebody who never confirmed; undefined when it is somebody's. */
async function createOrReplace(
  queries: Queries,
  account: NewAccount,
  confirmed: boolean,
): Promise<UserRow | undefined> {
  const created = await createUser(queries, account, confirmed);
  if (created !== undefined) return created;
  const owner = await findUserByEmail(queries, account.email);
  if (owner === undefined || owner.email_confirmed_at !== null) return undefined;
  return replaceUnconfirmed(queries, owner.id, account, confirmed);
}

/** Looks like the answer to a new address; nothing of it is kept. */
function pretendedUser({ email, metadata }: NewAccount): UserRow {
  const id = randomUUID();
  const now = new Date();
  const time = now.toISOString();
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone: null,
    encrypted_password: null,
    email_confirmed_at: null,
    phone_confirmed_at: null,
    invited_at: null,
    confirmation_sent_at: now,
    recovery_sent_at: null,
    reauthentication_sent_at: null,
    email_change: null,
    email_change_sent_at: null,
    phone_change: null,
    phone_change_sent_at: null,
    last_sign_in_at: null,
    raw_app_meta_data: { provider: 'email', providers: ['email'] },
    raw_user_meta_data: metadata,
    is_sso_user: false,
    is_anonymous: false,
    banned_until: null,
    deleted_at: null,
    created_at: now,
    updated_at: now,
    factors: [],
    identities: [
      {
        id: randomUUID(),
        user_id: id,
        provider: 'email',
        provider_id: id,
        identity_data: { email, email_verified: false, phone_verified: false, sub: id },
        email,
        last_sign_in_at: null,
        created_at: time,
        updated_at: time,
      },
    ],
  };
}
