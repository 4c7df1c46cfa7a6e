import net from 'node:net';

/** One kind of request, sent again and again. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What a load run saw. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Replies whose status was not 2xx. */
  readonly refused: number;
}

/**
 * Sends `request` over `connections` kept-open sockets for `seconds`, each socket one at a
 * time. Raw sockets, so that the generator costs little beside what it measures.
 */
export async function runLoad(
  port: number,
  request: LoadRequest,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const bytes = requestBytes(port, request);
  const until = Date.now() + seconds * 1000;
  const started = performance.now();
  const counts = await Promise.all(Array.from({ length: connections }, () => drive(port, bytes, until)));
  const elapsed = (performance.now() - started) / 1000;
  const requests = counts.reduce((sum, count) => sum + count.requests, 0);
  return {
    requests,
    perSecond: requests / elapsed,
    refused: counts.reduce((sum, count) => sum + count.refused, 0),
  };
}

function requestBytes(port: number, { method, path, headers = {}, body = '' }: LoadRequest): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function drive(port: number, bytes: Buffer, until: number): Promise<{ requests: number; refused: number }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let pending = Buffer.alloc(0);
    let bodyLeft = 0;
    let chunked = false;
    let requests = 0;
    let refused = 0;
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      if (chunked) {
        if (!endsChunked(chunk)) return;
        chunked = false;
      } else if (bodyLeft > 0) {
        bodyLeft -= chunk.length;
      } else {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        const end = pending.indexOf('\r\n\r\n');
        if (end === -1) return;
        const head = pending.toString('latin1', 0, end);
        chunked = /\r\ntransfer-encoding: chunked/i.test(head) && !endsChunked(pending);
        const whole = /\r\ntransfer-encoding: chunked/i.test(head) ? pending.length - end - 4 : Number.NaN;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? whole);
        if (Number.isNaN(length)) {
          reject(new Error(`a reply without content-length: ${head}`));
          socket.destroy();
          return;
        }
        if (!/^HTTP\/1\.1 2/.test(head)) refused += 1;
        bodyLeft = length - (pending.length - end - 4);
        pending = Buffer.alloc(0);
      }
      if (bodyLeft > 0 || chunked) return;
      requests += 1;
      if (Date.now() < until) {
        socket.write(bytes);
      } else {
        socket.destroy();
        resolve({ requests, refused });
      }
    });
  });
}

/** The last chunk of a reply that does not tell its length. */
function endsChunked(bytes: Buffer): boolean {
  return bytes.subarray(-5).toString('latin1') === '0\r\n\r\n';
}
