import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CONTACT_EMAIL: 'hello@agency.example' } });
});
afterAll(() => app.close());

test.each([
  ['/favicon.ico', 301, '/favicon.svg'],
  ['/.well-known/change-password', 302, '/dashboard/account#password'],
])('%s redirects', async (path, status, target) => {
  const reply = await fetch(app.url + path, { redirect: 'manual' });
  expect([reply.status, reply.headers.get('location')]).toEqual([status, target]);
});

test('security.txt names a contact and has not expired', async () => {
  const reply = await fetch(`${app.url}/.well-known/security.txt`);
  const text = await reply.text();
  expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text).toContain('Contact: mailto:hello@agency.example\n');
  const expires = /^Expires: (.+)$/m.exec(text)?.[1] ?? '';
  expect(new Date(expires).getTime()).toBeGreaterThan(Date.now());
});
