import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { OutboundHttp } from './outbound-http.ts';

const NO_BODY = new Set([204, 205, 304]);

/**
 * A `fetch` through the outbound client, for libraries whose answers stream: every address is checked as
 * `OutboundHttp.approve` does, redirects are not followed, connections are kept. Bounds of size and time are the
 * caller's, by the signal and by what it reads.
 */
export function outboundFetch(outbound: Pick<OutboundHttp, 'approve'>): typeof fetch {
  const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };
  return async (input, init) => {
    const request = new Request(input, init);
    const { url, lookup } = outbound.approve(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const secure = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const call = (secure ? https : http).request(url, {
        method: request.method,
        headers: { ...Object.fromEntries(request.headers), 'content-length': body.length },
        agent: secure ? agents.https : agents.http,
        signal: request.signal,
        ...(lookup === undefined ? {} : { lookup }),
      });
      call.once('error', reject);
      call.once('response', (reply) => {
        const status = reply.statusCode ?? 502;
        const headers = Object.entries(reply.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] as [string, string]],
        );
        if (NO_BODY.has(status)) reply.resume();
        // A reply that breaks off is the reader's error, not the process's.
        reply.on('error', () => {});
        const stream = NO_BODY.has(status) ? null : (Readable.toWeb(reply) as ReadableStream<Uint8Array>);
        resolve(new Response(stream, { status, headers }));
      });
      call.end(body);
    });
  };
}
