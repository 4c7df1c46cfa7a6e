import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { OutboundHttp } from './outbound-http.ts';

const NO_BODY = new Set([204, 205, 304]);

/**
 * A `fetch` for libraries that read replies as streams. Every address is checked by `OutboundHttp.approve`,
 * redirects are not followed, and connections are kept open. The caller limits the time by the request's
 * signal and the size by how much it reads.
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
        // Without a listener, a reply that breaks off would end the process. Its reader gets the error too.
        reply.on('error', () => {});
        const stream = NO_BODY.has(status) ? null : (Readable.toWeb(reply) as ReadableStream<Uint8Array>);
        resolve(new Response(stream, { status, headers }));
      });
      call.end(body);
    });
  };
}
