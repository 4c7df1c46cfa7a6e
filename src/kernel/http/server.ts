import { randomUUID } from 'node:crypto';
import http from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.ts';
import { ServiceError } from '../contract/service-error.ts';
import { type Log, pathOf } from '../resources/log/log.ts';
import { createErrorHandler } from './error-replies.ts';
import { KEEP_ALIVE_MS } from './reply-in-one-write.ts';
import type { StaticSite } from './static-site.ts';
import { watchBodies } from './watch-bodies.ts';

/** Largest JSON body, bytes; routes that stream set their own. */
const BODY_LIMIT = 1024 * 1024;
/** Deeper JSON is refused before anything walks it (security.md, attack 48). */
const YEAR_SECONDS = 31_536_000;
/** How often connections are looked at whose headers have not come, milliseconds. */
const CHECK_HEADERS_MS = 1000;
/** Answers in JSON, also when a browser's address bar asks. */
const SERVICE_PATH = /^\/(?:auth|rest|storage|realtime|functions|webhooks|voice)\//;

const ALLOWED_HEADERS = [
  ...['authorization', 'apikey', 'content-type', 'x-client-info', 'x-supabase-api-version', 'accept'],
  ...['accept-profile', 'content-profile', 'prefer', 'range', 'cache-control', 'x-upsert', 'x-metadata'],
  ...['x-retry-count', 'x-region', 'traceparent', 'tracestate', 'baggage', 'if-none-match'],
  ...[
    'tus-resumable',
    'upload-length',
    'upload-offset',
    'upload-metadata',
    'x-signature',
    'x-checkout-proof',
  ],
].join(', ');
const EXPOSED_HEADERS = [
  ...[
    'x-supabase-api-version',
    'x-sb-error-code',
    'x-total-count',
    'link',
    'content-range',
    'content-disposition',
  ],
  ...['etag', 'location', 'retry-after', 'x-relay-error', 'x-request-id'],
  ...['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata', 'upload-expires'],
].join(', ');

/**
 * The HTTP server with what every reply has: request id, log line, CORS,
 * security headers, and errors in the shape of each service. Files and pages of
 * `site` are answered before any of that.
 */
export function createServer(
  settings: Settings,
  siteUrl: string,
  log: Log,
  site: StaticSite,
): FastifyInstance {
  const server = Fastify({
    serverFactory: (handler) => {
      const raw = http.createServer(
        {
          keepAliveTimeout: KEEP_ALIVE_MS,
          headersTimeout: settings.REQUEST_HEADER_SECONDS * 1000,
          // Bodies have their own watch: an upload may take long.
          requestTimeout: 0,
          connectionsCheckingInterval: CHECK_HEADERS_MS,
        },
        (request, response) => {
          if (!raw.listening) response.setHeader('connection', 'close');
          if (!site.answer(request, response)) handler(request, response);
        },
      );
      return raw;
    },
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    trustProxy: settings.TRUST_PROXY.length === 0 ? false : [...settings.TRUST_PROXY],
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
  });
  server.setErrorHandler(createErrorHandler(log));
  watchBodies(server, settings);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(baseHeaders(siteUrl, request));
    if (crossOrigin(request, reply, settings, siteUrl) === 'answered') return reply;
    return undefined;
  });
  server.setNotFoundHandler((request, reply) => {
    const isPage = /^(GET|HEAD)$/.test(request.method) && /text\/html/.test(request.headers.accept ?? '');
    if (!isPage || SERVICE_PATH.test(request.url)) throw notFound();
    const { pathname, search } = new URL(request.url, 'http://site');
    const shorter = pathname.replace(/\/+$/, '');
    if (shorter !== pathname && site.has(shorter)) return reply.redirect(shorter + search, 308);
    if (!site.answerNotFound(request.raw, reply.raw)) throw notFound();
    return reply.hijack();
  });
  server.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request: request.id,
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.ip,
      },
      'request',
    );
  });
  return server;
}

function baseHeaders(siteUrl: string, request: FastifyRequest): Record<string, string> {
  return {
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    ...(siteUrl.startsWith('https:')
      ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains` }
      : {}),
  };
}

/** CORS for split deployments: listed origins only, never with credentials (contract §1). */
function crossOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: Settings,
  siteUrl: string,
): 'answered' | 'go on' {
  const { origin } = request.headers;
  if (origin === undefined) return 'go on';
  const allowed =
    origin === siteUrl || settings.CORS_ORIGINS.includes(origin) || settings.CORS_ORIGINS.includes('*');
  reply.header('vary', 'origin');
  if (allowed) {
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
    });
  }
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
    return 'go on';
  if (allowed) {
    reply.headers({
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': '7200',
    });
  }
  reply.code(204).send();
  return 'answered';
}

/** The 404 of the API: every path that no route and no page answers. */
export function notFound(): ServiceError {
  return new ServiceError(404, 'not_found', 'There is nothing at this address.');
}
