import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { requireSecondLevel } from '../factors/factor-lookup.server.ts';
import { allowedRedirect } from '../redirect-allowlist.server.ts';
import { readChallenge } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import type { Providers } from './configured-providers.server.ts';
import type { SignInProvider } from './external-account.server.ts';
import { saveFlow } from './provider-flow.server.ts';

/** Parameters that are ours or that decide the protocol; never taken from the client's address. */
const OWN_PARAMETERS = new Set([
  'provider',
  'redirect_to',
  'scopes',
  'code_challenge',
  'code_challenge_method',
  'skip_http_redirect',
  'apikey',
  'invite_token',
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'request',
  'request_uri',
  'registration',
  'claims',
  'id_token_hint',
]);
const MAX_PARAMETERS = 12;
const MAX_VALUE = 512;

/** A request and its reply. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * `GET /authorize` (docs/contracts/platform.md §2): 302 to the provider.
 *
 * @throws ServiceError 400 `validation_failed` for a provider that is not configured or a wrong challenge
 */
export async function startSignIn(context: AuthContext, providers: Providers, exchange: Exchange) {
  await limitAddress(context, exchange.request, 'authorize');
  return leave(context, providers, exchange, undefined);
}

/**
 * `GET /user/identities/authorize`: the same for a signed-in user who adds an identity; 200 `{url}` with
 * `skip_http_redirect=true`.
 *
 * @throws ServiceError 404 `manual_linking_disabled`; 403 `insufficient_aal`; 400 `validation_failed`
 */
export async function startLinking(context: AuthContext, providers: Providers, exchange: Exchange) {
  await limitAddress(context, exchange.request, 'authorize');
  const { user, aal } = await requireSession(context, exchange.request);
  requireManualLinking(context);
  requireSecondLevel({ user, aal }, 'add a way to sign in');
  return leave(context, providers, exchange, user.id);
}

/** @throws ServiceError 404 `manual_linking_disabled` */
export function requireManualLinking({ resources }: AuthContext): void {
  if (resources.settings.AUTH_MANUAL_LINKING) return;
  throw new ServiceError(404, 'manual_linking_disabled', 'Manual linking is disabled');
}

async function leave(
  context: AuthContext,
  providers: Providers,
  { request, reply }: Exchange,
  linkingUserId: string | undefined,
) {
  const query = textsOf(request.query);
  const provider = providerOf(providers, query.provider);
  const flow = await saveFlow(
    context,
    context.resources.database,
    {
      provider: provider.name,
      redirectTo: allowedRedirect(query.redirect_to, context.resources),
      challenge: readChallenge(query),
      linkingUserId,
    },
    { request, reply },
  );
  const address = await provider.startAddress({
    ...flow,
    scopes: (query.scopes ?? '').split(/[\s,]+/).filter((scope) => /^[\x21-\x7e]{1,100}$/.test(scope)),
    extra: extraParameters(query),
  });
  reply.header('cache-control', 'no-store');
  if (query.skip_http_redirect === 'true') return reply.send({ url: address.href });
  return reply.redirect(address.href, 302);
}

/** @throws ServiceError 400 `validation_failed` */
function providerOf(providers: Providers, name: string | undefined): SignInProvider {
  if (name === undefined || name === '') throw invalidInput('Unsupported provider: missing provider');
  const provider = providers.get(name.toLowerCase());
  if (provider === undefined) throw invalidInput('Unsupported provider: provider is not enabled');
  return provider;
}

/** The first value of each parameter, even if it came twice (ASVS 15.3.7). */
function textsOf(query: unknown): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries((query ?? {}) as Record<string, unknown>).map(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return [name, typeof first === 'string' ? first : undefined];
    }),
  );
}

function extraParameters(query: Record<string, string | undefined>): Record<string, string> {
  const extra = Object.entries(query).filter(
    (entry): entry is [string, string] =>
      !OWN_PARAMETERS.has(entry[0]) && entry[1] !== undefined && entry[1].length <= MAX_VALUE,
  );
  return Object.fromEntries(extra.slice(0, MAX_PARAMETERS));
}
