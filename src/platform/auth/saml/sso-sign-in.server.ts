import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { acceptAccount, auditRefusal } from '../providers/account-acceptance.server.ts';
import {
  type ConsumedFlow,
  consumeFlow,
  FLOW_SECONDS,
  mayContinueFlow,
  saveFlow,
} from '../providers/provider-flow.server.ts';
import { arrivalAddress, errorAddress } from '../providers/return-address.server.ts';
import { allowedRedirect } from '../redirect-allowlist.server.ts';
import { readBody, readChallenge } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import {
  checkAssertion,
  consumerAddress,
  SKEW_SECONDS,
  samlOf,
  serviceEntityId,
} from './assertion-check.server.ts';
import { readSamlKey } from './saml-key.server.ts';
import {
  findSsoProvider,
  findSsoProviderByDomain,
  type SsoProviderRow,
} from './sso-provider-lookup.server.ts';

const METADATA_SECONDS = 600;

const word = z.string().max(2048);
const body = z.object({
  provider_id: word.nullish(),
  domain: word.nullish(),
  redirect_to: word.nullish(),
  skip_http_redirect: z.boolean().nullish(),
  code_challenge: word.nullish(),
  code_challenge_method: word.nullish(),
});

/** @throws ServiceError 404 `saml_provider_disabled` */
export function requireSaml({ resources }: AuthContext): void {
  if (!resources.settings.AUTH_SAML) {
    throw new ServiceError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
  }
}

/** `GET /sso/saml/metadata`: the document that a company's administrator enters at the identity provider. */
export async function showServiceMetadata(
  { resources }: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { siteUrl } = resources;
  const key = readSamlKey(resources.settings);
  const { generateServiceProviderMetadata } = await import('@node-saml/node-saml');
  const xml = generateServiceProviderMetadata({
    ...(key && {
      privateKey: key.privateKey,
      publicCerts: key.certificate,
      decryptionPvk: key.privateKey,
      decryptionCert: key.certificate,
      signatureAlgorithm: 'sha256' as const,
    }),
    issuer: serviceEntityId(siteUrl),
    callbackUrl: consumerAddress(siteUrl),
    wantAssertionsSigned: true,
    identifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  });
  if ((request.query as { download?: unknown }).download === 'true') {
    reply.header('content-disposition', 'attachment; filename="metadata.xml"');
  }
  return reply
    .type('application/xml; charset=utf-8')
    .header('cache-control', `public, max-age=${METADATA_SECONDS}`)
    .send(xml);
}

/**
 * `POST /sso` (docs/contracts/platform.md §2): the `{url}` of the company's identity provider, or a redirect
 * to it.
 *
 * @throws ServiceError 404 `sso_provider_not_found`, `saml_provider_disabled`; 400 `validation_failed`
 */
export async function startSso(context: AuthContext, request: FastifyRequest, reply: FastifyReply) {
  await limitAddress(context, request, 'sso');
  requireSaml(context);
  const input = readBody(body, request.body);
  const challenge = readChallenge(input);
  const provider = await providerOf(context, input);
  const flow = await saveFlow(
    context,
    context.resources.database,
    {
      provider: `sso:${provider.id}`,
      redirectTo: allowedRedirect(input.redirect_to, context.resources),
      challenge,
    },
    { request, reply },
  );
  const { siteUrl, settings } = context.resources;
  const saml = await samlOf(provider, siteUrl, requestIdOf(flow), readSamlKey(settings));
  const url = await saml.getAuthorizeUrlAsync(flow.state, undefined, {});
  if (input.skip_http_redirect === true) return { url };
  return reply.redirect(url, 303);
}

async function providerOf(
  { resources }: AuthContext,
  { provider_id: id, domain }: z.output<typeof body>,
): Promise<SsoProviderRow> {
  if (id && domain) throw invalidInput('Only one of provider_id or domain supported');
  if (!id && !domain) throw invalidInput('A provider_id or domain needs to be provided');
  const provider = id
    ? await findSsoProvider(resources.database, id)
    : await findSsoProviderByDomain(resources.database, domain ?? '');
  if (provider !== undefined && !provider.disabled) return provider;
  const message = id ? 'No such SSO provider' : 'No SSO provider assigned for this domain';
  throw new ServiceError(404, 'sso_provider_not_found', message);
}

/** An XML id must not begin with a digit. */
function requestIdOf({ nonce }: { readonly nonce: string }): string {
  return `_${nonce}`;
}

/**
 * `POST /sso/saml/acs`: the identity provider's answer, which the browser brings. Only answers to our own
 * requests count, once each. The person returns to the address that was agreed at the start.
 */
export async function finishSso(context: AuthContext, request: FastifyRequest, reply: FastifyReply) {
  await limitAddress(context, request, 'authorize');
  const { database, siteUrl, log } = context.resources;
  const fields = (request.body ?? {}) as { SAMLResponse?: unknown; RelayState?: unknown };
  const state = typeof fields.RelayState === 'string' ? fields.RelayState : '';
  const flow = state === '' ? undefined : await consumeFlow(context, database, state, request);
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  if (flow === undefined) {
    const error = new ServiceError(
      404,
      'saml_relay_state_not_found',
      'SAML RelayState does not exist, try logging in again?',
    );
    return reply.redirect(errorAddress(siteUrl, error, false), 303);
  }
  const response = typeof fields.SAMLResponse === 'string' ? fields.SAMLResponse : '';
  const target = await enter(context, flow, response, request).catch((error: unknown) => {
    const known =
      error instanceof ServiceError
        ? error
        : new ServiceError(500, 'unexpected_failure', 'Something went wrong on our side. Please try again.');
    const reason = ((known.cause ?? error) as Error).message;
    log.warn({ provider: flow.provider, code: known.code, reason }, 'a single sign-on failed');
    return errorAddress(flow.redirectTo, known, flow.challenge !== undefined);
  });
  return reply.redirect(target, 303);
}

async function enter(
  context: AuthContext,
  flow: ConsumedFlow,
  response: string,
  request: FastifyRequest,
): Promise<string> {
  requireSaml(context);
  const { database, siteUrl, settings } = context.resources;
  if (!mayContinueFlow(flow))
    throw new ServiceError(400, 'bad_oauth_state', 'The sign-in was begun in another browser');
  const provider = await findSsoProvider(database, flow.provider.replace(/^sso:/, ''));
  if (provider === undefined || provider.disabled) {
    throw new ServiceError(
      404,
      'saml_idp_not_found',
      'A SAML connection has not been established with this provider',
    );
  }
  const { id, account } = await checkAssertion(provider, siteUrl, {
    requestId: requestIdOf(flow),
    response,
    key: readSamlKey(settings),
  });
  const client = clientOf(context, request);
  const outcome = await database.transaction(async (queries) => {
    const fresh = await queries.run(
      `insert into auth.used_assertions (hash, expires_at) values ($1, now() + make_interval(secs => $2))
       on conflict do nothing`,
      [
        context.hashes.link(JSON.stringify(['saml', provider.entity_id, id])),
        FLOW_SECONDS + 2 * SKEW_SECONDS,
      ],
    );
    if (fresh === 0) return new ServiceError(400, 'validation_failed', 'SAML Assertion was used before');
    const user = await acceptAccount({ context, queries, client }, account, flow);
    if (user instanceof ServiceError) {
      await auditRefusal({ queries, client }, account.provider, user);
      return user;
    }
    const arrival = { ...flow, user, method: 'sso/saml' as const, provider: account.provider };
    return arrivalAddress(context, queries, arrival, client);
  });
  if (outcome instanceof ServiceError) throw outcome;
  return outcome;
}
