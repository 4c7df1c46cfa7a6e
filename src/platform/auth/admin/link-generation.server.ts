import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import { hashPassword } from '../../resources/crypto/passwords.ts';
import type { Queries } from '../../resources/database/database.ts';
import { allowedRedirect } from './allow-redirect.server.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { invalidInput } from './auth-error.server.ts';
import { requireStrongPassword } from './check-password.server.ts';
import { sendMail } from './compose-mail.server.ts';
import { createUser, type NewAccount, replaceUnconfirmed } from './create-user.server.ts';
import { findUserByEmail, reloadUser, type UserRow } from './find-user.server.ts';
import { redirectOf, verifyLink } from './mail-link.server.ts';
import { type IssuedToken, issueToken, type TokenType } from './one-time-token.server.ts';
import { ADMIN_BODIES } from './read-admin-input.server.ts';
import { readBody, readEmail } from './read-input.server.ts';
import { userBody } from './show-user.server.ts';
import { emailExists } from './update-user.server.ts';
import { writeAudit } from './write-audit.server.ts';

type LinkType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change_current' | 'email_change_new';

const TOKENS: Record<LinkType, TokenType> = {
  signup: 'confirmation',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change_current: 'email_change_current',
  email_change_new: 'email_change_new',
};

/** `POST /invite`: an account with a mail that opens it. @throws ServiceError 422 `email_exists` */
export async function inviteUser(context: AuthContext, request: FastifyRequest) {
  const body = readBody(ADMIN_BODIES.invite, request.body);
  const email = readEmail(body.email);
  const { database } = context.resources;
  const user = await database.transaction(async (queries) => {
    const invited = await inviteTo(context, queries, email, body.data ?? {}, request);
    const token = await issueToken(context, queries, { userId: invited.id, type: 'invite', address: email });
    const href = verifyLink(context, token.link, 'invite', redirectOf(context, request.query));
    await sendMail(
      context,
      queries,
      { kind: 'invite', to: email, reader: invited },
      { href, code: token.code },
    );
    return reloadUser(queries, invited.id);
  });
  return userBody(user);
}

async function inviteTo(
  context: AuthContext,
  queries: Queries,
  email: string,
  metadata: Record<string, unknown>,
  request: FastifyRequest,
): Promise<UserRow> {
  const before = await findUserByEmail(queries, email);
  if (before !== undefined && before.email_confirmed_at !== null) throw emailExists();
  const user = before ?? (await createUser(queries, { email, metadata, passwordHash: null }, false));
  if (user === undefined) throw emailExists();
  await queries.run('update auth.users set invited_at = now() where id = $1', [user.id]);
  await writeAudit(queries, 'user_invited', user.id, clientOf(context, request));
  return user;
}

/**
 * `POST /admin/generate_link`: what a mail would hold, for an administrator to send
 * (contract §2): user fields with `action_link, email_otp, hashed_token,
 * verification_type, redirect_to`. No mail is sent.
 *
 * @throws ServiceError 404 `user_not_found`, 422 `email_exists`, 400 `validation_failed`
 */
export async function generateLink(context: AuthContext, request: FastifyRequest) {
  const body = readBody(ADMIN_BODIES.link, request.body);
  const email = readEmail(body.email);
  const newEmail = body.new_email ? readEmail(body.new_email) : undefined;
  const passwordHash = body.type === 'signup' ? await signUpPassword(context, email, body.password) : null;
  const account = { email, metadata: body.data ?? {}, passwordHash };
  const redirectTo = allowedRedirect(body.redirect_to, context.resources);

  return context.resources.database.transaction(async (queries) => {
    const known = await findUserByEmail(queries, email);
    // A way in for somebody new is a sign-up (contract §2).
    const type = body.type === 'magiclink' && known === undefined ? 'signup' : body.type;
    const user = await ownerOf(context, queries, type, known, account, request);
    const address = await addressOf(queries, type, user, email, newEmail);
    const token = await issueToken(context, queries, { userId: user.id, type: TOKENS[type], address });
    return linkBody(context, await reloadUser(queries, user.id), type, token, redirectTo);
  });
}

async function signUpPassword(
  context: AuthContext,
  email: string,
  password: string | null | undefined,
): Promise<string> {
  if (!password) throw invalidInput('Signup requires a valid password');
  const { AUTH_PASSWORD_MIN_LENGTH: minLength, BRAND: brand } = context.resources.settings;
  requireStrongPassword(password, minLength, { email, metadata: {}, brand });
  return hashPassword(password);
}

async function ownerOf(
  context: AuthContext,
  queries: Queries,
  type: LinkType,
  known: UserRow | undefined,
  account: NewAccount & { readonly email: string },
  request: FastifyRequest,
): Promise<UserRow> {
  if (type === 'invite') return inviteTo(context, queries, account.email, account.metadata, request);
  if (type === 'signup') {
    if (known !== undefined && known.email_confirmed_at !== null) throw emailExists();
    const user =
      known === undefined
        ? await createUser(queries, account, false)
        : await replaceUnconfirmed(queries, known.id, account, false);
    if (user === undefined) throw emailExists();
    return user;
  }
  if (known === undefined) throw new ServiceError(404, 'user_not_found', 'User with this email not found');
  return known;
}

async function addressOf(
  queries: Queries,
  type: LinkType,
  user: UserRow,
  email: string,
  newEmail: string | undefined,
): Promise<string> {
  if (type !== 'email_change_current' && type !== 'email_change_new') return email;
  if (newEmail === undefined) throw invalidInput('An email change needs new_email');
  if ((await findUserByEmail(queries, newEmail)) !== undefined) throw emailExists();
  await queries.run('update auth.users set email_change = $2, email_change_sent_at = now() where id = $1', [
    user.id,
    newEmail,
  ]);
  return type === 'email_change_new' ? newEmail : email;
}

function linkBody(
  context: AuthContext,
  user: UserRow,
  type: LinkType,
  token: IssuedToken,
  redirectTo: string,
): Record<string, unknown> {
  const wireType = type.startsWith('email_change') ? 'email_change' : type;
  return {
    ...userBody(user),
    action_link: verifyLink(context, token.link, wireType, redirectTo),
    email_otp: token.code,
    hashed_token: token.link,
    verification_type: type,
    redirect_to: redirectTo,
  };
}
