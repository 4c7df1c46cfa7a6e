import type { OutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';

/** Largest reply of a provider that is read, bytes. */
const MAX_BYTES = 512 * 1024;
const HEADERS_MS = 8000;
const TOTAL_MS = 12_000;

/** The options that the libraries pass; bodies are text. */
interface FetchOptions {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly body?: unknown;
}

/**
 * A `fetch` for sign-in libraries that goes through the outbound client: private addresses
 * only when the operator names them, no redirects, bounded size and time (ASVS 1.3.6, 15.3.2).
 */
export function guardedFetch(outbound: OutboundHttp) {
  return async (url: string, options: FetchOptions = {}): Promise<Response> => {
    const { body } = options;
    const text = body === undefined || body === null ? undefined : String(body);
    const reply = await outbound.request({
      url,
      method: options.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(options.headers)),
      ...(text === undefined ? {} : { body: text }),
      maxBytes: MAX_BYTES,
      headersMs: HEADERS_MS,
      totalMs: TOTAL_MS,
    });
    if (reply.cut) throw new Error('The answer of the provider is too long.');
    const empty = [101, 204, 205, 304].includes(reply.status);
    return new Response(empty ? null : new Uint8Array(reply.body), {
      status: reply.status,
      headers: { 'content-type': reply.headers['content-type'] ?? 'application/octet-stream' },
    });
  };
}
