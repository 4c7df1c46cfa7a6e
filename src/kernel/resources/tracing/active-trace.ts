import { AsyncLocalStorage } from 'node:async_hooks';

/** The span that the running code belongs to. */
export interface ActiveTrace {
  /** 32 hexadecimal digits (W3C Trace Context §3.2.2.3). */
  readonly traceId: string;
  /** The library's own context, for spans below this one. */
  readonly context: unknown;
}

const active = new AsyncLocalStorage<ActiveTrace>();

/** The active span; undefined outside of requests, jobs and calls, and while no traces are made. */
export function activeTrace(): ActiveTrace | undefined {
  return active.getStore();
}

/** Runs `work`, and everything that it starts, in a span. */
export function inTrace<T>(trace: ActiveTrace, work: () => T): T {
  return active.run(trace, work);
}

/** The fields that a log line gets from the active span: `{trace_id}`, or none. */
export function traceFields(): { trace_id?: string } {
  const trace = active.getStore();
  return trace === undefined ? {} : { trace_id: trace.traceId };
}
