import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { bare } from '../../../tests/support/customers/realtime-clients.ts';
import { startTestApp } from '../../../tests/support/test-app.ts';
import { createAddressLimit } from '../../kernel/http/address-limit.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test('one address has a limited number of sockets; another address and a closed socket free places', async () => {
  const app = await startTestApp({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' } });
  const url = `${app.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${app.anonKey}`;
  const from = (address: string) => bare(url, { headers: { 'x-forwarded-for': address } });
  const sockets = Array.from({ length: REALTIME_LIMITS.socketsPerAddress }, () => from('203.0.113.7'));
  await Promise.all(sockets.map((socket) => socket.opened));
  expect(await from('203.0.113.7').closed).toContain('429');
  const other = from('203.0.113.8');
  await other.opened;
  sockets[0]?.ws.close();
  await sockets[0]?.closed;
  const next = from('203.0.113.7');
  await next.opened;
  for (const { ws } of [...sockets, other, next]) ws.terminate();
  await app.close();
});

test.each<
  [
    name: string,
    trusted: string[],
    remote: string,
    forwarded: string | undefined,
    same: string,
    full: boolean,
  ]
>([
  [
    'without trusted proxies the header is not believed',
    [],
    '198.51.100.1',
    '203.0.113.1',
    '198.51.100.1',
    true,
  ],
  [
    'a chain of proxies is followed to the client',
    ['loopback', '10.0.0.0/8'],
    '127.0.0.1',
    '203.0.113.1, 10.1.2.3',
    '203.0.113.1',
    true,
  ],
  [
    'what the client itself wrote does not count',
    ['127.0.0.1'],
    '::ffff:127.0.0.1',
    '1.1.1.1, 203.0.113.1',
    '203.0.113.1',
    true,
  ],
  ['one IPv6 network is one client', [], '2001:db8::1', undefined, '2001:db8::2', true],
  ['another IPv6 network is another', [], '2001:db8::1', undefined, '2001:db8:0:1::1', false],
])('%s', (...row) => {
  const [, trusted, remote, forwarded, same, full] = row;
  const addresses = createAddressLimit(trusted, 1);
  const back = addresses.take(request(remote, forwarded));
  expect(back).toBeDefined();
  expect(addresses.take(request(same)) === undefined).toBe(full);
  back?.();
  back?.();
  expect(addresses.take(request(remote, forwarded))).toBeDefined();
});
