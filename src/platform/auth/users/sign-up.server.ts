import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { sendMail } from '../mails/mail-composition.server.ts';
import { requestMail } from '../mails/mail-sending.server.ts';
import { passwordRules, requireStrongPassword } from '../passwords/password-strength.server.ts';
import { signUpByPhone } from '../phones/phone-sign-up.server.ts';
import { readChannel, requirePhoneProvider } from '../phones/sms-code.server.ts';
import {
  BODIES,
  type Challenge,
  languageOf,
  readBody,
  readChallenge,
  readEmail,
  readPhone,
} from '../request-input.server.ts';
import { limitAddress, limitMail } from '../request-limits.server.ts';
import { redirectOf } from '../tokens/link-verification.server.ts';
import { requireEmailProvider } from './email-provider-check.server.ts';
import { fakeUserResponse } from './fake-user-response.server.ts';
import { signUpAnonymously } from './sign-up-anonymous.server.ts';
import { signUpAtOnce } from './sign-up-autoconfirm.server.ts';
import { createUser, type NewAccount, replaceUnconfirmed } from './user-creation.server.ts';
import { findUserByEmail, type UserRow } from './user-lookup.server.ts';
import { userBody } from './user-view.server.ts';

/**
 * `POST /signup` (docs/contracts/platform.md §2): a session when accounts need no confirmation, else the user
 * object. A taken address gets the same reply after the same work.
 *
 * @throws ServiceError 422 `signup_disabled`, `weak_password`, `user_already_exists`,
 * `anonymous_provider_disabled`; 400 `validation_failed`, `phone_provider_disabled`
 */
export async function signUp(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'signup');
  const { settings } = context.resources;
  const body = readBody(BODIES.signUp, request.body);
  if (!settings.AUTH_SIGNUP) {
    throw new ServiceError(422, 'signup_disabled', 'Signups not allowed for this instance');
  }
  if (body.email && body.phone) {
    throw invalidInput('Only an email address or phone number should be provided on signup.');
  }
  const metadata = body.data ?? {};
  const locale = languageOf(request);
  if (!body.email && !body.phone) return signUpAnonymously(context, request, metadata, locale);
  if (body.phone) requirePhoneProvider(context);
  else requireEmailProvider(context);
  const challenge = readChallenge(body);
  const phone = body.phone ? readPhone(body.phone) : null;
  const channel = readChannel(body.channel);
  const email = body.email ? readEmail(body.email) : null;
  if (!body.password) throw invalidInput('Signup requires a valid password');
  requireStrongPassword(body.password, passwordRules(settings), {
    email,
    metadata,
    brand: settings.BRAND,
  });
  if (!settings.AUTH_AUTOCONFIRM && email !== null) await limitMail(context, email);
  // Hashed before anything is looked up, so that a taken address costs the same time.
  const account = { metadata, locale, passwordHash: await context.passwords.hash(body.password) };
  if (phone !== null) return signUpByPhone(context, request, { ...account, email, phone }, channel);
  return signUpByEmail(context, request, { ...account, email: email ?? '' }, challenge);
}

interface EmailAccount extends NewAccount {
  readonly email: string;
}

function signUpByEmail(
  context: AuthContext,
  request: FastifyRequest,
  account: EmailAccount,
  challenge: Challenge | undefined,
) {
  return context.resources.settings.AUTH_AUTOCONFIRM
    ? signUpAtOnce(context, request, 'email', async (queries) => {
        const user = await createOrReplace(queries, account, true);
        if (user === undefined) return undefined;
        await sendMail(context, queries, { kind: 'welcome', to: account.email, reader: user }, {});
        const { address } = clientOf(context, request);
        await context.onConfirmed(queries, { id: user.id, email: account.email }, address);
        return user;
      })
    : signUpByMail(context, request, account, {
        kind: 'signup' as const,
        email: account.email,
        redirectTo: redirectOf(context, request.query),
        challenge,
      });
}

async function signUpByMail(
  context: AuthContext,
  request: FastifyRequest,
  account: EmailAccount,
  mail: Parameters<typeof requestMail>[2],
) {
  const client = clientOf(context, request);
  return context.resources.database.transaction(async (queries) => {
    const user = await createOrReplace(queries, account, false);
    const action = user === undefined ? 'user_repeated_signup' : 'user_signedup';
    await writeAudit(queries, { action, actorId: user?.id ?? null, client, payload: { provider: 'email' } });
    await requestMail(context, queries, mail);
    return userBody(user ?? fakeUserResponse(randomUUID(), account));
  });
}

/**
 * The account: a new one, or a taken-over one that nobody ever confirmed; undefined when the address is
 * taken.
 */
async function createOrReplace(
  queries: Queries,
  account: EmailAccount,
  confirmed: boolean,
): Promise<UserRow | undefined> {
  const created = await createUser(queries, account, confirmed);
  if (created !== undefined) return created;
  const owner = await findUserByEmail(queries, account.email);
  if (owner === undefined || owner.email_confirmed_at !== null) return undefined;
  return replaceUnconfirmed(queries, owner.id, account, confirmed);
}
