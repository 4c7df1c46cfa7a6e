import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, clientOf } from '../auth-context.server.ts';
import { invalidInput, linkExpired, tokenExpired, userBanned } from '../auth-error.server.ts';
import { sendMail } from '../mails/mail-composition.server.ts';
import { applyPhoneToken, isPhoneToken, phoneTokenTypesOf } from '../phones/phone-confirmation.server.ts';
import { requirePhoneProvider } from '../phones/sms-code.server.ts';
import { BODIES, readBody, readEmail, readPhone } from '../request-input.server.ts';
import { limitAccount, limitAddress } from '../request-limits.server.ts';
import {
  type SessionRow,
  type SignInMethod,
  sessionBody,
  startSession,
} from '../sessions/session-issue.server.ts';
import { confirmNewEmail } from '../users/email-change.server.ts';
import { dropForeignIdentities, setEmailIdentity } from '../users/user-creation.server.ts';
import { findUser, isBanned, reloadUser, type UserRow } from '../users/user-lookup.server.ts';
import { type ConsumedToken, consumeCode, consumeLink, type TokenType } from './one-time-token.server.ts';

/** The tokens that each `type` in a request may use up. */
const TOKEN_TYPES: Record<string, readonly TokenType[]> = {
  signup: ['confirmation', 'magiclink'],
  email: ['confirmation', 'magiclink', 'invite'],
  magiclink: ['magiclink', 'confirmation'],
  recovery: ['recovery'],
  invite: ['invite'],
  email_change: ['email_change_current', 'email_change_new'],
};

/** The tokens that a `type` in a request may use up, or undefined for an unknown type. */
export function tokenTypesOf(type: string): readonly TokenType[] | undefined {
  return Object.hasOwn(TOKEN_TYPES, type) ? TOKEN_TYPES[type] : undefined;
}

/** The result of using up a token. */
export type Verified =
  | {
      readonly kind: 'user';
      readonly user: UserRow;
      readonly method: SignInMethod;
      readonly token: ConsumedToken;
    }
  | { readonly kind: 'waiting'; readonly token: ConsumedToken }
  | { readonly kind: 'refused'; readonly error: ServiceError };

const METHODS: Record<TokenType, SignInMethod> = {
  confirmation: 'email/signup',
  invite: 'invite',
  magiclink: 'otp',
  recovery: 'recovery',
  email_change_current: 'email_change',
  email_change_new: 'email_change',
  reauthentication: 'otp',
  phone_confirmation: 'otp',
  phone_login: 'otp',
  phone_change: 'otp',
};

/**
 * The message of the reply to the first half of a double change of address (docs/contracts/platform.md §2).
 */
export const FIRST_HALF_MESSAGE =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email';

/**
 * `POST /verify` with JSON: a session, or `{msg, code: "200"}` after the first half of
 * a double change of address.
 *
 * @throws ServiceError 403 `otp_expired`, `user_banned`; 400 `validation_failed`
 */
export async function verifyToken(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'verify');
  const body = readBody(BODIES.verify, request.body);
  const { database } = context.resources;
  const client = clientOf(context, request);
  const take = await takerOf(context, body);
  const outcome = await database.transaction(async (queries): Promise<Verified | SessionRow> => {
    const verified = await applyToken({ context, queries, client }, await take(queries));
    return verified.kind === 'user'
      ? startSession({ context, queries, client }, verified.user, { method: verified.method })
      : verified;
  });
  if (!('kind' in outcome)) return sessionBody(context, database, outcome);
  if (outcome.kind === 'refused') throw refusalOf(outcome.error, body.token_hash ? 'link' : 'code');
  return { msg: FIRST_HALF_MESSAGE, code: '200' };
}

/** One reply for every link and one for every code that is not valid, each in the reference's words. */
function refusalOf(error: ServiceError, by: 'link' | 'code'): ServiceError {
  return by === 'link' && error.code === 'otp_expired' ? linkExpired() : error;
}

