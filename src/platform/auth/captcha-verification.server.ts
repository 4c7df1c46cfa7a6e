import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { limitAddress } from './request-limits.server.ts';

/** Where each provider checks tokens; both take the same form and give the same kind of reply. */
const VERIFY_AT = {
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
} as const;
/** Grants that rely on an earlier proof and so need no captcha. */
const FREE_GRANTS = new Set(['refresh_token', 'pkce', 'id_token']);
const MAX_BYTES = 16 * 1024;
const PATIENCE_MS = 10_000;
const MAX_TOKEN = 4096;

const given = z.object({ gotrue_meta_security: z.object({ captcha_token: z.string().max(MAX_TOKEN) }) });
const answer = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string().max(100)).max(20).nullish(),
});

/**
 * Refuses requests of programs: where AUTH_CAPTCHA_PROVIDER is set, the provider checks the body's
 * `captcha_token` (docs/contracts/platform.md §2). Requests with the service key as bearer token are not
 * checked. When the provider does not answer, nobody passes.
 *
 * @throws ServiceError 400 `captcha_failed` as GoTrue words it; 500 `unexpected_failure` without an answer
 */
export async function verifyCaptcha(context: AuthContext, request: FastifyRequest): Promise<void> {
  const { settings, keys } = context.resources;
  if (settings.AUTH_CAPTCHA_PROVIDER === '') return;
  if (request.headers.authorization === `Bearer ${keys.service_role_key}`) return;
  const { grant_type: grant } = request.query as { grant_type?: unknown };
  if (typeof grant === 'string' && FREE_GRANTS.has(grant)) return;
  // Each check costs a request to the provider, so checks are rate-limited.
  await limitAddress(context, request, 'captcha');
  const body = given.safeParse(request.body);
  const token = body.success ? body.data.gotrue_meta_security.captcha_token.trim() : '';
  if (token === '') throw disallowed('no captcha_token found in request');
  const { success, 'error-codes': codes } = await ask(context, token, clientOf(context, request).address);
  if (!success) throw disallowed((codes ?? []).join(', '));
}

function disallowed(reason: string): ServiceError {
  return new ServiceError(400, 'captcha_failed', `captcha protection: request disallowed (${reason})`);
}

async function ask(
  { resources }: AuthContext,
  token: string,
  address: string,
): Promise<z.output<typeof answer>> {
  const { settings, outbound, log } = resources;
  const provider = settings.AUTH_CAPTCHA_PROVIDER === 'hcaptcha' ? 'hcaptcha' : 'turnstile';
  try {
    const reply = await outbound.request({
      url: settings.AUTH_CAPTCHA_URL || VERIFY_AT[provider],
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        secret: settings.AUTH_CAPTCHA_SECRET,
        response: token,
        remoteip: address,
      }).toString(),
      maxBytes: MAX_BYTES,
      headersMs: PATIENCE_MS,
      totalMs: PATIENCE_MS,
    });
    return answer.parse(JSON.parse(reply.body.toString('utf8')));
  } catch (error) {
    log.error({ err: error, provider }, 'a captcha token could not be verified');
    throw new ServiceError(500, 'unexpected_failure', 'captcha verification process failed', {
      cause: error,
    });
  }
}
