import type { FastifyReply, FastifyRequest } from 'fastify';
import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { AuthContext } from '../auth-context.server.ts';
import type { Challenge } from '../request-input.server.ts';
import { newSecret } from '../tokens/one-time-secret.server.ts';
import { openText, sealText } from '../tokens/sealed-text.server.ts';

/** Seconds that a person may spend at the provider. */
export const FLOW_SECONDS = 600;
const COOKIE_SECONDS = 3600;

/** What we store when somebody leaves for a provider. */
export interface NewFlow {
  readonly provider: string;
  readonly redirectTo: string;
  readonly challenge: Challenge | undefined;
  readonly linkingUserId?: string | undefined;
}

/** What we read, once, when the person comes back. */
export interface ConsumedFlow {
  readonly provider: string;
  readonly redirectTo: string;
  readonly challenge: Challenge | undefined;
  readonly linkingUserId: string | undefined;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** True when the browser that came back is the one that left. */
  readonly sameBrowser: boolean;
}

/**
 * Stores a flow under an unguessable state, marks the browser with a cookie, and returns
 * what the provider needs (ASVS 10.1.2, 10.2.1).
 */
export async function saveFlow(
  context: AuthContext,
  queries: Queries,
  flow: NewFlow,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<{ state: string; nonce: string; codeVerifier: string }> {
  const state = newSecret();
  const nonce = newSecret();
  const codeVerifier = newSecret();
  const browser = markBrowser(context, request, reply);
  await queries.run(
    `insert into auth.provider_flows (state_hash, browser_hash, provider, code_verifier, nonce, redirect_to,
       code_challenge, code_challenge_method, linking_user_id, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10))`,
    [
      context.hashes.link(state),
      context.hashes.link(browser),
      flow.provider,
      sealText(context.resources.keys, codeVerifier),
      nonce,
      flow.redirectTo,
      flow.challenge?.challenge ?? null,
      flow.challenge?.method ?? null,
      flow.linkingUserId ?? null,
      FLOW_SECONDS,
    ],
  );
  return { state, nonce, codeVerifier };
}

/** Reads and deletes the flow of a state; undefined for a state that is foreign, used or too old. */
export async function consumeFlow(
  context: AuthContext,
  queries: Queries,
  state: string,
  request: FastifyRequest,
): Promise<ConsumedFlow | undefined> {
  const row = await queries.maybe(
    `delete from auth.provider_flows where state_hash = $1 and expires_at > now()
     returning id, browser_hash, provider, code_verifier /* not null */, nonce /* not null */, redirect_to, code_challenge, code_challenge_method,
       linking_user_id`,
    [context.hashes.link(state)],
  );
  if (row === undefined) return undefined;
  const browser = context.hashes.link(readCookie(request, cookieName(context)) ?? '');
  return {
    provider: row.provider,
    redirectTo: row.redirect_to,
    challenge:
      row.code_challenge === null || row.code_challenge_method === null
        ? undefined
        : { challenge: row.code_challenge, method: row.code_challenge_method },
    linkingUserId: row.linking_user_id ?? undefined,
    nonce: row.nonce,
    codeVerifier: openText(context.resources.keys, row.code_verifier),
    sameBrowser: equalSecrets(browser.toString('base64'), row.browser_hash.toString('base64')),
  };
}

/**
 * Whether the person who came back may go on. With PKCE only the browser that holds the verifier gets a
 * session. Without it, and for adding an identity, the cookie has to prove the browser (decision 0110).
 */
export function mayContinueFlow(flow: ConsumedFlow): boolean {
  return flow.sameBrowser || (flow.challenge !== undefined && flow.linkingUserId === undefined);
}

function cookieName({ resources }: AuthContext): string {
  return resources.siteUrl.startsWith('https:') ? '__Host-sb-flow' : 'sb-flow';
}

/**
 * Sets the cookie that marks the browser for an hour, the same for all its flows. Some providers come back by
 * a POST from their own site, which carries only SameSite=None cookies; without https no cookie can have
 * that.
 */
function markBrowser(context: AuthContext, request: FastifyRequest, reply: FastifyReply): string {
  const name = cookieName(context);
  const known = readCookie(request, name);
  const mark = known !== undefined && /^[\w-]{43}$/.test(known) ? known : newSecret();
  const secure = name.startsWith('__Host-') ? '; Secure; SameSite=None' : '';
  reply.header('set-cookie', `${name}=${mark}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly${secure}`);
  return mark;
}

function readCookie(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
