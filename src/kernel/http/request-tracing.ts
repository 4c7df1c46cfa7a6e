import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NO_TRACING, type OpenSpan, type Tracing } from '../resources/tracing/tracing.ts';

const spans = new WeakMap<FastifyRequest, OpenSpan>();

/**
 * Makes a span for each request that reaches a route; files and pages of the site do not. The span holds the
 * method, the declared route, the status and the request id, but no address, query or header.
 */
export function traceRequests(server: FastifyInstance, tracing: Tracing): void {
  if (tracing === NO_TRACING) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, headers } = request;
    const route = routeOptions.url === undefined ? {} : { 'http.route': routeOptions.url };
    const span = tracing.begin([method, routeOptions.url].filter(Boolean).join(' '), {
      kind: 'server',
      facts: { 'http.request.method': method, ...route, 'northline.request_id': request.id },
      headers,
    });
    if (span === undefined) return done();
    spans.set(request, span);
    span.run(done);
  });
  // The body arrives through events of its socket, which run outside the span.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
  const end = (request: FastifyRequest, status: number, failed?: string): void => {
    spans.get(request)?.end({ 'http.response.status_code': status }, failed);
  };
  server.addHook('onResponse', async (request, { statusCode }) => {
    end(request, statusCode, statusCode >= 500 ? String(statusCode) : undefined);
  });
  server.addHook('onRequestAbort', async (request) => end(request, 499, 'aborted'));
}

/** What the log says of a request's trace: `{trace_id}`, or nothing. */
export function traceOf(request: FastifyRequest): { trace_id?: string } {
  const span = spans.get(request);
  return span === undefined ? {} : { trace_id: span.traceId };
}
