import net from 'node:net';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { announceStop, drainServer } from './server-drain.ts';

/** A server with a quick route, and one that answers when the test lets it. */
async function open() {
  const server = Fastify({ forceCloseConnections: 'idle' });
  const slow = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  server.get('/quick', async () => 'quick');
  server.get('/slow', async () => {
    asked.resolve();
    await slow.promise;
    return 'slow';
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return { server, letSlowAnswer: slow.resolve, slowAsked: asked.promise };
}

/** A connection that is kept alive: the bytes received on it, and its end. */
function connect(server: Awaited<ReturnType<typeof open>>['server']) {
  const socket = net.connect((server.server.address() as net.AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    ask: (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`),
    text: () => text,
    closed: new Promise<void>((resolve) => socket.once('close', () => resolve())),
  };
}

test('while draining, idle connections end at once and a busy one ends with its reply', async () => {
  const { server, letSlowAnswer, slowAsked } = await open();
  const [idle, busy, late] = [connect(server), connect(server), connect(server)];
  idle.ask('/quick');
  await expect.poll(idle.text).toMatch(/keep-alive[\s\S]*quick$/);
  busy.ask('/slow');
  await slowAsked;
  const held = Promise.withResolvers<void>();
  const drained = drainServer(server, () => held.promise);
  await idle.closed;
  late.ask('/quick');
  await late.closed;
  // A new connection is answered, because a running job may be the one asking, but it is not kept open.
  const fresh = connect(server);
  fresh.ask('/quick');
  await fresh.closed;
  expect(fresh.text()).toMatch(/connection: close[\s\S]*quick$/i);
  letSlowAnswer();
  await busy.closed;
  expect(busy.text()).toMatch(/slow$/);
  held.resolve();
  await drained;
  expect(server.server.listening).toBe(false);
});

test('connections that still read or send at the deadline are cut off, whatever the work does', async () => {
  const { server, letSlowAnswer, slowAsked } = await open();
  const busy = connect(server);
  busy.ask('/slow');
  await slowAsked;
  await drainServer(server, () => new Promise(() => {}));
  await busy.closed;
  expect(busy.text()).toBe('');
  expect(server.server.listening).toBe(false);
  letSlowAnswer();
});

test('while a stop is announced all requests are answered, idle connections stay, and calls are waited for', async () => {
  const { server } = await open();
  const idle = connect(server);
  idle.ask('/quick');
  await expect.poll(idle.text).toMatch(/keep-alive[\s\S]*quick$/);
  let isBusy = true;
  let announced = false;
  const over = announceStop(server, { seconds: 0, callSeconds: 900, isBusy: () => isBusy }).then(() => {
    announced = true;
  });
  const fresh = connect(server);
  fresh.ask('/quick');
  await fresh.closed;
  expect(fresh.text()).toMatch(/connection: close[\s\S]*quick$/i);
  idle.ask('/quick');
  await idle.closed;
  expect(idle.text()).toMatch(/connection: close[\s\S]*quick$/i);
  expect([announced, server.server.listening]).toEqual([false, true]);
  isBusy = false;
  await over;
});