async function takerOf(context: AuthContext, body: z.output<typeof BODIES.verify>) {
  const types = tokenTypesOf(body.type);
  if (body.token_hash) {
    if (body.email || body.phone || body.token) {
      throw invalidInput('Only the token_hash and type should be provided');
    }
    if (types === undefined) throw invalidInput('Invalid email verification type');
    const link = body.token_hash;
    return (queries: Queries) => consumeLink(context, queries, types, link);
  }
  if (!body.token) throw invalidInput('Verify requires either a token or a token hash');
  if (body.phone && !body.email) {
    requirePhoneProvider(context);
    const phone = readPhone(body.phone);
    const phoneTypes = phoneTokenTypesOf(body.type);
    if (phoneTypes === undefined) throw invalidInput('Invalid sms verification type');
    const given = body.token;
    await limitAccount(context, phone, 'codeOfAccount');
    return (queries: Queries) =>
      consumeCode(context, queries, { types: phoneTypes, address: phone, code: given });
  }
  if (!body.email || body.phone)
    throw invalidInput('Only an email address or phone number should be provided on verify');
  if (types === undefined) throw invalidInput('Invalid email verification type');
  const email = readEmail(body.email);
  const code = body.token;
  await limitAccount(context, email, 'codeOfAccount');
  return (queries: Queries) => consumeCode(context, queries, { types, address: email, code });
}

/**
 * Carries out what a token is for, in the transaction that used it up. Refusals are returned, so that wrong
 * tries are counted and the transaction commits.
 */
export async function applyToken(
  { context, queries, client }: AuthOperation,
  token: ConsumedToken | undefined,
): Promise<Verified> {
  const user = token === undefined ? undefined : await findUser(queries, token.user_id);
  if (token === undefined || user === undefined) {
    await writeAudit(queries, {
      action: 'verification_failed',
      actorId: null,
      client,
      payload: { cause: 'token' },
    });
    return { kind: 'refused', error: tokenExpired() };
  }
  if (isBanned(user)) return { kind: 'refused', error: userBanned(403) };
  if (isPhoneToken(token)) return applyPhoneToken({ context, queries, client }, user, token);
  const method = METHODS[token.token_type];
  if (method === 'email_change') {
    const changed = await confirmNewEmail({ context, queries, client }, user, token);
    if (changed === 'waiting') return { kind: 'waiting', token };
    if (changed === 'taken') return { kind: 'refused', error: tokenExpired() };
    return { kind: 'user', user: changed, method, token };
  }
  // A token for a former address of the account is no longer valid.
  if (token.relates_to !== user.email) return { kind: 'refused', error: tokenExpired() };
  const confirmed =
    user.email_confirmed_at === null ? await confirm({ context, queries, client }, user, token) : user;
  // The address was reached by mail, so the person who uses the token owns it (docs/security-attacks.md,
  // attack 6).
  await queries.run('update auth.users set email_proven_at = now() where id = $1', [user.id]);
  return { kind: 'user', user: confirmed, method, token };
}

async function confirm(
  { context, queries, client }: AuthOperation,
  user: UserRow,
  token: ConsumedToken,
): Promise<UserRow> {
  // A person who proves the address in any other way than by the sign-up's own mail may not be the one who
  // chose the password (attack 6).
  const keepPassword = token.token_type === 'confirmation';
  await queries.run(
    `update auth.users set email_confirmed_at = now(), updated_at = now(),
       encrypted_password = case when $2 then encrypted_password end where id = $1`,
    [user.id, keepPassword],
  );
  if (!keepPassword) await dropForeignIdentities(queries, user.id);
  await setEmailIdentity(queries, user.id, token.relates_to, true);
  await sendMail(context, queries, { kind: 'welcome', to: token.relates_to, reader: user }, {});
  await context.onConfirmed(queries, { id: user.id, email: token.relates_to }, client.address);
  await writeAudit(queries, {
    action: 'user_signedup',
    actorId: user.id,
    client,
    payload: { confirmed: true },
  });
  return reloadUser(queries, user.id);
}
