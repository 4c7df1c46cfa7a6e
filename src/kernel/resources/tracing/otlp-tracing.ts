import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { PRODUCT_VERSION } from '../../config/product-version.ts';
import type { Settings } from '../../config/settings.ts';
import { readTraceHeaders } from '../../config/tracing-settings.ts';
import { waitAtMost } from '../bounded-wait.ts';
import type { Log } from '../log/log.ts';
import { activeTrace, inTrace } from './active-trace.ts';
import { type OpenSpan, runInSpan, type SpanFacts, type SpanStart, type Tracing } from './tracing.ts';

/** How long one delivery may take, including its retries. */
const DELIVERY_MS = 5000;
const CLOSE_MS = 1000;
const BETWEEN_WARNINGS_MS = 60_000;
const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL };

/**
 * Sends traces by OTLP over HTTP (JSON), to `/v1/traces` below the endpoint, as the OpenTelemetry
 * specification says.
 */
export function openOtlpTracing(settings: Settings, log: Log): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${settings.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: readTraceHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: DELIVERY_MS,
  });
  const ratio = new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.OTEL_SERVICE_NAME,
      'service.version': PRODUCT_VERSION,
      'process.pid': process.pid,
    }),
    // A request of a stranger may name its trace, but not decide that we record it.
    sampler: new ParentBasedSampler({
      root: ratio,
      remoteParentSampled: ratio,
      remoteParentNotSampled: ratio,
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter: toldOf(exporter, log) })],
  });
  const tracer = provider.getTracer('northline', PRODUCT_VERSION);
  const begin = (name: string, { kind, facts, headers }: SpanStart): OpenSpan => {
    const parent = headers === undefined ? activeContext() : contextOf(headers);
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: facts }, parent);
    return openSpan(span, trace.setSpan(parent, span));
  };
  return {
    begin,
    async below(name, facts, work) {
      if (activeTrace() === undefined) return work();
      return runInSpan(begin(name, { kind: 'internal', facts }), work);
    },
    async close() {
      let sent = false;
      const shutdown = provider.shutdown().then(() => {
        sent = true;
      });
      await waitAtMost(CLOSE_MS, shutdown).catch(() => {});
      if (!sent) log.warn('the last traces were not delivered before the stop; they are lost');
    },
  };
}

function openSpan(span: Span, context: Context): OpenSpan {
  const { traceId } = span.spanContext();
  return {
    traceId,
    run: (work) => inTrace({ traceId, context }, work),
    end(facts: SpanFacts = {}, failed) {
      span.setAttributes(facts);
      if (failed !== undefined) {
        span.setAttribute('error.type', failed);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function activeContext(): Context {
  return (activeTrace()?.context as Context | undefined) ?? ROOT_CONTEXT;
}

const propagator = new W3CTraceContextPropagator();

/** The trace that the headers of a request name; an unreadable name is ignored. */
function contextOf(headers: NonNullable<SpanStart['headers']>): Context {
  return propagator.extract(ROOT_CONTEXT, headers, {
    keys: (carrier) => Object.keys(carrier),
    get: (carrier, key) => carrier[key],
  });
}

/** Makes an exporter log its failures, at most once a minute; the library does not report them. */
function toldOf(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS && performance.now() - warnedAt > BETWEEN_WARNINGS_MS) {
          warnedAt = performance.now();
          log.warn(
            { err: result.error },
            'traces could not be delivered to OTEL_EXPORTER_OTLP_ENDPOINT; they are lost',
          );
        }
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
