import http from 'node:http';
import type { DoorRequest } from './door-list.ts';

// Runs in its own process, so that its work does not slow down the measured customer. Reads {port, atOnce,
// requests, done} from standard input, sends until SIGTERM, and then reports how often each status came. For
// requests that follow each other, it counts the status of the last one, or of the first whose work was
// refused.

interface Load {
  readonly port: number;
  readonly atOnce: number;
  readonly requests: readonly DoorRequest[];
  readonly done: readonly number[];
}

/** A text split at the places of a number that changes. */
type Parts = readonly string[];

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const load = JSON.parse(Buffer.concat(chunks).toString()) as Load;
const agent = new http.Agent({ keepAlive: true, maxSockets: load.atOnce });
const statuses: Record<string, number> = {};
let number = 0;
let stopping = false;

const prepared = load.requests.map(({ method, path, headers = {}, body = '' }) => ({
  method,
  headers,
  path: path.split('{n}'),
  body: body.split('{n}'),
}));

process.once('SIGTERM', () => {
  stopping = true;
});
await Promise.all(Array.from({ length: load.atOnce }, drive));
process.stdout.write(JSON.stringify(statuses));
agent.destroy();

async function drive(): Promise<void> {
  while (!stopping) {
    number += 1;
    const own = number;
    let status = '';
    for (const request of prepared) {
      status = await send(request, own);
      if (!load.done.includes(Number(status))) break;
    }
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

function send(
  { method, headers, path, body }: { method: string; headers: object; path: Parts; body: Parts },
  own: number,
): Promise<string> {
  const bytes = Buffer.from(body.join(String(own)));
  return new Promise((resolve) => {
    const request = http.request({
      host: '127.0.0.1',
      port: load.port,
      agent,
      method,
      path: path.join(String(own)),
      headers: { ...headers, ...(bytes.length === 0 ? {} : { 'content-length': bytes.length }) },
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    request.on('response', (reply) => {
      reply.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      reply.on('end', () => resolve(String(reply.statusCode)));
      reply.resume();
    });
    request.end(bytes);
  });
}
