/** One call of the client and what the server answered. */
export interface RecordedCall {
  readonly service: string;
  readonly caller: string;
  readonly call: string;
  /** Requests that the call made, as `POST /auth/v1/signup`. */
  readonly requests: readonly string[];
  /** Statuses, with the error code that the client saw. */
  readonly outcome: string;
}

interface Seen {
  readonly line: string;
  readonly status: number;
}

let seen: Seen[] = [];

/** A `fetch` for clients that remembers what was asked and answered. */
export const recordingFetch: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init);
  const { pathname } = new URL(input instanceof Request ? input.url : String(input));
  const path = pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}');
  seen.push({ line: `${init?.method ?? 'GET'} ${path}`, status: reply.status });
  return reply;
};

/** Runs one call and tells what came of it. Requests of earlier calls are left out. */
export async function record(
  [service, caller, call]: readonly [service: string, caller: string, call: string],
  run: () => PromiseLike<unknown>,
): Promise<RecordedCall> {
  seen = [];
  const result = (await run()) as { error?: unknown } | undefined;
  const code = codeOf(result?.error);
  const statuses = seen.map(({ status }) => status).join(', ');
  const requests = seen.map(({ line }) => line);
  return {
    service,
    caller,
    call,
    requests,
    outcome: code === '' ? statuses || 'ok' : `${statuses} \`${code}\``.trim(),
  };
}

function codeOf(error: unknown): string {
  if (error === null || error === undefined) return '';
  const { code, error: word, statusCode, name } = error as Record<string, unknown>;
  return String(code ?? word ?? statusCode ?? name ?? 'error');
}

/** The table of all calls, as the page in docs/ holds it. */
export function callsPage(calls: readonly RecordedCall[]): string {
  const services = [...new Set(calls.map(({ service }) => service))];
  const sections = services.map((service) => {
    const rows = calls
      .filter((one) => one.service === service)
      .map(
        ({ caller, call, requests, outcome }) =>
          `| \`${call}\` | ${caller} | ${requests.map((line) => `\`${line}\``).join('<br>') || (service === 'Realtime' ? 'by socket' : 'none')} | ${outcome} |`,
      );
    return `## ${service}\n\n| Call | Caller | Request | Outcome |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  const head = `# Calls of the platform\n\nWritten by the run of \`tests/conformance/platform-calls.test.ts\`: every call is made by the unmodified client\nagainst the running product, and the test fails when an outcome is no longer the one written here. To write it\nanew: \`npx vitest run tests/conformance -u\`. An outcome is the HTTP status and, for a refusal, the code that the client saw.\n`;
  return [head, ...sections].join('\n');
}
