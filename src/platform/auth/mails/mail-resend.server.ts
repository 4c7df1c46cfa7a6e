import type { FastifyRequest } from 'fastify';
import type { AuthContext } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { resendSms } from '../phones/phone-login.server.ts';
import { BODIES, readBody, readChallenge, readEmail } from '../request-input.server.ts';
import { limitAddress, limitMail } from '../request-limits.server.ts';
import { redirectOf } from '../tokens/link-verification.server.ts';
import { requestMail } from './mail-sending.server.ts';

/**
 * `POST /resend`: sends the mail of an unconfirmed sign-up or of a requested change of address again, with
 * new tokens. Always replies `{}`, even when there is nothing to send.
 *
 * @throws ServiceError 400 `validation_failed`, `phone_provider_disabled`; 429 `over_email_send_rate_limit`
 */
export async function resendMail(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'resend');
  const body = readBody(BODIES.address, request.body);
  if (body.type === 'sms' || body.type === 'phone_change') {
    return resendSms(context, request, body);
  }
  if (body.type !== 'signup' && body.type !== 'email_change') {
    throw invalidInput('Missing one of these types: signup, email_change, sms, phone_change');
  }
  if (!body.email) throw invalidInput('Type provided requires an email address');
  const email = readEmail(body.email);
  const challenge = readChallenge(body);
  await limitMail(context, email);
  await requestMail(context, context.resources.database, {
    kind: body.type === 'signup' ? 'resend' : 'email_change',
    email,
    redirectTo: redirectOf(context, request.query),
    challenge,
  });
  return {};
}
