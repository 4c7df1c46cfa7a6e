import type { Queries } from '../../resources/database/database.ts';
import type { AuthContext, Client } from './auth-context.server.ts';
import { reloadUser, type UserRow } from './find-user.server.ts';
import { userBody } from './show-user.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** How a session came about; the words of the `amr` claim. */
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
  /** The company's sign-on, with `sso/saml`. */
  readonly provider?: string;
}

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly aal: string;
  readonly amr: AmrEntry[];
  /** int8, so text. */
  readonly refresh_counter: string;
  readonly window_counter: string;
  readonly used_counter: string;
  readonly refreshed_at: Date | null;
  readonly not_after: Date | null;
}

/** Life of an access token, seconds (contract §6). */
export const ACCESS_TOKEN_SECONDS = 3600;

/** Starts a session of a user in the caller's transaction and notes the sign-in, with the identity's `provider`. */
export async function startSession(
  queries: Queries,
  user: UserRow,
  method: SignInMethod,
  client: Client,
  provider = 'email',
): Promise<SessionRow> {
  const sso = method === 'sso/saml' ? { provider: provider.replace(/^sso:/, '') } : {};
  const amr: AmrEntry[] = [{ method, timestamp: Math.floor(Date.now() / 1000), ...sso }];
  const session = await queries.one<SessionRow>(
    'insert into auth.sessions (user_id, amr, user_agent, ip) values ($1, $2, $3, $4) returning *',
    [user.id, JSON.stringify(amr), client.userAgent, client.address],
  );
  await queries.run('update auth.users set last_sign_in_at = now() where id = $1', [user.id]);
  await queries.run(
    'update auth.identities set last_sign_in_at = now() where user_id = $1 and provider = $2',
    [user.id, provider],
  );
  await writeAudit(queries, 'login', user.id, client, { method, session: session.id });
  return session;
}

/** The session object of the wire (contract §2): tokens and the user as the database has it now. */
export async function sessionBody(
  context: AuthContext,
  queries: Queries,
  session: SessionRow,
  extra: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const user = await reloadUser(queries, session.user_id);
  const counter = Number(session.refresh_counter);
  const issuedAt = Math.floor(Date.now() / 1000);
  const access = await context.resources.tokens.sign({
    iss: `${context.resources.siteUrl}/auth/v1`,
    sub: user.id,
    aud: user.aud,
    exp: issuedAt + ACCESS_TOKEN_SECONDS,
    iat: issuedAt,
    // Which refresh token came along: its use proves that the client has saved it.
    jti: accessTokenId(session.id, counter),
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

function accessTokenId(sessionId: string, counter: number): string {
  return `${sessionId}.${counter}`;
}

/** The counter of the refresh token that came with an access token, from its `jti`. */
export function counterOf(jti: unknown): number {
  const counter = typeof jti === 'string' ? /\.(\d{1,15})$/.exec(jti)?.[1] : undefined;
  return Number(counter ?? 0);
}
