import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { freePort } from '../../bench/support/product.ts';
import { CHECKOUT } from '../support/servers/product-process.ts';

/**
 * A proxy before several processes. It checks `/readyz` of each and sends requests only to those that reply
 * 200.
 */
export interface CheckingProxy {
  readonly name: string;
  readonly url: string;
  close(): Promise<void>;
}

/** How often each process is checked, milliseconds; as in `deploy/haproxy.cfg`. */
const CHECK_MS = 500;
const HAS_HAPROXY = spawnSync('haproxy', ['-v']).status === 0;

/**
 * HAProxy with the file that operators get, if it is installed; otherwise a small one with the same rules.
 */
export function startCheckingProxy(folder: string, ports: readonly [number, number]): Promise<CheckingProxy> {
  return HAS_HAPROXY ? startHaproxy(folder, ports) : startSmallProxy(() => ports);
}

async function startHaproxy(folder: string, [one, two]: readonly [number, number]): Promise<CheckingProxy> {
  const port = await freePort();
  const file = path.join(folder, 'haproxy.cfg');
  const given = readFileSync(path.join(CHECKOUT, 'deploy', 'haproxy.cfg'), 'utf8');
  writeFileSync(
    file,
    given.replaceAll(':8080', `:${port}`).replace(':8081', `:${one}`).replace(':8082', `:${two}`),
  );
  const child: ChildProcess = spawn('haproxy', ['-W', '-db', '-f', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  return {
    name: 'HAProxy',
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * The small one, for any number of processes, which may change.
 *
 * @param onFailure gets each answer of a process with a status from 500 on
 */
export async function startSmallProxy(
  ports: () => readonly number[],
  onFailure: (answer: string) => void = () => {},
): Promise<CheckingProxy> {
  const agent = new http.Agent({ keepAlive: true });
  const ready = new Set<number>();
  const checks = setInterval(() => {
    for (const port of ports())
      fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } }).then(
        ({ ok }) => (ok ? ready.add(port) : ready.delete(port)),
        () => ready.delete(port),
      );
  }, CHECK_MS);
  let turn = 0;
  const next = (): number => {
    turn += 1;
    return [...ready][turn % Math.max(1, ready.size)] ?? 0;
  };
  const server = http.createServer((request, reply) => {
    const { method, url, headers } = request;
    const port = next();
    const passed = http.request({ agent, port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      // These two headers concern one connection: the 65 s that the process promises are not this proxy's.
      const { connection: _own, 'keep-alive': _kept, ...kept } = answer.headers;
      const { statusCode = 502 } = answer;
      reply.writeHead(statusCode, kept);
      if (statusCode >= 500)
        answer.once('data', (body: Buffer) => onFailure(`${method} ${url}: ${statusCode} ${body}`));
      pipeline(answer, reply, () => {});
    });
    passed.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') ready.delete(port);
      if (reply.headersSent) reply.destroy();
      else reply.writeHead(502).end();
    });
    request.pipe(passed);
  });
  server.on('upgrade', (request, client, head) => {
    const upstream = net.connect(next(), '127.0.0.1', () => {
      const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      upstream.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      from.on('error', () => to.destroy());
  });
  // If a connection were closed as a request arrives on it, it would look as if the product had lost the
  // request.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    name: 'a small proxy, as HAProxy is not installed',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      clearInterval(checks);
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
