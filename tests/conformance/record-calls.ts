/** One call of the client and the server's replies. */
export interface RecordedCall {
  readonly service: string;
  readonly caller: string;
  readonly call: string;
  /** Requests of the call, such as `POST /auth/v1/signup`. */
  readonly requests: readonly string[];
  /** Statuses, with the error code that the client saw, or the data that the case shows. */
  readonly outcome: string;
}

interface Seen {
  readonly line: string;
  readonly status: number;
}

let seen: Seen[] = [];

/** A `fetch` for clients that sends each request to the next process and records requests and replies. */
export function spreadFetch(origins: readonly string[]): typeof fetch {
  let turn = 0;
  return async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : String(input));
    const target = (origins[turn % origins.length] ?? '') + pathname + search;
    turn += 1;
    const reply = await fetch(input instanceof Request ? new Request(target, input) : target, init);
    const path = pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}').replace(/mine-[^/]+/, 'mine-{id}');
    seen.push({ line: `${init?.method ?? 'GET'} ${path}`, status: reply.status });
    return reply;
  };
}

/** Runs one call and records the result. Requests of earlier calls are left out. */
export async function record(
  [service, caller, call]: readonly [service: string, caller: string, call: string],
  run: () => PromiseLike<unknown>,
  shows?: (data: never) => unknown,
): Promise<RecordedCall> {
  seen = [];
  const result = await Promise.resolve(run()).catch((error: unknown) => ({ error }));
  const { error, data } = (result ?? {}) as { error?: unknown; data?: never };
  const code = codeOf(error);
  const shown = shows === undefined || code !== '' ? '' : ` → ${String(shows(data as never))}`;
  const statuses = seen.map(({ status }) => status).join(', ');
  return {
    service,
    caller,
    call,
    requests: seen.map(({ line }) => line),
    outcome: (code === '' ? `${statuses || 'ok'}${shown}` : `${statuses} \`${code}\``).trim(),
  };
}

function codeOf(error: unknown): string {
  if (error === null || error === undefined) return '';
  const { code, error: word, statusCode, name, message } = error as Record<string, unknown>;
  const known = code ?? word ?? statusCode ?? name ?? 'error';
  // A mistake in a case itself must be visible, and not be recorded as an outcome.
  if (known === 'TypeError' || known === 'ReferenceError')
    throw new Error(`${String(known)}: ${String(message)}`);
  return String(known);
}
