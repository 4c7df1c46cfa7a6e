import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { mailboxAddress, mailboxToken } from './mailbox-access.server.ts';

let app: TestApp;
let log = '';
beforeAll(async () => {
  app = await startTestApp({
    settings: { LOG_LEVEL: 'warn' },
    logTo: {
      write(line: string) {
        log += line;
      },
    },
  });
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

const token = () => mailboxToken(app.resources.keys);
const bearer = () => ({ authorization: `Bearer ${token()}` });

/** Sends a request exactly as written, including what `fetch` would refuse. */
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

test('the log says that the mailbox is served, and that its token is a secret', () => {
  expect(log).toContain('stay in the mailbox at /dev/mail: anybody with its token can sign in as anybody');
});

test('the JSON has every field, newest first', async () => {
  const mails = JSON.parse((await get('/dev/mail.json', bearer())).body);
  expect(mails.map((mail: { subject: string }) => mail.subject)).toEqual(['Two', 'One <b>bold</b>']);
  expect(Object.keys(mails[0]).sort()).toEqual(['at', 'from', 'html', 'id', 'subject', 'text', 'to']);
  expect(new Date(mails[0].at).getTime()).toBeGreaterThan(0);
});

test('the page shows mails inert: escaped, in a sandbox, links to our own site only', async () => {
  const reply = await fetch(`${app.url}/dev/mail`, { headers: bearer() });
  const page = await reply.text();
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).not.toContain('<script');
  expect(page).toContain('One &lt;b&gt;bold&lt;/b&gt;');
  expect(page).toContain('<iframe sandbox');
  expect([...page.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    '/',
    `${app.url}/auth/v1/verify?token=x&amp;type=y`,
  ]);
  const [mail] = (await (await fetch(`${app.url}/dev/mail.json`, { headers: bearer() })).json()).slice(1);
  const html = await fetch(`${app.url}/dev/mail/${mail.id}`, { headers: bearer() });
  expect(html.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
});

test.each([
  ['another host name', { host: 'northline.example' }],
  ['a forwarded caller', { 'x-forwarded-for': '203.0.113.9' }],
  ['a proxy', { via: '1.1 proxy' }],
  ['a proxy of the newer kind', { forwarded: 'for=203.0.113.9' }],
  ['a proxy that names the protocol', { 'x-forwarded-proto': 'https' }],
  ['a proxy that names itself', { 'x-forwarded-server': 'proxy' }],
  ['a proxy with a word of its own', { 'x-client-ip': '203.0.113.9' }],
  ['a network of proxies', { 'cf-connecting-ip': '203.0.113.9' }],
])('behind %s it does not exist, token or not', async (_name, headers) => {
  for (const path of ['/dev/mail', '/dev/mail.json']) {
    const given = { ...(headers as Record<string, string>), ...bearer() };
    expect((await get(path, given)).status).toBe(404);
  }
});

test('the page opens at the address printed at the start, and its token goes into a cookie', async () => {
  claims(
    'The mailbox opens with the address that the start printed; npm run northline -- mailbox prints it again.',
  );
  expect((await get('/dev/mail')).status).toBe(401);
  expect((await get('/dev/mail?token=wrong')).body).toContain('northline -- mailbox prints it again');
  const address = mailboxAddress(app.resources) ?? '';
  expect(address).toBe(`${app.url}/dev/mail?token=${token()}`);
  const first = await fetch(address, { redirect: 'manual' });
  expect([first.status, first.headers.get('location')]).toEqual([303, '/dev/mail']);
  const cookie = first.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/; Path=\/dev; HttpOnly; SameSite=Strict$/);
  expect((await get('/dev/mail', { cookie: `other=1; ${cookie.split(';')[0]}` })).status).toBe(200);
  expect((await get('/dev/mail', { cookie: 'mailbox=wrong' })).status).toBe(401);
});

/** Sends a request as another account of this machine, as a proxy that hides itself would. */
const asAnother = async (path: string, headers: Record<string, string>): Promise<number> => {
  const program = `fetch(${JSON.stringify(app.url + path)}, { headers: ${JSON.stringify(headers)} }).then((reply) => console.log(reply.status))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { uid: 65_534, cwd: '/' });
  return Number(stdout);
};

test.runIf(process.platform === 'linux' && process.geteuid?.() === 0)(
  'JSON is for programs of the own account, and for others with the token',
  async () => {
    expect((await get('/dev/mail.json')).status).toBe(200);
    expect((await get('/dev/sms.json')).status).toBe(200);
    expect(await asAnother('/dev/mail.json', {})).toBe(401);
    expect(await asAnother('/dev/sms.json', { authorization: 'Bearer wrong' })).toBe(401);
    expect(await asAnother('/dev/mail.json', bearer())).toBe(200);
  },
);

test.each([
  ['a public site', { SITE_URL: 'https://northline.example', TEST_PAYMENTS: 'true' }],
  ['a mail server', { SMTP_URL: 'smtp://127.0.0.1:1' }],
])('with %s it does not exist', async (_name, settings) => {
  const other = await startTestApp({ settings });
  const headers = { authorization: `Bearer ${mailboxToken(other.resources.keys)}` };
  const reply = await fetch(`http://127.0.0.1:${other.resources.settings.PORT}/dev/mail.json`, { headers });
  expect(reply.status).toBe(404);
  await other.close();
});
