import type { FastifyRequest } from 'fastify';
import type { AuthContext } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { sendPhoneLogin } from '../phones/phone-login.server.ts';
import { BODIES, languageOf, readBody, readChallenge, readEmail } from '../request-input.server.ts';
import { limitAddress, limitMail } from '../request-limits.server.ts';
import { redirectOf } from '../tokens/link-verification.server.ts';
import { requireEmailProvider } from '../users/email-provider-check.server.ts';
import { refuseUnknown } from '../users/one-time-code-refusal.server.ts';
import { findUserByEmail } from '../users/user-lookup.server.ts';
import { requestMail } from './mail-sending.server.ts';

/**
 * `POST /otp`: sends a mail with a link and a code that sign in. Always replies `{}`, also for an address
 * without an account when `create_user` is false (docs/contracts/platform.md §6 "Enumeration").
 *
 * With AUTH_UNKNOWN_OTP=refuse the reply says that such an address has no account.
 *
 * @throws ServiceError 400 `validation_failed`, 422 `otp_disabled`, 429 `over_email_send_rate_limit`
 */
export async function sendOneTimeLogin(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'otp');
  const body = readBody(BODIES.address, request.body);
  if (body.email && body.phone)
    throw invalidInput('Only an email address or phone number should be provided');
  if (body.phone) return sendPhoneLogin(context, request, body);
  if (!body.email) throw invalidInput('One of email or phone must be set');
  requireEmailProvider(context);
  const email = readEmail(body.email);
  const challenge = readChallenge(body);
  await limitMail(context, email);
  const mayCreate = (body.create_user ?? true) && context.resources.settings.AUTH_SIGNUP;
  if (!mayCreate) await refuseUnknown(context, () => findUserByEmail(context.resources.database, email));
  await requestMail(context, context.resources.database, {
    kind: 'magiclink',
    email,
    redirectTo: redirectOf(context, request.query),
    challenge,
    newAccount: mayCreate ? (body.data ?? {}) : undefined,
    locale: languageOf(request),
  });
  return {};
}
