import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.resources.mailer.send(app.resources.database, {
    to: 'a@customers.example',
    purpose: 'service',
    subject: 'One <b>bold</b>',
    text: `See ${app.url}/auth/v1/verify?token=x&type=y and https://evil.example/<script>`,
    html: '<script>alert(1)</script><p onclick="x()">Hello</p>',
  });
  await app.resources.mailer.send(app.resources.database, {
    to: 'b@customers.example',
    purpose: 'service',
    subject: 'Two',
    text: 'Two',
    html: '<p>Two</p>',
  });
});
afterAll(() => app.close());

/** A request as written, whatever `fetch` would refuse to say. */
function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    http
      .get(`${app.url}${path}`, { headers }, (reply) => {
        let body = '';
        reply.on('data', (chunk) => {
          body += chunk;
        });
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
      })
      .on('error', reject);
  });
}

test('the JSON has every field, newest first', async () => {
  const mails = JSON.parse((await get('/dev/mail.json')).body);
  expect(mails.map((mail: { subject: string }) => mail.subject)).toEqual(['Two', 'One <b>bold</b>']);
  expect(Object.keys(mails[0]).sort()).toEqual(['at', 'from', 'html', 'id', 'subject', 'text', 'to']);
  expect(new Date(mails[0].at).getTime()).toBeGreaterThan(0);
});

test('the page shows mails inert: escaped, in a sandbox, links to our own site only', async () => {
  const reply = await fetch(`${app.url}/dev/mail`);
  const page = await reply.text();
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).not.toContain('<script');
  expect(page).toContain('One &lt;b&gt;bold&lt;/b&gt;');
  expect(page).toContain('<iframe sandbox');
  expect([...page.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    `${app.url}/auth/v1/verify?token=x&amp;type=y`,
  ]);
  const [mail] = (await (await fetch(`${app.url}/dev/mail.json`)).json()).slice(1);
  const html = await fetch(`${app.url}/dev/mail/${mail.id}`);
  expect(html.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
});

test.each([
  ['another host name', { host: 'northline.example' }],
  ['a forwarded caller', { 'x-forwarded-for': '203.0.113.9' }],
  ['a proxy', { via: '1.1 proxy' }],
  ['a proxy of the newer kind', { forwarded: 'for=203.0.113.9' }],
])('behind %s it does not exist', async (_name, headers) => {
  for (const path of ['/dev/mail', '/dev/mail.json']) {
    expect((await get(path, headers as Record<string, string>)).status).toBe(404);
  }
});

test.each([
  ['a public site', { SITE_URL: 'https://northline.example' }],
  ['a mail server', { SMTP_URL: 'smtp://127.0.0.1:1' }],
])('with %s it does not exist', async (_name, settings) => {
  const other = await startTestApp({ settings });
  const reply = await fetch(`http://127.0.0.1:${other.resources.settings.PORT}/dev/mail.json`);
  expect(reply.status).toBe(404);
  await other.close();
});
