import { randomUUID } from 'node:crypto';
import http from 'node:http';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.ts';
import { SERVICES } from '../contract/routes.ts';
import { ServiceError } from '../contract/service-error.ts';
import { type Log, pathOf } from '../resources/log/log.ts';
import { createErrorHandler } from './error-replies.ts';
import { traceOf } from './request-tracing.ts';
import { KEEP_ALIVE_MS } from './site/single-write-reply.ts';
import type { StaticSite } from './site/static-site.ts';
import { watchBodies } from './slow-bodies.ts';
import { refuseUnstorableText } from './unstorable-text.ts';
import { type UpgradeDoor, UpgradeListener } from './upgrade-door.ts';

/** Largest JSON body, bytes; routes that stream set their own. */
const BODY_LIMIT = 1024 * 1024;
const YEAR_SECONDS = 31_536_000;
/** How often connections without complete headers are checked, milliseconds. */
const CHECK_HEADERS_MS = 1000;
/** Paths that answer in JSON, even when a browser opens them as a page. */
const SERVICE_PATH = /^\/(?:auth|rest|storage|realtime|functions|webhooks|voice)\//;

/**
 * Addresses that pages of any origin may ask: the address is the proof, or the route itself looks at the origin and says
 * why it refuses one (docs/voice-api.md, On any site).
 */
const OPEN_PATH = new RegExp(`^${SERVICES.voice}/(website|room)/`);

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const PREFLIGHT_SECONDS = 7200;
const ALLOWED_HEADERS = [
  'authorization',
  'apikey',
  'content-type',
  'x-client-info',
  'x-supabase-api-version',
  'accept',
  'accept-profile',
  'content-profile',
  'prefer',
  'range',
  'cache-control',
  'x-upsert',
  'x-metadata',
  'x-retry-count',
  'x-region',
  'traceparent',
  'tracestate',
  'baggage',
  'if-none-match',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'x-signature',
  'x-checkout-proof',
  'idempotency-key',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
];
const EXPOSED_HEADERS = [
  'x-supabase-api-version',
  'x-sb-error-code',
  'x-total-count',
  'link',
  'content-range',
  'content-disposition',
  'etag',
  'location',
  'retry-after',
  'x-relay-error',
  'www-authenticate',
  'x-request-id',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-expires',
];

/** The server, and the door through which its connections become WebSockets. */
export interface HttpServer {
  readonly server: FastifyInstance;
  readonly upgrades: UpgradeDoor;
}

/**
 * Creates the HTTP server with what every reply needs: request id, log line, CORS, security headers, and
 * errors in the shape of each service. Files and pages of `site` are answered before all of that.
 */
export function createServer(settings: Settings, siteUrl: string, log: Log, site: StaticSite): HttpServer {
  const handleError = createErrorHandler(log);
  const upgrades = new UpgradeListener(log);
  const server = Fastify({
    serverFactory: (handler) => createRawServer({ settings, site, upgrades }, handler),
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    trustProxy: settings.TRUST_PROXY.length === 0 ? false : [...settings.TRUST_PROXY],
    forceCloseConnections: 'idle',
    // A request that was accepted gets its answer, even while the server closes.
    return503OnClosing: false,
    // Hooks never see an address that cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      handleError(error, request, reply.headers(baseHeaders(siteUrl, request)));
    },
  });
  server.setErrorHandler(handleError);
  watchBodies(server, settings);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(baseHeaders(siteUrl, request));
    refuseSecondHost(request);
  });
  server.register(cors, () => corsOptions(settings, siteUrl));
  refuseUnstorableText(server);
  server.setNotFoundHandler((request, reply) => {
    if (!wantsPage(request)) throw notFound();
    // A target that is no address, as `//`, has no page.
    const { pathname, search } = URL.parse(request.url, 'http://site') ?? { pathname: '//', search: '' };
    if (request.method === 'POST') {
      if (!site.has(pathname)) throw notFound();
      // A form that was sent without scripts: its page explains what it needs.
      return reply.redirect(pathname + search, 303);
    }
    const shorter = pathname.replace(/\/+$/, '');
    if (shorter !== pathname && site.has(shorter)) return reply.redirect(shorter + search, 308);
    if (!site.answerNotFound(request.raw, reply.raw)) throw notFound();
    return reply.hijack();
  });
  logRequests(server, log);
  server.addHook('preClose', async () => upgrades.close());
  return { server, upgrades };
}

function createRawServer(
  { settings, site, upgrades }: { settings: Settings; site: StaticSite; upgrades: UpgradeListener },
  handler: (request: http.IncomingMessage, response: http.ServerResponse) => void,
): http.Server {
  const raw = http.createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: settings.REQUEST_HEADER_SECONDS * 1000,
      // `watchBodies` watches bodies, because an upload may take long.
      requestTimeout: 0,
      connectionsCheckingInterval: CHECK_HEADERS_MS,
      shouldUpgradeCallback: (request) => upgrades.accepts(request),
    },
    (request, response) => {
      if (!raw.listening) response.setHeader('connection', 'close');
      if (!site.answer(request, response)) handler(request, response);
    },
  );
  raw.on('upgrade', (request, stream, head) => upgrades.take(request, stream, head));
  return raw;
}

function logRequests(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request: request.id,
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.ip,
        ...traceOf(request),
      },
      'request',
    );
  });
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

/** CORS for split deployments: listed origins only, never with credentials (docs/contracts/platform.md §1). */
function corsOptions(settings: Settings, siteUrl: string) {
  const allowed = new Set([siteUrl, ...settings.CORS_ORIGINS]);
  return async (request: FastifyRequest): Promise<FastifyCorsOptions> => {
    const { origin } = request.headers;
    return {
      origin:
        origin !== undefined && (allowed.has(origin) || allowed.has('*') || OPEN_PATH.test(request.url))
          ? origin
          : false,
      methods: METHODS,
      allowedHeaders: ALLOWED_HEADERS,
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: PREFLIGHT_SECONDS,
      // Some services handle OPTIONS requests that are not preflights.
      preflight: request.headers['access-control-request-method'] !== undefined,
    };
  };
}

/** @throws ServiceError 400 for two Host headers (RFC 9112 §3.2), of which Node keeps the first */
function refuseSecondHost({ raw: { rawHeaders } }: FastifyRequest): void {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new ServiceError(400, 'bad_request', 'The request has several Host headers.');
}

const wantsPage = ({ method, url, headers }: FastifyRequest): boolean =>
  /^(GET|HEAD|POST)$/.test(method) && /text\/html/.test(headers.accept ?? '') && !SERVICE_PATH.test(url);

/** The 404 of the API: every path that no route and no page answers. */
export function notFound(): ServiceError {
  return new ServiceError(404, 'not_found', 'There is nothing at this address.');
}
