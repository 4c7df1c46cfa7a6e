import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type AuthOperation, clientOf } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { sendMail } from '../mails/mail-composition.server.ts';
import { passwordRules, requireStrongPassword } from '../passwords/password-strength.server.ts';
import { allowedRedirect } from '../redirect-allowlist.server.ts';
import { readBody, readEmail } from '../request-input.server.ts';
import { redirectOf, verifyLink } from '../tokens/link-verification.server.ts';
import { type IssuedToken, issueToken, type TokenType } from '../tokens/one-time-token.server.ts';
import { createUser, type NewAccount, replaceUnconfirmed } from '../users/user-creation.server.ts';
import { findUserByEmail, reloadUser, type UserRow } from '../users/user-lookup.server.ts';
import { emailExists } from '../users/user-update.server.ts';
import { userBody } from '../users/user-view.server.ts';
import { ADMIN_BODIES } from './admin-input.server.ts';

type LinkType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change_current' | 'email_change_new';

const TOKENS: Record<LinkType, TokenType> = {
  signup: 'confirmation',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change_current: 'email_change_current',
  email_change_new: 'email_change_new',
};

/**
 * `POST /invite`: creates an account and sends a mail whose link opens it. @throws ServiceError 422
 * `email_exists`
 */
export async function inviteUser(context: AuthContext, request: FastifyRequest) {
  const body = readBody(ADMIN_BODIES.invite, request.body);
  const email = readEmail(body.email);
  const { database } = context.resources;
  const user = await database.transaction(async (queries) => {
    const operation = { context, queries, client: clientOf(context, request) };
    const invited = await inviteTo(operation, email, body.data ?? {});
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
  { queries, client }: AuthOperation,
  email: string,
  metadata: Record<string, unknown>,
): Promise<UserRow> {
  const before = await findUserByEmail(queries, email);
  if (before !== undefined && before.email_confirmed_at !== null) throw emailExists();
  const user = before ?? (await createUser(queries, { email, metadata, passwordHash: null }, false));
  if (user === undefined) throw emailExists();
  await queries.run('update auth.users set invited_at = now() where id = $1', [user.id]);
  await writeAudit(queries, { action: 'user_invited', actorId: user.id, client });
  return user;
}

/**
 * `POST /admin/generate_link`: the content of a mail, for an administrator to send
 * (docs/contracts/platform.md §2): user fields with `action_link, email_otp, hashed_token, verification_type,
 * redirect_to`. We send no mail.
 *
 * @throws ServiceError 404 `user_not_found`, 422 `email_exists`, 400 `validation_failed`
 */
export async function generateLink(context: AuthContext, request: FastifyRequest) {
  const body = readBody(ADMIN_BODIES.link, request.body);
  const email = readEmail(body.email);
  const newEmail = body.new_email ? readEmail(body.new_email) : undefined;
  const passwordHash = body.type === 'signup' ? await signUpPassword(context, email, body.password) : null;
  const account = { email, metadata: body.data ?? {}, passwordHash };
  // The client sends it in the address, as it does for mails; other programs send it in the body.
  const redirectTo = body.redirect_to
    ? allowedRedirect(body.redirect_to, context.resources)
    : redirectOf(context, request.query);

  return context.resources.database.transaction(async (queries) => {
    const known = await findUserByEmail(queries, email);
    // A sign-in link for an unknown address is a sign-up (docs/contracts/platform.md §2).
    const type = body.type === 'magiclink' && known === undefined ? 'signup' : body.type;
    const operation = { context, queries, client: clientOf(context, request) };
    const user = await ownerOf(operation, type, known, account);
    const address =
      type === 'email_change_current' || type === 'email_change_new'
        ? await noteEmailChange({ context, queries }, user, { type, email, newEmail })
        : email;
    const token = await issueToken(context, queries, { userId: user.id, type: TOKENS[type], address });
    return linkBody(context, await reloadUser(queries, user.id), { type, token, redirectTo });
  });
}

async function signUpPassword(
  context: AuthContext,
  email: string,
  password: string | null | undefined,
): Promise<string> {
  if (!password) throw invalidInput('Signup requires a valid password');
  const { settings } = context.resources;
  const { BRAND: brand } = settings;
  requireStrongPassword(password, passwordRules(settings), { email, metadata: {}, brand });
  return context.passwords.hash(password);
}

async function ownerOf(
  operation: AuthOperation,
  type: LinkType,
  known: UserRow | undefined,
  account: NewAccount & { readonly email: string },
): Promise<UserRow> {
  const { queries } = operation;
  if (type === 'invite') return inviteTo(operation, account.email, account.metadata);
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

/**
 * Records the requested address and returns the one that the link is for. The other address has to confirm as
 * well (docs/contracts/platform.md §6), so it gets a token too: the change waits until its link is generated
 * and used.
 */
async function noteEmailChange(
  { context, queries }: Pick<AuthOperation, 'context' | 'queries'>,
  user: UserRow,
  change: { readonly type: LinkType; readonly email: string; readonly newEmail: string | undefined },
): Promise<string> {
  const { type, email, newEmail } = change;
  if (newEmail === undefined) throw invalidInput('An email change needs new_email');
  if ((await findUserByEmail(queries, newEmail)) !== undefined) throw emailExists();
  if (user.email_change !== newEmail) {
    await issueToken(context, queries, { userId: user.id, type: 'email_change_current', address: email });
    await issueToken(context, queries, { userId: user.id, type: 'email_change_new', address: newEmail });
  }
  await queries.run('update auth.users set email_change = $2, email_change_sent_at = now() where id = $1', [
    user.id,
    newEmail,
  ]);
  return type === 'email_change_new' ? newEmail : email;
}

function linkBody(
  context: AuthContext,
  user: UserRow,
  link: { readonly type: LinkType; readonly token: IssuedToken; readonly redirectTo: string },
): Record<string, unknown> {
  const { type, token, redirectTo } = link;
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
