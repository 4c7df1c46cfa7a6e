import type { FastifyRequest } from 'fastify';
import type { AuthContext } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { requestMail } from '../mails/mail-sending.server.ts';
import { BODIES, readBody, readChallenge, readEmail } from '../request-input.server.ts';
import { limitAddress, limitMail } from '../request-limits.server.ts';
import { redirectOf } from '../tokens/link-verification.server.ts';

/**
 * `POST /recover`: always replies `{}`; the owner of an account gets a mail.
 *
 * @throws ServiceError 400 `validation_failed`, 429 `over_email_send_rate_limit`
 */
export async function recoverPassword(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'recover');
  const body = readBody(BODIES.address, request.body);
  if (!body.email) throw invalidInput('Password recovery requires an email');
  const email = readEmail(body.email);
  const challenge = readChallenge(body);
  await limitMail(context, email);
  const redirectTo = redirectOf(context, request.query);
  await requestMail(context, context.resources.database, { kind: 'recovery', email, redirectTo, challenge });
  return {};
}
