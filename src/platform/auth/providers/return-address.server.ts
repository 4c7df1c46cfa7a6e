import type { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { AuthContext, Client } from '../auth-context.server.ts';
import type { Challenge } from '../request-input.server.ts';
import { type SignInMethod, sessionBody, startSession } from '../sessions/session-issue.server.ts';
import { issueCode, saveChallenge } from '../tokens/code-exchange.server.ts';
import { sealText } from '../tokens/sealed-text.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import type { ProviderTokens } from './external-account.server.ts';

/** A person who has proven who they are and returns to the site. */
export interface Arrival {
  readonly user: UserRow;
  readonly method: SignInMethod;
  /** The identity that was used: a provider's name, or `sso:<id>`. */
  readonly provider: string;
  readonly redirectTo: string;
  readonly challenge: Challenge | undefined;
  readonly tokens?: ProviderTokens | undefined;
}

/**
 * Where the browser goes with its new session: the tokens are in the fragment, or with PKCE a code is in the
 * query (docs/contracts/platform.md §2, GET /verify and GET /authorize).
 */
export async function arrivalAddress(
  context: AuthContext,
  queries: Queries,
  arrival: Arrival,
  client: Client,
): Promise<string> {
  const target = new URL(arrival.redirectTo);
  if (arrival.challenge !== undefined) {
    const flowId = await saveChallenge(queries, arrival.user.id, arrival.method, arrival.challenge);
    await queries.run('update auth.flow_state set provider = $2, provider_tokens = $3 where id = $1', [
      flowId,
      arrival.provider,
      arrival.tokens === undefined ? null : sealText(context.resources.keys, JSON.stringify(arrival.tokens)),
    ]);
    target.searchParams.set('code', (await issueCode(context, queries, flowId)) ?? '');
    return target.href;
  }
  const session = await startSession({ context, queries, client }, arrival.user, {
    method: arrival.method,
    provider: arrival.provider,
  });
  const { user: _user, ...fields } = await sessionBody(context, queries, session, {
    extra: { ...arrival.tokens },
  });
  return withFragment(target, { ...fields, sb: '' });
}

/** The value of `error` by status, as OAuth 2 names it (RFC 6749 §4.1.2.1). */
const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  503: 'temporarily_unavailable',
};
const DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

/**
 * The address with the error in the fragment, and for PKCE also in the query (docs/contracts/platform.md §2).
 */
export function errorAddress(redirectTo: string, error: ServiceError, isPkce: boolean): string {
  const given = error.details.error;
  const word = DENIED.has(error.code) ? 'access_denied' : (OAUTH_ERRORS[error.status] ?? 'server_error');
  const fields = {
    error: typeof given === 'string' ? given : word,
    error_code: error.code,
    error_description: error.message,
  };
  const target = new URL(redirectTo);
  if (isPkce) for (const [name, value] of Object.entries(fields)) target.searchParams.set(name, value);
  return withFragment(target, { ...fields, sb: '' });
}

function withFragment(target: URL, fields: Record<string, unknown>): string {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  target.hash = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return target.href;
}
