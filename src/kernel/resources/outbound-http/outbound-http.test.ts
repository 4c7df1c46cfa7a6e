import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOutboundHttp, OutboundBlocked, requestOwnServer } from './outbound-http.ts';
import { downloadOwn } from './own-download.ts';
import { isPublicAddress } from './public-address.ts';

/** Addresses that a request from outside must never make us call (docs/security-attacks.md, attack 36). */
const FORBIDDEN = [
  'https://127.0.0.1/',
  'https://localhost/',
  'https://localhost./',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::127.0.0.1]/',
  'https://[fc00::1]/',
  'https://[fe80::1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'http://example.com/',
  'https://user:password@example.com/',
];

let server: http.Server;
let port: number;
let seen: string[] = [];

beforeAll(async () => {
  server = http.createServer((request, reply) => {
    seen.push(request.url ?? '');
    if (request.url === '/redirect') reply.writeHead(302, { location: '/secret' }).end();
    else if (request.url === '/endless') {
      const timer = setInterval(() => reply.write('x'.repeat(64 * 1024)), 1);
      reply.once('close', () => clearInterval(timer));
    } else if (request.url === '/silent') return;
    else if (request.url === '/drip') {
      reply.write('a');
      const timer = setInterval(() => reply.write('a'), 20);
      reply.once('close', () => clearInterval(timer));
    } else reply.end(`hello ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const closed = createOutboundHttp([]);
const post = { method: 'POST', body: '{}', maxBytes: 1024 } as const;

describe('attack 36: addresses that may not be called', () => {
  test.each(FORBIDDEN)('%s is refused before anything is sent', async (url) => {
    await expect(closed.request({ ...post, url })).rejects.toThrow(OutboundBlocked);
  });

  test('our own network is refused by name and number, also on the port of a real server', async () => {
    seen = [];
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      await expect(closed.request({ ...post, url: `https://${host}:${port}/` })).rejects.toThrow(
        OutboundBlocked,
      );
    }
    expect(seen).toEqual([]);
  });

  test('a name is refused by the address it resolves to (rebinding)', async () => {
    seen = [];
    // This machine's own name leads to itself or to its network, or nowhere.
    await expect(closed.request({ ...post, url: `https://${os.hostname()}:${port}/` })).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  test('a name that does not resolve is refused as such', async () => {
    await expect(closed.request({ ...post, url: `https://${'a'.repeat(64)}.example/` })).rejects.toThrow(
      /getaddrinfo/,
    );
  });

  test('public addresses are distinguished from others', () => {
    expect(isPublicAddress('93.184.215.14')).toBe(true);
    expect(isPublicAddress('2606:4700::1111')).toBe(true);
    expect(isPublicAddress('::ffff:8.8.8.8')).toBe(true);
    expect(isPublicAddress('not an address')).toBe(false);
    expect(isPublicAddress('::127.0.0.1')).toBe(false);
    expect(isPublicAddress('::808:808')).toBe(false);
  });
});

describe('hosts that the operator allows', () => {
  const open = (): ReturnType<typeof createOutboundHttp> => createOutboundHttp([`127.0.0.1:${port}`]);

  test('are called, and no other port of theirs', async () => {
    const reply = await open().request({ ...post, url: `http://127.0.0.1:${port}/hook` });
    expect(reply).toMatchObject({ status: 200, cut: false });
    expect(reply.body.toString()).toBe('hello /hook');
    await expect(open().request({ ...post, url: `http://127.0.0.1:${port + 1}/` })).rejects.toThrow(
      OutboundBlocked,
    );
  });

  test('a redirect is a reply, and is not followed', async () => {
    seen = [];
    const reply = await open().request({ ...post, url: `http://127.0.0.1:${port}/redirect` });
    expect(reply.status).toBe(302);
    expect(seen).toEqual(['/redirect']);
  });

  test('an endless body is cut off', async () => {
    const reply = await open().request({
      ...post,
      url: `http://127.0.0.1:${port}/endless`,
      maxBytes: 100_000,
    });
    expect(reply.cut).toBe(true);
    expect(reply.body).toHaveLength(100_000);
  });

  test('silence and a dripping body end at their time limits', async () => {
    const silent = open().request({ ...post, url: `http://127.0.0.1:${port}/silent`, headersMs: 100 });
    await expect(silent).rejects.toThrow('did not answer in time');
    const drip = open().request({ ...post, url: `http://127.0.0.1:${port}/drip`, totalMs: 200 });
    await expect(drip).rejects.toThrow('took too long');
  });
});

test('our own server is called by path only', async () => {
  const own = `http://127.0.0.1:${port}`;
  expect((await requestOwnServer(own, '/a', post)).body.toString()).toBe('hello /a');
  expect(() => requestOwnServer(own, '//example.com/', post)).toThrow(OutboundBlocked);
  expect(() => requestOwnServer(own, 'https://example.com/', post)).toThrow(OutboundBlocked);
});

test('a download from our own server takes a path only, and reports its result', async () => {
  const own = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-download-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'file');
  const { signal } = new AbortController();
  expect(await downloadOwn(own, '/a', file, signal)).toEqual({ ok: true });
  expect(readFileSync(file, 'utf8')).toBe('hello /a');
  expect(await downloadOwn(own, '/redirect', file, signal)).toEqual({ ok: false, status: 302 });
  for (const away of ['//example.com/', 'https://example.com/'])
    await expect(downloadOwn(own, away, file, signal)).rejects.toThrow(OutboundBlocked);
});
