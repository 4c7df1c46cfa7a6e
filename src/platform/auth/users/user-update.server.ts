import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, type Client, clientOf } from '../auth-context.server.ts';
import { hasFactor } from '../factors/factor-lookup.server.ts';
import { newPasswordHash, setPassword } from '../passwords/password-change.server.ts';
import { phoneExists, requestPhoneChange, setPhone } from '../phones/phone-change.server.ts';
import { readChannel, requirePhoneProvider, type SmsToSend, sendSms } from '../phones/sms-code.server.ts';
import {
  BODIES,
  mergeMetadata,
  readBody,
  readChallenge,
  readEmail,
  readPhone,
} from '../request-input.server.ts';
import { limitAddress, limitMail, limitSms } from '../request-limits.server.ts';
import { requireSession, type SignedIn } from '../sessions/session-require.server.ts';
import { redirectOf } from '../tokens/link-verification.server.ts';
import { requestEmailChange, setEmail } from './email-change.server.ts';
import {
  findUserByEmail,
  findUserByPhone,
  lockMetadata,
  reloadUser,
  type UserRow,
} from './user-lookup.server.ts';
import { userBody } from './user-view.server.ts';

type Change = z.output<typeof BODIES.updateUser>;

/**
 * `PUT /user` (docs/contracts/platform.md §2). The token says whose account it is; `id`, `role`,
 * `app_metadata` and the like in the body are ignored (docs/security-attacks.md, attacks 16, 19).
 *
 * @throws ServiceError 422 `same_password`, `email_exists`, `phone_exists`, `weak_password`,
 * `sms_send_failed`; 401 `insufficient_aal`; 400 `current_password_required`, `current_password_invalid`,
 * `phone_provider_disabled`, `validation_failed`
 */
export async function updateUser(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'user');
  const signedIn = await requireSession(context, request);
  const body = readBody(BODIES.updateUser, request.body);
  const client = clientOf(context, request);
  const { user } = signedIn;
  refuseWithoutRight(signedIn, body);

  // Checked before anything is sent; the stored metadata are read again later, under a lock.
  if (body.data) mergeMetadata(user.raw_user_meta_data, body.data);
  const challenge = readChallenge(body);
  const channel = readChannel(body.channel);
  const newEmail = await wantedEmail(context, user, body.email);
  const newPhone = await wantedPhone(context, request, user, body.phone);
  const passwordHash =
    body.password === undefined || body.password === null
      ? undefined
      : await newPasswordHash(context, signedIn, { ...body, password: body.password }, client);

  const { updated, message } = await context.resources.database.transaction(async (queries) => {
    if (body.data) await setMetadata(queries, user, body.data, client);
    if (passwordHash !== undefined) await setPassword({ context, queries, client }, signedIn, passwordHash);
    if (newEmail !== undefined) {
      const redirectTo = redirectOf(context, request.query);
      if (becomesPermanentAtOnce(context, user)) {
        if ((await setEmail({ context, queries, client }, user, newEmail)) === undefined) throw emailExists();
      } else
        await requestEmailChange({ context, queries, client }, user, { newEmail, redirectTo, challenge });
    }
    const sms = newPhone && (await changePhone({ context, queries, client }, user, { newPhone, channel }));
    return { updated: await reloadUser(queries, user.id), message: sms };
  });
  if (message) await sendSms(context, message);
  return userBody(updated);
}

/** 422: the address belongs to another account. */
export function emailExists(): ServiceError {
  return new ServiceError(422, 'email_exists', 'A user with this email address has already been registered');
}

function refuseWithoutRight({ user, aal }: SignedIn, body: Change): void {
  const isSensitive = body.email || body.phone || body.password;
  if ((isSensitive || body.data) && hasFactor(user) && aal !== 'aal2') {
    const what = isSensitive ? 'email or password' : 'the profile';
    throw new ServiceError(
      401,
      'insufficient_aal',
      `AAL2 session is required to update ${what} when MFA is enabled.`,
    );
  }
  if (user.is_sso_user && isSensitive) {
    throw new ServiceError(422, 'user_sso_managed', 'A user of single sign-on cannot change these fields');
  }
  if (user.is_anonymous && body.password && !body.email && !body.phone && user.email_change === null) {
    throw new ServiceError(
      422,
      'validation_failed',
      'Updating password of an anonymous user without an email or phone is not allowed',
    );
  }
}

/**
 * An anonymous account has no current address that could confirm the change. Where accounts need no
 * confirmation, the new address needs none either.
 */
function becomesPermanentAtOnce({ resources }: AuthContext, user: UserRow): boolean {
  return user.is_anonymous && resources.settings.AUTH_AUTOCONFIRM;
}

async function wantedEmail(
  context: AuthContext,
  user: UserRow,
  text: string | null | undefined,
): Promise<string | undefined> {
  const email = text ? readEmail(text) : undefined;
  if (email === undefined || email === user.email) return undefined;
  if ((await findUserByEmail(context.resources.database, email)) !== undefined) throw emailExists();
  if (!becomesPermanentAtOnce(context, user)) await limitMail(context, email);
  return email;
}

async function wantedPhone(
  context: AuthContext,
  request: FastifyRequest,
  user: UserRow,
  text: string | null | undefined,
): Promise<string | undefined> {
  if (!text) return undefined;
  requirePhoneProvider(context);
  const phone = readPhone(text);
  if (phone === user.phone) return undefined;
  if ((await findUserByPhone(context.resources.database, phone)) !== undefined) throw phoneExists();
  if (!becomesPermanentAtOnce(context, user)) await limitSms(context, request, phone);
  return phone;
}

async function changePhone(
  { context, queries, client }: AuthOperation,
  user: UserRow,
  change: Parameters<typeof requestPhoneChange>[2],
): Promise<SmsToSend | undefined> {
  if (!becomesPermanentAtOnce(context, user))
    return requestPhoneChange({ context, queries, client }, user, change);
  if ((await setPhone({ context, queries, client }, user, change.newPhone)) === undefined)
    throw phoneExists();
  return undefined;
}

/** Of two simultaneous changes, neither undoes the other. */
async function setMetadata(
  queries: Queries,
  user: UserRow,
  change: Record<string, unknown>,
  client: Client,
): Promise<void> {
  const { raw_user_meta_data: present } = await lockMetadata(queries, user.id);
  await queries.run('update auth.users set raw_user_meta_data = $2, updated_at = now() where id = $1', [
    user.id,
    JSON.stringify(mergeMetadata(present, change)),
  ]);
  await writeAudit(queries, {
    action: 'user_modified',
    actorId: user.id,
    client,
    payload: { fields: ['user_metadata'] },
  });
}
