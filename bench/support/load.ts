import net from 'node:net';

/** One kind of request, sent again and again. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The result of a load run. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Replies with a status other than 2xx. */
  readonly refused: number;
}

/**
 * Sends `request` over `connections` kept-open sockets for `seconds`, one request at a time on each. It uses
 * raw sockets, so that the generator costs little compared with what it measures.
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
    const replies = new ReplyReader();
    let requests = 0;
    let refused = 0;
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      const status = replies.read(chunk);
      if (status === undefined) return;
      if (status instanceof Error) {
        reject(status);
        socket.destroy();
        return;
      }
      requests += 1;
      if (status < 200 || status > 299) refused += 1;
      if (Date.now() < until) {
        socket.write(bytes);
      } else {
        socket.destroy();
        resolve({ requests, refused });
      }
    });
  });
}

/** Finds where each reply ends, reading no more of it than that needs. */
class ReplyReader {
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  #bodyLeft = 0;
  #chunked = false;

  /** The status of the reply that ends with this piece; undefined while it continues. */
  read(piece: Buffer): number | Error | undefined {
    if (this.#chunked) this.#chunked = !endsChunked(piece);
    else if (this.#bodyLeft > 0) this.#bodyLeft -= piece.length;
    else {
      this.#head = this.#head.length === 0 ? piece : Buffer.concat([this.#head, piece]);
      const end = this.#head.indexOf('\r\n\r\n');
      if (end === -1) return undefined;
      const fault = this.#startBody(this.#head.toString('latin1', 0, end), this.#head.subarray(end + 4));
      this.#head = Buffer.alloc(0);
      if (fault !== undefined) return fault;
    }
    return this.#bodyLeft > 0 || this.#chunked ? undefined : this.#status;
  }

  #startBody(head: string, body: Buffer): Error | undefined {
    this.#status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (/\r\ntransfer-encoding: chunked/i.test(head)) {
      this.#chunked = !endsChunked(body);
      return undefined;
    }
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) return new Error(`a reply without content-length: ${head}`);
    this.#bodyLeft = Number(length) - body.length;
    return undefined;
  }
}

/** Whether these are the last bytes of a chunked reply. */
function endsChunked(bytes: Buffer): boolean {
  return bytes.subarray(-5).toString('latin1') === '0\r\n\r\n';
}
