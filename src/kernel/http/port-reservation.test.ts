import { once } from 'node:events';
import http from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { inheritedSocket, reserveFreePort } from './port-reservation.ts';

const HOST = '127.0.0.1';

test('a reserved port is held, is not ready, and is passed on unchanged to its server', async () => {
  const reserved = await reserveFreePort(HOST);
  const url = `http://${HOST}:${reserved.port}`;
  const stranger = http.createServer();
  const refused = once(stranger, 'error');
  stranger.listen(reserved.port, HOST);
  expect(await refused).toMatchObject([{ code: 'EADDRINUSE' }]);
  const early = await fetch(url);
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);

  const server = http.createServer((_request, reply) => reply.end('ready'));
  onTestFinished(() => void server.close());
  reserved.handTo(server);
  const listening = once(server, 'listening');
  server.listen({ host: HOST, port: reserved.port });
  await listening;
  expect(server.address()).toMatchObject({ address: HOST, port: reserved.port });
  expect(await (await fetch(url)).text()).toBe('ready');
});

test('a port that is released can be taken', async () => {
  const reserved = await reserveFreePort(HOST);
  await reserved.release();
  const other = http.createServer();
  onTestFinished(() => void other.close());
  other.listen(reserved.port, HOST);
  await once(other, 'listening');
});

test('an inherited socket is used only when it was passed to this process, and only one', () => {
  expect(inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '51' }, 51)).toBe(3);
  expect(inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '50' }, 51)).toBeUndefined();
  expect(inheritedSocket({}, 51)).toBeUndefined();
  expect(() => inheritedSocket({ LISTEN_FDS: '2', LISTEN_PID: '51' }, 51)).toThrow(
    'systemd handed over 2 sockets: northline.socket may name one address only.',
  );
});
