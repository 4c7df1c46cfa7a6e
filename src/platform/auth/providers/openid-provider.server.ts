import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import {
  accountOfClaims,
  type IdTokenClaims,
  type ProviderReturn,
  type ProviderStart,
  type SignInProvider,
} from './external-account.server.ts';
import { guardedFetch } from './guarded-fetch.server.ts';

/** An issuer as the settings name it. */
export interface OpenidSetting {
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientIds: readonly string[];
  readonly secret: string;
  readonly scopes: readonly string[];
}

/** Asymmetric only, so that nothing public can ever be a signing key (docs/security-attacks.md, attack 4). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const CLOCK_SECONDS = 60;
/** How long the issuer's description is reused before it is read again, milliseconds. */
const KEEP_MS = 3_600_000;

/** A provider that speaks OpenID Connect; its description is fetched when first needed (Discovery 1.0). */
export function openidProvider(
  setting: OpenidSetting,
  redirectUri: string,
  { outbound, log }: Pick<Resources, 'outbound' | 'log'>,
): SignInProvider {
  const fetch = guardedFetch(outbound);
  const { name, clientIds, issuer } = setting;
  const clientId = clientIds[0] ?? '';
  let kept: { at: number; config: Promise<openid.Configuration> } | undefined;
  let keySet: { at: string; keys: ReturnType<typeof createRemoteJWKSet> } | undefined;

  /** @throws ServiceError 503 while the issuer cannot be reached */
  async function configuration(): Promise<openid.Configuration> {
    if (kept === undefined || kept.at < Date.now() - KEEP_MS) {
      kept = { at: Date.now(), config: discover(setting, clientId, fetch) };
    }
    try {
      return await kept.config;
    } catch (error) {
      kept = undefined;
      log.warn({ provider: name, reason: (error as Error).message }, 'an issuer cannot be asked');
      throw new ServiceError(
        503,
        'unexpected_failure',
        `The provider ${setting.label} does not answer. Please try again.`,
        { headers: { 'retry-after': '5' }, cause: error },
      );
    }
  }

  function keysAt(address: string | undefined): ReturnType<typeof createRemoteJWKSet> {
    if (address === undefined) throw new Error('the issuer has no keys');
    if (keySet?.at !== address) {
      const get = (url: string, options: RequestInit) => fetch(String(url), options);
      keySet = { at: address, keys: createRemoteJWKSet(new URL(address), { [joseFetch]: get }) };
    }
    return keySet.keys;
  }

  return {
    name,
    label: setting.label,
    clientIds,
    async startAddress({ state, nonce, codeVerifier, scopes, extra }: ProviderStart) {
      const wanted = new Set(['openid', 'email', 'profile', ...setting.scopes, ...scopes]);
      return openid.buildAuthorizationUrl(await configuration(), {
        ...extra,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: [...wanted].join(' '),
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },
    async finish({ address, state, nonce, codeVerifier }: ProviderReturn) {
      const config = await configuration();
      try {
        const tokens = await openid.authorizationCodeGrant(config, address, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        return accountOfClaims(name, await claimsOf(config, tokens), {
          provider_token: tokens.access_token,
          provider_refresh_token: tokens.refresh_token,
        });
      } catch (error) {
        throw refusedByProvider(error, name, log);
      }
    },
    async readIdToken(idToken) {
      const { jwks_uri: address } = (await configuration()).serverMetadata();
      const { payload } = await jwtVerify(idToken, keysAt(address), {
        issuer,
        audience: [...clientIds],
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_SECONDS,
        requiredClaims: ['sub', 'exp', 'iat'],
      });
      return payload as IdTokenClaims;
    },
  };
}

/** The ID token's claims, together with those of the userinfo endpoint when the token has no address. */
async function claimsOf(
  config: openid.Configuration,
  tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
): Promise<Record<string, unknown>> {
  const claims: Record<string, unknown> = { ...tokens.claims() };
  if (claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const { sub, ...more } = await openid.fetchUserInfo(config, tokens.access_token, String(claims.sub));
  return { ...claims, ...more, sub };
}

async function discover(
  { issuer, secret }: OpenidSetting,
  clientId: string,
  fetch: ReturnType<typeof guardedFetch>,
): Promise<openid.Configuration> {
  // The guarded fetch allows plain http only to hosts that the operator lists.
  const plain = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [];
  const config = await openid.discovery(
    new URL(issuer),
    clientId,
    secret || undefined,
    clientAuthentication(secret),
    {
      execute: [...plain, openid.enableNonRepudiationChecks],
      [openid.customFetch]: (url, options) => fetch(url, options),
    },
  );
  return config;
}

function clientAuthentication(secret: string): openid.ClientAuth {
  if (secret === '') return openid.None();
  return (server, client, body, headers) => {
    // Basic authentication is the default of an issuer that names no other (Discovery 1.0 §3).
    const post = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    const authenticate = post ? openid.ClientSecretPost(secret) : openid.ClientSecretBasic(secret);
    authenticate(server, client, body, headers);
  };
}

/** 400 `bad_oauth_callback`; the log has the library's own reason. */
export function refusedByProvider(error: unknown, provider: string, log: Resources['log']): ServiceError {
  const { message, code } = error as { message?: string; code?: string };
  log.warn({ provider, reason: message, code }, 'a sign-in at a provider failed');
  return new ServiceError(400, 'bad_oauth_callback', 'Unable to exchange external code');
}
