import http from 'node:http';
import type { Settings } from '../kernel/config/settings.ts';

/** The local address of a server that listens on all addresses. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** A request to the running product. */
export interface ServerRequest {
  readonly method: 'GET' | 'POST';
  /** With its query string; e.g. `/functions/v1/operate-billing`. */
  readonly path: string;
  /** Bearer token of the request. */
  readonly key: string;
  /** Sent as JSON. */
  readonly body?: object;
}

/**
 * Sends a request to the running product, because only it has the embedded database and payment provider
 * open. Does not use `fetch`, which gives up after five minutes: a reconciliation of thousands of customers
 * may take longer.
 *
 * @returns the reply's JSON
 * @throws Error with a sentence for the operator when no server is running or the status is neither 200 nor 201
 */
export async function requestServer(
  { HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>,
  { method, path, key, body }: ServerRequest,
): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const reply = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(
      { host: WILDCARDS[HOST] ?? HOST, port: PORT, path, method, headers },
      resolve,
    );
    request.on('error', (error) =>
      reject(new Error(`No server runs at ${HOST}:${PORT} (${error.message}): start it, then ask again.`)),
    );
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const text = (await reply.toArray()).join('');
  if (reply.statusCode !== 200 && reply.statusCode !== 201)
    throw new Error(`The server answered ${reply.statusCode}: ${text}`);
  return JSON.parse(text) as unknown;
}
