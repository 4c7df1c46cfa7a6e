import { MESSAGES } from '../../kernel/contract/messages.ts';
import { supabase } from './client.ts';
import { publicConfig } from './public-config.ts';
import { readStoredSession } from './stored-session.ts';

/**
 * How the server is called: `user` needs a session; `visitor` uses one if there is one; `anyone` never does,
 * so that the client library is not fetched for it.
 */
export type CallRole = 'user' | 'visitor' | 'anyone';

/** Why a call of the server failed. */
export class CallRefused extends Error {
  /** HTTP status; 0 when the server could not be reached. */
  readonly status: number;
  /** The server's error code, such as `card_declined`; '' when there is none. */
  readonly code: string;
  /** The server's sentence; undefined when it sent none or could not be reached. */
  readonly sentence: string | undefined;
  /** What is wrong with each field, if the server said so. */
  readonly fields: Readonly<Record<string, string>>;
  /** Seconds after which the server takes the call again; 0 if it did not say so. */
  readonly retryAfter: number;

  constructor(
    status: number,
    reply: { code?: unknown; error?: unknown; message?: unknown; details?: unknown; fields?: unknown },
    { cause, retryAfter = 0 }: { cause?: unknown; retryAfter?: number } = {},
  ) {
    const sentence = [reply.error, reply.message].find((text) => typeof text === 'string' && text !== '');
    super(typeof sentence === 'string' ? sentence : 'Something went wrong.', { cause });
    this.status = status;
    this.retryAfter = retryAfter;
    this.code = typeof reply.code === 'string' ? reply.code : '';
    this.fields = fieldsOf(reply);
    this.sentence = typeof sentence === 'string' ? sentence : undefined;
  }
}

function fieldsOf({ details, fields }: { details?: unknown; fields?: unknown }): Record<string, string> {
  const named = fields ?? (details as { fields?: unknown } | undefined)?.fields;
  if (named === null || typeof named !== 'object') return {};
  return Object.fromEntries(Object.entries(named).map(([field, reason]) => [field, String(reason)]));
}

/** Seconds before its expiry from which a token is first refreshed. */
const RENEWED_BEFORE = 30;

/**
 * Calls a function of our own server: GET, or POST of `body` as JSON.
 *
 * @throws CallRefused for every reply but 2xx, for no reply, and 401 `no_session` for a `user` without a
 * session
 */
export async function callServer(
  path: string,
  {
    as,
    body,
    signal,
    headers: given,
  }: { as: CallRole; body?: object; signal?: AbortSignal; headers?: Record<string, string> },
): Promise<Response> {
  const headers = { ...given, authorization: `Bearer ${await bearerOf(as)}` };
  const request: RequestInit =
    body === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  const reply = await fetch(path, { ...request, ...(signal && { signal }) }).catch((cause: unknown) => {
    throw new CallRefused(0, {}, { cause });
  });
  if (reply.ok) return reply;
  throw new CallRefused(reply.status, (await reply.json().catch(() => ({}))) as object, {
    retryAfter: Number(reply.headers.get('retry-after') ?? 0),
  });
}

/** Longest wait for a server that has had too many requests, seconds. */
const LONGEST_WAIT = 60;

/**
 * The same call, for one of many: after too many requests it waits as long as the server says, so that a large choice of files
 * ends whole.
 *
 * @throws CallRefused for every other reply but 2xx
 */
export async function callPatiently(
  path: string,
  options: Parameters<typeof callServer>[1],
): Promise<Response> {
  for (;;) {
    try {
      return await callServer(path, options);
    } catch (error) {
      const refused = error instanceof CallRefused ? error : undefined;
      const seconds = refused?.code === 'over_request_rate_limit' ? refused.retryAfter : 0;
      if (seconds <= 0 || seconds > LONGEST_WAIT) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}

async function bearerOf(role: CallRole): Promise<string> {
  if (role === 'user') {
    const { data } = await (await supabase()).auth.getSession();
    if (data.session !== null) return data.session.access_token;
    throw new CallRefused(401, { code: 'no_session', error: MESSAGES.delete.loginAgain });
  }
  const stored = role === 'visitor' ? readStoredSession() : undefined;
  if (stored === undefined) return (await publicConfig()).publicKey;
  if (stored.expiresAt > Date.now() / 1000 + RENEWED_BEFORE) return stored.accessToken;
  const { data } = await (await supabase()).auth.getSession();
  return data.session?.access_token ?? (await publicConfig()).publicKey;
}
