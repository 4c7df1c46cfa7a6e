import { expect, test } from 'vitest';
import { readSipListen } from './sip-address.ts';

test('addresses of telephones are read with the standard ports; anything else is refused', () => {
  expect(readSipListen('off')).toEqual([]);
  expect(readSipListen('udp://127.0.0.1, tcp://0.0.0.0:5070,tls://[::1]')).toEqual([
    { protocol: 'udp', host: '127.0.0.1', port: 5060 },
    { protocol: 'tcp', host: '0.0.0.0', port: 5070 },
    { protocol: 'tls', host: '::1', port: 5061 },
  ]);
  for (const wrong of [
    '',
    'udp://example.com',
    'http://127.0.0.1',
    'udp://127.0.0.1:99999',
    'udp://127.0.0.1,x',
  ])
    expect(readSipListen(wrong), wrong).toBeUndefined();
});
