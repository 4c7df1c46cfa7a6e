import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { ValuesOf } from '../../../kernel/resources/database/fixed-sql.ts';
import { prepared } from '../../../kernel/resources/database/prepared-statements.ts';
import type { AuthContext, AuthOperation } from '../auth-context.server.ts';
import { reloadUser, type UserRow } from '../users/user-lookup.server.ts';
import { userBody } from '../users/user-view.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'auth.sessions.amr': AmrEntry[];
  }
}

/** How a session was started; the values of the `amr` claim. */
export type SignInMethod =
  | 'password'
  | 'otp'
  | 'recovery'
  | 'invite'
  | 'magiclink'
  | 'email/signup'
  | 'email_change'
  | 'oauth'
  | 'sso/saml'
  | 'passkey'
  | 'mfa/webauthn'
  | 'totp'
  | 'mfa/phone'
  | 'mfa/recovery_code'
  | 'anonymous';

/** One entry of the `amr` claim; `timestamp` is epoch seconds. */
export interface AmrEntry {
  readonly method: SignInMethod;
  readonly timestamp: number;
  /** The company's single sign-on, with `sso/saml`. */
  readonly provider?: string;
}

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly aal: string;
  readonly amr: AmrEntry[];
  /** A bigint, which arrives as text. */
  readonly refresh_counter: string;
  readonly window_counter: string;
  readonly used_counter: string;
  readonly refreshed_at: Date | null;
  readonly not_after: Date | null;
  readonly created_at: Date;
}

/** The columns of a SessionRow. */
export const SESSION_COLUMNS =
  'id, user_id, aal, amr, refresh_counter, window_counter, used_counter, refreshed_at, not_after, created_at';

/** Life of an access token, seconds (docs/contracts/platform.md §6). */
export const ACCESS_TOKEN_SECONDS = 3600;

/** How a user signed in, and what the sign-in depends on. */
interface SignIn {
  readonly method: SignInMethod;
  /** The identity that was used; default `email`. */
  readonly provider?: string | undefined;
  /** The password hash that was compared: the sign-in fails if it has been changed since. */
  readonly compared?: string | undefined;
  /** A hash of the same password by today's rules, which replaces it. */
  readonly rehashed?: string | undefined;
}

/**
 * One statement, and so one round trip and, outside of a transaction, one commit: the session, the record of
 * the last sign-in, the audit entry, and with AUTH_SINGLE_SESSION the end of the user's other sessions. The
 * statement's snapshot does not contain the new session.
 */
const START_SESSION = prepared(`with person as (
    update auth.users set last_sign_in_at = now(), encrypted_password = coalesce($8, encrypted_password)
    where id = $1 and ($7::text is null or (encrypted_password = $7 and coalesce(banned_until <= now(), true)
      and deleted_at is null))
    returning id
  ), session as (
    insert into auth.sessions (user_id, amr, user_agent, ip, not_after)
    select id, $2, $3, $4, now() + make_interval(hours => nullif($9::int, 0)) from person returning ${SESSION_COLUMNS}
  ), identity as (
    update auth.identities set last_sign_in_at = now() where user_id = $1 and provider = $6
      and exists (select from person)
  ), others as (
    delete from auth.sessions where user_id = $1 and $10 and exists (select from person)
  ), entry as (
    insert into auth.audit_log_entries (action, actor_id, ip_address, payload)
    select 'login', user_id, $4, jsonb_build_object('method', $5::text, 'session', id) from session
  )
  select ${SESSION_COLUMNS} from session`);

/**
 * Starts a session of a user and records the sign-in. Undefined only when `compared` is no longer the
 * account's password, or the account was banned in the meantime.
 */
export async function tryStartSession(
  operation: AuthOperation,
  user: UserRow,
  signIn: SignIn,
): Promise<SessionRow | undefined> {
  return operation.queries.maybe(START_SESSION, ...sessionValues(operation, user, signIn));
}

function sessionValues(
  { context, client }: AuthOperation,
  user: UserRow,
  { method, provider = 'email', compared, rehashed }: SignIn,
): ValuesOf<typeof START_SESSION> {
  const { AUTH_SESSION_HOURS: hours, AUTH_SINGLE_SESSION: single } = context.resources.settings;
  const sso = method === 'sso/saml' ? { provider: provider.replace(/^sso:/, '') } : {};
  const amr: AmrEntry[] = [{ method, timestamp: Math.floor(Date.now() / 1000), ...sso }];
  return [
    [
      user.id,
      JSON.stringify(amr),
      client.userAgent,
      client.address,
      method,
      provider,
      compared ?? null,
      rehashed ?? null,
      hours,
      single,
    ],
  ];
}

/**
 * Starts a session of a user in the caller's transaction and records the sign-in, with the identity's
 * `provider`.
 */
export async function startSession(
  operation: AuthOperation,
  user: UserRow,
  signIn: Pick<SignIn, 'method' | 'provider'>,
): Promise<SessionRow> {
  return operation.queries.one(START_SESSION, ...sessionValues(operation, user, signIn));
}

/**
 * The session object of a reply (docs/contracts/platform.md §2): tokens and the user, read from the database
 * unless the caller passes the user.
 */
export async function sessionBody(
  context: AuthContext,
  queries: Queries,
  session: SessionRow,
  { extra = {}, user: known }: { extra?: Record<string, unknown>; user?: UserRow } = {},
): Promise<Record<string, unknown>> {
  const user = known ?? (await reloadUser(queries, session.user_id));
  const counter = Number(session.refresh_counter);
  const issuedAt = Math.floor(Date.now() / 1000);
  const access = await context.resources.tokens.sign({
    iss: `${context.resources.siteUrl}/auth/v1`,
    sub: user.id,
    aud: user.aud,
    exp: issuedAt + ACCESS_TOKEN_SECONDS,
    iat: issuedAt,
    // Names the refresh token that was sent together with this one: a use of the access token proves that the
    // client has saved that refresh token.
    jti: `${session.id}.${counter}`,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data,
    user_metadata: user.raw_user_meta_data,
    role: user.role,
    aal: session.aal,
    amr: session.amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
  });
  return {
    access_token: access,
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: issuedAt + ACCESS_TOKEN_SECONDS,
    refresh_token: context.refreshTokens.create({ sessionId: session.id, counter }),
    user: userBody(user),
    ...extra,
  };
}

/** The counter of the refresh token that was issued with an access token, from its `jti`. */
export function counterOf(jti: unknown): number {
  const counter = typeof jti === 'string' ? /\.(\d{1,15})$/.exec(jti)?.[1] : undefined;
  return Number(counter ?? 0);
}
