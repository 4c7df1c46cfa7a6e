import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { requireStorable } from './unstorable-text.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CORS_ORIGINS: 'https://shop.example' } });
});
afterAll(() => app?.close());

describe('text that cannot be stored is refused at the entry', () => {
  test.each([
    ['/auth/v1/signup', '{"email":"a@b.example","password":"quiet harbour 42","data":{"x":"\\u0000"}}'],
    ['/auth/v1/signup', '{"email":"a@b.example","password":"quiet harbour 42","data":{"\\ud800":1}}'],
    ['/auth/v1/user', '{"data":{"x":"\\u0000"}}'],
    ['/auth/v1/sso', '{"domain":"a\\u0000b"}'],
    ['/functions/v1/enquiry', '{"name":"\\udc00"}'],
    ['/realtime/v1/api/broadcast', '{"messages":[{"topic":"a","event":"\\u0000","payload":{}}]}'],
  ])('%s %s', async (path, body) => {
    const headers = { apikey: app.anonKey, 'content-type': 'application/json' };
    const method = path.endsWith('/user') ? 'PUT' : 'POST';
    const reply = await fetch(app.url + path, { method, headers, body });
    expect([reply.status, await reply.text()]).toEqual([
      400,
      expect.stringContaining('The text has a character that cannot be stored.'),
    ]);
  });

  test.each([
    '/realtime/v1/api/broadcast/%00/events/e?private=true',
    '/test-provider/pay/%00',
    '/test-provider/portal/%00',
    '/functions/v1/operator-customers?q=%00',
    '/functions/v1/operator-mails?q=%00',
    '/functions/v1/news?x=%00',
  ])('%s', async (path) => {
    const headers = { apikey: app.anonKey };
    const method = path.startsWith('/realtime') ? 'POST' : 'GET';
    const reply = await fetch(app.url + path, { method, headers });
    expect(reply.status).toBe(400);
  });

  test('numbers and empty values beside such an escape are fine; a form’s text is refused like JSON’s', () => {
    const face = JSON.parse('{"face":"\\ud83d\\ude00","of":[1,null,true]}');
    expect(() => requireStorable(face)).not.toThrow();
    for (const wrong of ['a\0b', '\ud83d', { name: ['\0'] }, { '\0': 1 }])
      expect(() => requireStorable(wrong)).toThrow('The text has a character that cannot be stored.');
  });

  test('an escaped backslash is text', async () => {
    const headers = { apikey: app.anonKey, 'content-type': 'application/json' };
    const body =
      '{"messages":[{"topic":"a","event":"b","payload":{"path":"C:\\\\u0000","face":"\\ud83d\\ude00","of":[1,null]}}]}';
    const reply = await fetch(`${app.url}/realtime/v1/api/broadcast`, { method: 'POST', headers, body });
    expect(reply.status).toBe(202);
  });
});

/** Sends one request exactly as written. */
async function raw(text: string): Promise<string> {
  const { port } = new URL(app.url);
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.end(text);
  let reply = '';
  socket.on('data', (piece) => {
    reply += piece;
  });
  await once(socket, 'close');
  return reply;
}

test('an address that cannot be decoded gets our headers and sentences', async () => {
  const reply = await raw('GET /%ff HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  for (const header of [
    'x-request-id',
    'x-content-type-options',
    'content-security-policy',
    'referrer-policy',
  ]) {
    expect(reply.toLowerCase()).toContain(`${header}:`);
  }
  expect(reply).toContain('"code":"bad_request"');
  expect(reply).not.toContain('FST_');
});

test('two Host headers are refused', async () => {
  const reply = await raw('GET /livez HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n');
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
});

describe('other origins', () => {
  const ask = (origin: string, method: string, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/rest/v1/`, { method, headers: { origin, apikey: app.anonKey, ...headers } });

  test('a listed one may call, without credentials', async () => {
    const reply = await ask('https://shop.example', 'GET');
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    expect(reply.headers.get('access-control-expose-headers')).toContain('content-range');
    expect(reply.headers.get('vary')?.toLowerCase()).toContain('origin');
    const preflight = await ask('https://shop.example', 'OPTIONS', {
      'access-control-request-method': 'POST',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-upsert');
    expect(preflight.headers.get('access-control-max-age')).toBe('7200');
  });

  test('another one gets no permission, and OPTIONS of a service stays its own', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const reply = await ask('https://evil.example', method, { 'access-control-request-method': 'POST' });
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await ask('https://shop.example', 'OPTIONS')).headers.get('allow')).toBe('OPTIONS,GET,HEAD');
  });
});
