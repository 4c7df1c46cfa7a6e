import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { isApiKey, refuseKeyInAddress } from '../../kernel/http/authenticate.ts';
import { bearerToken } from '../../kernel/http/bearer-token.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { KeyGate, KeyHolder } from '../api-keys/api-key-gate.server.ts';

const BODY_LIMIT = 256 * 1024;
/** Longest exchange, milliseconds: a stream ends with it. */
const LONGEST_MS = 600_000;
/** Most exchanges of one key at a time in a process. */
const MOST_OPEN = 16;
const REQUESTS = { name: 'mcp', count: 600, seconds: 60, burst: 120 };
const WRONG_KEYS = { name: 'wrong API keys', count: 30, seconds: 60 };
/** Names of this machine: no page of another site can bring one of them as its own. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Mounts the MCP server at `/mcp` (streamable HTTP, protocol 2026-07-28 and the versions before it): the caller has an API
 * key, and nothing is kept between two requests (decision 0681). The SDK is loaded with the first of them.
 */
export function mountMcp(http: HttpContext, resources: Resources, keys: KeyGate): void {
  const addresses = new WeakMap<Request, string>();
  const open = new Map<string, number>();
  const isOurs = createOriginCheck(resources);
  let loading: Promise<McpHttpHandler> | undefined;
  const load = () => {
    loading ??= import('./mcp-server.server.ts').then(({ openMcpServer }) =>
      openMcpServer(http, resources, ({ http: of }) => (of?.req && addresses.get(of.req)) ?? '127.0.0.1'),
    );
    return loading;
  };
  http.server.addHook('preClose', async () => (await loading)?.close());
  http.server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: SERVICES.mcp,
    bodyLimit: BODY_LIMIT,
    async handler(request, reply) {
      isOurs(request);
      const { token, holder } = await openKey(http, keys, request);
      await http.requireSecondFactor(holder.caller);
      await http.rateLimiter.take(REQUESTS, holder.keyId);
      const close = enter(open, holder.keyId);
      reply.raw.once('close', close);
      const { fetch } = await load();
      const asked = webRequest(resources.siteUrl, request, reply);
      addresses.set(asked, http.addressOf(request));
      const answer = await fetch(asked, {
        ...(request.method === 'POST' && { parsedBody: request.body }),
        authInfo: {
          token,
          clientId: holder.keyId,
          scopes: [...holder.rights],
          expiresAt: Math.floor(holder.expiresAt.getTime() / 1000),
        },
      });
      // Proxies that collect a reply would hold back what is to be seen at once.
      return reply.header('x-accel-buffering', 'no').send(answer);
    },
  });
}

/**
 * Against pages of other sites, also with a name that leads to this machine (DNS rebinding).
 *
 * @throws ServiceError 403 `wrong_host` or `wrong_origin`
 */
function createOriginCheck({ siteUrl, settings }: Pick<Resources, 'siteUrl' | 'settings'>) {
  const hosts = new Set([new URL(siteUrl).hostname, ...OWN_NAMES]);
  const origins = new Set([siteUrl, ...settings.CORS_ORIGINS]);
  // The header itself: a page could send any X-Forwarded-Host from this machine.
  return ({ headers: { host = '', origin } }: FastifyRequest): void => {
    if (!hosts.has(URL.parse(`http://${host}`)?.hostname ?? ''))
      throw new ServiceError(
        403,
        'wrong_host',
        'This server does not have the name that the request asks for.',
      );
    if (origin !== undefined && !origins.has(origin) && !origins.has('*'))
      throw new ServiceError(403, 'wrong_origin', 'Pages of other sites may not use the MCP server.');
  };
}

/** @throws ServiceError 401 with the challenge of RFC 6750, 400 for a key in the address, 429 after many wrong keys */
async function openKey(
  http: HttpContext,
  keys: KeyGate,
  request: FastifyRequest,
): Promise<{ token: string; holder: KeyHolder }> {
  refuseKeyInAddress(request.query as Record<string, unknown>);
  const token = bearerToken(request.headers);
  if (token === undefined)
    throw new ServiceError(401, 'no_authorization', 'Send an API key as Authorization: Bearer.', {
      headers: { 'www-authenticate': 'Bearer realm="mcp"' },
    });
  try {
    if (!isApiKey(token))
      throw new ServiceError(401, 'bad_key', 'Only API keys open the MCP server: make one in your account.');
    return { token, holder: await keys.open(token) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 401) throw error;
    await http.rateLimiter.take(WRONG_KEYS, http.addressOf(request));
    const challenge = `Bearer realm="mcp", error="invalid_token", error_description="${error.message}"`;
    throw new ServiceError(401, error.code, error.message, { headers: { 'www-authenticate': challenge } });
  }
}

/** Counts an exchange of the key until the returned function is called. @throws ServiceError 429 `too_many_open` */
function enter(open: Map<string, number>, keyId: string): () => void {
  const count = open.get(keyId) ?? 0;
  if (count >= MOST_OPEN)
    throw new ServiceError(
      429,
      'too_many_open',
      'This key has too many requests open. Wait for one to end.',
      {
        headers: { 'retry-after': '1' },
      },
    );
  open.set(keyId, count + 1);
  return () => {
    const left = (open.get(keyId) ?? 1) - 1;
    if (left > 0) open.set(keyId, left);
    else open.delete(keyId);
  };
}

/** The request without its key, for the SDK; it ends with the connection. */
function webRequest(siteUrl: string, request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'authorization' && value !== undefined) headers.set(name, String(value));
  }
  return new Request(siteUrl + SERVICES.mcp, {
    method: request.method,
    headers,
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(LONGEST_MS)]),
  });
}
