import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { type AuthContext, type Client, clientOf } from '../auth-context.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { acceptAccount, auditRefusal } from './account-acceptance.server.ts';
import { callbackAddress, type Providers } from './configured-providers.server.ts';
import type { ExternalAccount } from './external-account.server.ts';
import { linkAccount } from './identity-linking.server.ts';
import { type ConsumedFlow, consumeFlow, mayContinueFlow } from './provider-flow.server.ts';
import { arrivalAddress, errorAddress } from './return-address.server.ts';

const MAX_DESCRIPTION = 300;

/**
 * `GET` and `POST /callback`: a person who comes back from a provider goes on to the address that was agreed
 * at the start, with a session, a code or an error (docs/contracts/platform.md §2). A state that is foreign,
 * old or used leads to the site with `bad_oauth_state`.
 */
export async function finishSignIn(
  context: AuthContext,
  providers: Providers,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  await limitAddress(context, request, 'authorize');
  const { database, log, siteUrl } = context.resources;
  const address = returnAddress(siteUrl, request);
  const state = address.searchParams.get('state') ?? '';
  const flow = state === '' ? undefined : await consumeFlow(context, database, state, request);
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  if (flow === undefined) return reply.redirect(errorAddress(siteUrl, badState(state), false), 302);
  const target = await goOn(context, providers, flow, { address, state, request }).catch((error: unknown) => {
    if (error instanceof ServiceError)
      return errorAddress(flow.redirectTo, error, flow.challenge !== undefined);
    log.error({ err: error, request: request.id }, 'a sign-in could not be finished');
    const fault = new ServiceError(
      500,
      'unexpected_failure',
      'Something went wrong on our side. Please try again.',
    );
    return errorAddress(flow.redirectTo, fault, flow.challenge !== undefined);
  });
  return reply.redirect(target, 302);
}

/**
 * The provider's reply as a query of our own address, whatever the Host header said; a form is read like a
 * query.
 */
function returnAddress(siteUrl: string, request: FastifyRequest): URL {
  const fields = (request.method === 'POST' ? request.body : request.query) as Record<string, unknown> | null;
  const address = new URL(callbackAddress(siteUrl));
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (typeof value === 'string') address.searchParams.set(name, value);
  }
  return address;
}

function badState(state: string): ServiceError {
  return state === ''
    ? new ServiceError(400, 'bad_oauth_callback', 'OAuth state parameter missing')
    : new ServiceError(400, 'bad_oauth_state', 'OAuth state not found or expired');
}

async function goOn(
  context: AuthContext,
  providers: Providers,
  flow: ConsumedFlow,
  { address, state, request }: { address: URL; state: string; request: FastifyRequest },
): Promise<string> {
  const provider = providers.get(flow.provider);
  if (!mayContinueFlow(flow)) {
    throw new ServiceError(400, 'bad_oauth_state', 'The sign-in was begun in another browser');
  }
  if (provider === undefined) throw new ServiceError(400, 'provider_disabled', 'The provider is not enabled');
  refuseErrorOf(address);
  const account = await provider.finish({
    address,
    state,
    nonce: flow.nonce,
    codeVerifier: flow.codeVerifier,
  });
  if (account.providerId === '') {
    throw new ServiceError(400, 'bad_oauth_callback', 'The provider does not say who this is');
  }
  return enter(context, flow, account, clientOf(context, request));
}

/** @throws ServiceError with the provider's own error code and description */
function refuseErrorOf({ searchParams }: URL): void {
  const word = searchParams.get('error');
  if (word === null) return;
  const description = searchParams.get('error_description') ?? 'The provider refused the sign-in';
  throw new ServiceError(400, 'bad_oauth_callback', description.slice(0, MAX_DESCRIPTION), {
    details: { error: /^[a-z_]{1,40}$/.test(word) ? word : 'server_error' },
  });
}

/**
 * Opens the account and its session and makes the way back, in one transaction. Changes made by refusals are
 * committed.
 */
async function enter(
  context: AuthContext,
  flow: ConsumedFlow,
  account: ExternalAccount,
  client: Client,
): Promise<string> {
  const outcome = await context.resources.database.transaction(async (queries) => {
    const user =
      flow.linkingUserId === undefined
        ? await acceptAccount({ context, queries, client }, account, flow)
        : await linkAccount({ context, queries, client }, flow.linkingUserId, account);
    if (user instanceof ServiceError) {
      await auditRefusal({ queries, client }, account.provider, user);
      return user;
    }
    return arrivalAddress(
      context,
      queries,
      { ...flow, user, method: 'oauth', provider: account.provider, tokens: account.tokens },
      client,
    );
  });
  if (outcome instanceof ServiceError) throw outcome;
  return outcome;
}
