/** The attributes of a span: never the values of a statement, a token, or the address or name of a person. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A span that has begun. */
export interface OpenSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Runs `work`, and everything that it starts, in this span. */
  run<T>(work: () => T): T;
  /** Ends the span; call it once. `failed` is the code or class of the error, if there was one. */
  end(facts?: SpanFacts, failed?: string): void;
}

/** How a span begins. */
export interface SpanStart {
  readonly kind: 'server' | 'consumer' | 'internal';
  readonly facts: SpanFacts;
  /** Headers of the request; only `traceparent` and `tracestate` are read (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
}

/** Traces by OpenTelemetry, made when OTEL_EXPORTER_OTLP_ENDPOINT is set (decision 0381). */
export interface Tracing {
  /**
   * Begins a span: in the trace of `headers` if given, else below the active span. Undefined without tracing.
   */
  begin(name: string, start: SpanStart): OpenSpan | undefined;
  /** Runs `work` in a span below the active one; without an active span it just runs `work`. */
  below<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
  /** Sends the remaining spans, for a second at most. */
  close(): Promise<void>;
}

/** Makes no traces. */
export const NO_TRACING: Tracing = {
  begin: () => undefined,
  below: (_name, _facts, work) => work(),
  close: async () => {},
};

/** A word for an error without personal data: its code, else its class. */
function failureWord(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^\w{1,60}$/.test(code)) return code;
  return typeof name === 'string' ? name : 'error';
}

/** Runs `work` in `span` and ends the span with the outcome; without a span it just runs `work`. */
export async function runInSpan<T>(span: OpenSpan | undefined, work: () => Promise<T>): Promise<T> {
  if (span === undefined) return work();
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end({}, failureWord(error));
    throw error;
  }
}
