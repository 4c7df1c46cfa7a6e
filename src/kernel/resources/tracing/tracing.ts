/** The attributes of a span. Never a value of a statement, a token, an address or a name of a person. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A span that has begun. */
export interface OpenSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Runs `work`, and what it begins, in this span. */
  run<T>(work: () => T): T;
  /** Ends it, once; `failed` is the code or name of what went wrong. */
  end(facts?: SpanFacts, failed?: string): void;
}

/** How a span begins. */
export interface SpanStart {
  readonly kind: 'server' | 'consumer' | 'internal';
  readonly facts: SpanFacts;
  /** Headers of the request, of which `traceparent` and `tracestate` are read (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
}

/** Traces by OpenTelemetry, made when OTEL_EXPORTER_OTLP_ENDPOINT is set (decision 0381). */
export interface Tracing {
  /** Begins a span below the active one, or a trace; undefined where no traces are made. */
  begin(name: string, start: SpanStart): OpenSpan | undefined;
  /** Runs `work` in a span below the active one; without any, `work` alone. */
  below<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
  /** Sends what has not been sent, for a second at most. */
  close(): Promise<void>;
}

/** Makes no traces. */
export const NO_TRACING: Tracing = {
  begin: () => undefined,
  below: (_name, _facts, work) => work(),
  close: async () => {},
};

/** What failed, in a word that holds nothing of anybody: the error's code, else its class. */
function failureWord(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^\w{1,60}$/.test(code)) return code;
  return typeof name === 'string' ? name : 'error';
}

/** Runs `work` in `span`, and ends it with what came of it; `work` alone where there is no span. */
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
