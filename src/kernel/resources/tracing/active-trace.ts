import { AsyncLocalStorage } from 'node:async_hooks';

/** Which span the code that runs now belongs to. */
export interface ActiveTrace {
  /** 32 hexadecimal digits (W3C Trace Context §3.2.2.3). */
  readonly traceId: string;
  /** The library's own context, for spans below this one. */
  readonly context: unknown;
}

const active = new AsyncLocalStorage<ActiveTrace>();

/** The span that is active; undefined outside of every request, job and call, and while no traces are made. */
export function activeTrace(): ActiveTrace | undefined {
  return active.getStore();
}

/** Runs `work`, and what it begins, in a span. */
export function inTrace<T>(trace: ActiveTrace, work: () => T): T {
  return active.run(trace, work);
}

/** What a line of the log says of the span that it is written in: `{trace_id}`, or nothing. */
export function traceFields(): { trace_id?: string } {
  const trace = active.getStore();
  return trace === undefined ? {} : { trace_id: trace.traceId };
}
