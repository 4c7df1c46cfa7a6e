import { once } from 'node:events';
import http from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { reserveFreePort } from './port-reservation.ts';

const HOST = '127.0.0.1';

test('a reserved port belongs to nobody else, is not ready, and goes to its server as it is', async () => {
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
