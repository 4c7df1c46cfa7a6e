import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { createLog } from '../resources/log/log.ts';
import { UpgradeListener } from './upgrade-door.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

/** Paths with a WebSocket of their own, one that has none, and one that is a page. */
const PATHS = [
  '/realtime/v1/websocket',
  '/voice/v1/connection-test',
  '/voice/v1/monitor/11111111-1111-4111-8111-111111111111/abc/listen',
  '/anything',
  '/',
];
/** Request targets that are no address, or that no path is. */
const ODD = ['//', '/\\', '*', 'http://[', '//[', 'http://', '/%', '/%ff', '?', '/..//', 'a:b@c', '/\u00a0'];

const handshake = (target: string, upgrade = 'websocket'): string =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

async function connect(): Promise<net.Socket> {
  const socket = net.connect(Number(new URL(app.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** The status of the answer. */
async function statusOf(request: string): Promise<number> {
  const socket = await connect();
  socket.write(request, 'latin1');
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(first.toString('latin1'))?.[1]);
}

const isAlive = async (): Promise<number> => (await fetch(`${app.url}/livez`)).status;

test.each(ODD)('a WebSocket at the target %s is refused, and the server goes on', async (target) => {
  expect([400, 404]).toContain(await statusOf(handshake(target)));
  expect(await isAlive()).toBe(200);
});

test.each(ODD)('a page at the target %s is not there, and no fault', async (target) => {
  const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n`;
  expect(await statusOf(request)).toBeLessThan(500);
});

test.each(PATHS)('connections at %s that are reset during the handshake end nothing', async (target) => {
  for (let nth = 0; nth < 30; nth++) {
    const socket = await connect();
    socket.write(handshake(target));
    // At once, after the request was read, and after the answer has begun.
    if (nth % 3 === 1) await new Promise(setImmediate);
    if (nth % 3 === 2) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    socket.resetAndDestroy();
  }
  expect(await isAlive()).toBe(200);
});

test('an offer of HTTP/2 is ignored: the page comes by HTTP/1.1 (RFC 9110 §7.8)', async () => {
  const offer = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
    'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n';
  expect(await statusOf(offer('/livez'))).toBe(200);
  expect(await statusOf(offer('/realtime/v1/websocket'))).toBe(404);
});

test('a WebSocket that nobody serves gets the answer of an ordinary request, with its id', async () => {
  const socket = await connect();
  socket.write(handshake('/nowhere'));
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 404 [\s\S]*x-request-id: /i);
});

test('an exception of a feature is logged, answered with 500, and ends that connection only', async () => {
  const lines: string[] = [];
  const door = new UpgradeListener(createLog('error', { write: (line: string) => void lines.push(line) }));
  door.serve('/broken', () => {
    throw new Error('a fault of its own');
  });
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  const [stream] = (await once(server, 'connection')) as [net.Socket];
  door.take({ url: '/broken', headers: { upgrade: 'websocket' } } as never, stream, Buffer.alloc(0));
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 500 /);
  expect(lines.join()).toContain('a fault of its own');
  expect(door.countOpen('/broken')).toBe(1);
  const closed = once(stream, 'close');
  client.destroy();
  await closed;
  expect(door.countOpen('/broken')).toBe(0);
  server.close();
});
