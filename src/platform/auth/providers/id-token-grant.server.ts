import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { requireSecondLevel } from '../factors/factor-lookup.server.ts';
import { readBody } from '../request-input.server.ts';
import { sessionBody, startSession } from '../sessions/session-issue.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import { acceptAccount } from './account-acceptance.server.ts';
import type { Providers } from './configured-providers.server.ts';
import { accountOfClaims, type IdTokenClaims, type SignInProvider } from './external-account.server.ts';
import { linkAccount } from './identity-linking.server.ts';
import { requireManualLinking } from './sign-in-start.server.ts';

const MAX_TOKEN = 16_384;
/** A nonce is remembered this much longer than its token is valid, because clocks differ. */
const SKEW_SECONDS = 120;

const body = z.object({
  provider: z.string().max(100).nullish(),
  client_id: z.string().max(500).nullish(),
  issuer: z.string().max(500).nullish(),
  id_token: z.string().max(MAX_TOKEN).nullish(),
  access_token: z.string().max(MAX_TOKEN).nullish(),
  nonce: z.string().max(500).nullish(),
  link_identity: z.boolean().nullish(),
});

/**
 * `POST /token?grant_type=id_token` (docs/contracts/platform.md §2): a session in exchange for an ID token
 * that a provider issued to one of our apps. The app made the `nonce`; the token contains its SHA-256 in hex.
 *
 * @throws ServiceError 400 with OAuth's `{error, error_description}` for an invalid token
 * (docs/security-attacks.md, attack 5), 400 `provider_disabled`, and the errors of the linking rules
 */
export async function grantIdToken(context: AuthContext, providers: Providers, request: FastifyRequest) {
  const input = readBody(body, request.body);
  if (!input.id_token) throw invalidRequest('id_token required');
  if (!input.provider && !input.issuer) throw invalidRequest('provider or client_id and issuer required');
  const provider = providers.get(input.provider?.toLowerCase() ?? '');
  if (provider?.readIdToken === undefined) {
    throw new ServiceError(
      400,
      'provider_disabled',
      `Provider (${input.provider ?? input.issuer}) is not enabled`,
    );
  }
  const linking = input.link_identity === true ? await linkingUser(context, request) : undefined;
  const claims = await checkedClaims(context, provider, input.id_token);
  checkAccessToken(claims, input.access_token ?? undefined);
  checkNonce(claims, input.nonce ?? undefined);
  const client = clientOf(context, request);
  const account = accountOfClaims(provider.name, claims);
  const outcome = await context.resources.database.transaction(async (queries) => {
    if (!(await useNonceOnce(context, queries, provider, claims))) {
      return invalidRequest('The nonce was used before');
    }
    const user =
      linking === undefined
        ? await acceptAccount({ context, queries, client }, account, {
            redirectTo: context.resources.siteUrl,
            challenge: undefined,
          })
        : await linkAccount({ context, queries, client }, linking, account);
    if (!(user instanceof ServiceError))
      return startSession({ context, queries, client }, user, { method: 'oauth', provider: provider.name });
    await writeAudit(queries, {
      action: 'login_failed',
      actorId: null,
      client,
      payload: { provider: provider.name, cause: user.code },
    });
    return user;
  });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, context.resources.database, outcome);
}

async function linkingUser(context: AuthContext, request: FastifyRequest): Promise<string> {
  const { user, aal } = await requireSession(context, request);
  requireManualLinking(context);
  requireSecondLevel({ user, aal }, 'add a way to sign in');
  return user.id;
}

async function checkedClaims(
  { resources }: AuthContext,
  provider: SignInProvider,
  idToken: string,
): Promise<IdTokenClaims> {
  try {
    const claims = await provider.readIdToken?.(idToken);
    if (claims !== undefined && claims.sub !== '') return claims;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const { code, message } = error as { code?: string; message?: string };
    resources.log.warn({ provider: provider.name, code, reason: message }, 'an ID token was refused');
  }
  throw invalidRequest('Bad ID token');
}

/** An access token in the request must be the one with which the ID token was issued (Core §3.1.3.8). */
function checkAccessToken({ at_hash: expected }: IdTokenClaims, accessToken: string | undefined): void {
  if (typeof expected !== 'string') return;
  if (accessToken === undefined) throw invalidRequest('The ID token needs its access_token');
  // `at_hash` is half of a hash. Its length says which hash function the signature used.
  const fits = ['sha256', 'sha384', 'sha512'].some((hash) => {
    const digest = createHash(hash).update(accessToken, 'ascii').digest();
    return equalSecrets(digest.subarray(0, digest.length / 2).toString('base64url'), expected);
  });
  if (!fits) throw invalidRequest('The access_token does not belong to the ID token');
}

function checkNonce({ nonce: inToken }: IdTokenClaims, given: string | undefined): void {
  const hasNonce = typeof inToken === 'string' && inToken !== '';
  if (hasNonce !== (given !== undefined && given !== '')) {
    throw invalidRequest('Passed nonce and nonce in id_token should either both exist or not.');
  }
  if (!hasNonce || given === undefined) return;
  const hash = createHash('sha256').update(given).digest('hex');
  if (!equalSecrets(hash, inToken)) throw invalidRequest('Nonces mismatch');
}

/**
 * False when this issuer's nonce was used before, so that an intercepted token is worth nothing (attack 5).
 */
async function useNonceOnce(
  { hashes }: AuthContext,
  queries: Queries,
  { name }: SignInProvider,
  { nonce, iss, exp }: IdTokenClaims,
): Promise<boolean> {
  if (typeof nonce !== 'string' || nonce === '') return true;
  const added = await queries.run(
    `insert into auth.used_assertions (hash, expires_at) values ($1, to_timestamp($2) + make_interval(secs => $3))
     on conflict do nothing`,
    [hashes.link(JSON.stringify(['nonce', name, iss, nonce])), exp, SKEW_SECONDS],
  );
  return added === 1;
}

function invalidRequest(description: string): ServiceError {
  return new ServiceError(400, 'validation_failed', description, {
    details: { error: 'invalid_request', error_description: description },
  });
}
