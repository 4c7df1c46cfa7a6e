import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { isApiKey, keyNotAccepted } from '../../kernel/http/authenticate.ts';
import { bearerToken } from '../../kernel/http/bearer-token.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { WebCallRequest } from '../records/voice-resources.contract.ts';

/** The key that a request showed: the operator's, or the one that every browser has. */
export type VoiceKey = 'private' | 'public';

const PUBLIC_CALLS = { name: 'voice calls of browsers', count: 10, seconds: 60 };
const PRIVATE_CALLS = { name: 'voice API', count: 1200, seconds: 60 };
const WRONG_KEYS = { name: 'wrong voice keys', count: 30, seconds: 60 };
/** What a browser may set for a call besides the assistant's id. */
const PUBLIC_OVERRIDES = new Set(['recordingEnabled', 'variableValues']);
const MAX_VARIABLES = 20;
const MAX_VARIABLE_LENGTH = 200;

/**
 * Which key the bearer token is. The public key is valid only for POST /call/web from the site's own origins
 * (docs/security-attacks.md, attack 41).
 *
 * @throws ServiceError 401 `no_authorization` or `bad_key`, 403 `public_key` or `wrong_origin`
 */
export function createVoiceGuard(http: HttpContext, { keys, settings, siteUrl }: Resources) {
  const origins = new Set([siteUrl, ...settings.CORS_ORIGINS.filter((origin) => origin !== '*')]);
  return async (request: FastifyRequest): Promise<VoiceKey> => {
    const token = bearerToken(request.headers);
    if (token === undefined) {
      throw new ServiceError(
        401,
        'no_authorization',
        'The header Authorization: Bearer with a key is needed.',
      );
    }
    if (isApiKey(token)) throw keyNotAccepted();
    if (equalSecrets(token, keys.voice_private_key)) {
      await http.rateLimiter.take(PRIVATE_CALLS, http.addressOf(request));
      return 'private';
    }
    if (!equalSecrets(token, keys.voice_public_key)) {
      await http.rateLimiter.take(WRONG_KEYS, http.addressOf(request));
      throw new ServiceError(401, 'bad_key', 'This key is not valid.');
    }
    if (request.method !== 'POST' || !request.routeOptions.url?.endsWith('/call/web')) {
      throw new ServiceError(403, 'public_key', 'The public key only starts web calls; use the private key.');
    }
    if (!origins.has(request.headers.origin ?? '')) {
      throw new ServiceError(403, 'wrong_origin', 'The public key is locked to the pages of its site.');
    }
    await countPublicCall(http, request);
    return 'public';
  };
}

/** Counts a call that a visitor's browser starts, with the public key or on another site. @throws ServiceError 429 */
export const countPublicCall = async (http: HttpContext, request: FastifyRequest): Promise<void> =>
  http.rateLimiter.take(PUBLIC_CALLS, http.addressOf(request));

/**
 * Restricts a browser to the site's assistant: no other one, none that it describes, and no changes that
 * would turn it into another one.
 *
 * @throws ServiceError 403 `public_key`
 */
export function checkPublicCall(call: WebCallRequest, assistantId: string): void {
  if (call.assistantId !== assistantId) {
    throw new ServiceError(403, 'public_key', 'The public key is locked to the assistant of its site.');
  }
  const overrides = call.assistantOverrides ?? {};
  const values = Object.values(overrides.variableValues ?? {});
  const small = (value: unknown): boolean =>
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= MAX_VARIABLE_LENGTH);
  if (
    Object.keys(overrides).some((name) => !PUBLIC_OVERRIDES.has(name)) ||
    overrides.recordingEnabled === true ||
    call.squadOverrides !== undefined ||
    values.length > MAX_VARIABLES ||
    !values.every(small)
  ) {
    throw new ServiceError(
      403,
      'public_key',
      'With the public key assistantOverrides may hold recordingEnabled false and short variableValues only.',
    );
  }
}
