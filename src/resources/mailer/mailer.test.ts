import { once } from 'node:events';
import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/start-test-app.ts';
import { checkedMail } from './check-mail.ts';
import { mailBody } from './mail-body.ts';

/** A mail server that says yes, after `refusals` times "come back later". */
async function startMailServer(refusals: number) {
  const received: string[] = [];
  let left = refusals;
  const server = net.createServer((socket) => {
    socket.write('220 ready\r\n');
    let data: string | undefined;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      if (data !== undefined) {
        data += text;
        if (data.endsWith('\r\n.\r\n')) {
          received.push(data);
          data = undefined;
          socket.write('250 taken\r\n');
        }
        return;
      }
      for (const line of text.split('\r\n').filter(Boolean)) {
        if (/^DATA/i.test(line)) {
          data = '';
          socket.write('354 go on\r\n');
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
        else if (/^MAIL/i.test(line) && left > 0) {
          left -= 1;
          socket.write('451 come back later\r\n');
        } else socket.write('250 fine\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, received, close: () => server.close() };
}

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0)) await clean();
});

async function appWith(refusals: number) {
  const server = await startMailServer(refusals);
  const app = await startTestApp({ settings: { SMTP_URL: server.url, BRAND: 'Grüße & Co' } });
  cleanUp.push(() => app.close(), server.close);
  return { app, server };
}

async function stateOf(
  app: TestApp,
  wanted: string,
): Promise<{ body_text: string; last_error: string | null }> {
  for (;;) {
    const row = await app.resources.database.maybe<{
      state: string;
      body_text: string;
      last_error: string | null;
    }>('select * from private.mails order by created_at desc limit 1');
    if (row?.state === wanted && (wanted !== 'waiting' || row.last_error !== null)) return row;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const MAIL = { to: 'a@customers.example', subject: 'Größe', text: 'Hello\n', html: '<p>Hello</p>' };

test('a mail of a committed transaction is delivered, one that was rolled back never existed', async () => {
  const { app, server } = await appWith(0);
  const { database, mailer } = app.resources;
  await database
    .transaction(async (queries) => {
      await mailer.send(queries, { ...MAIL, to: 'nobody@customers.example' });
      throw new Error('changed our mind');
    })
    .catch(() => {});
  await database.transaction((queries) =>
    mailer.send(queries, { ...MAIL, replyTo: 'reply@customers.example' }),
  );
  const row = await stateOf(app, 'sent');
  expect(row.body_text).toBe('');
  expect(server.received).toHaveLength(1);
  expect(server.received[0]).toMatch(/^To: a@customers\.example/m);
  expect(server.received[0]).toMatch(/^Reply-To: reply@customers\.example/m);
  expect(server.received[0]).toMatch(/^Message-ID: <[-\da-f]{36}@/m);
});

test('a server that is busy is asked again later', async () => {
  const { app, server } = await appWith(1);
  await app.resources.mailer.send(app.resources.database, MAIL);
  expect((await stateOf(app, 'waiting')).last_error).toContain('451');
  await app.resources.database.run("update private.job set start_after = now() where state = 'retry'");
  // Another mail wakes the worker, which finds the first one as well.
  await app.resources.mailer.send(app.resources.database, { ...MAIL, subject: 'Second' });
  while (server.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.received.filter((mail) => mail.includes('Subject: Second'))).toHaveLength(1);
}, 40_000);

test.each([
  [{ subject: 'Hello\r\nBcc: everybody@customers.example' }],
  [{ subject: 'Hello\u2028there' }],
  [{ to: 'a@customers.example\r\nBcc: b@customers.example' }],
  [{ to: 'a@customers.example, b@customers.example' }],
  [{ to: 'Ada <a@customers.example>' }],
  [{ to: '' }],
  [{ replyTo: 'a@customers.example\nX: y' }],
])('a mail that would break out of a header is refused: %j', (part) => {
  expect(() => checkedMail({ ...MAIL, ...part })).toThrow(/mail/);
});

test('bodies say the same in text and HTML, and HTML is escaped', () => {
  const { text, html } = mailBody('A & B', [
    { kind: 'text', text: 'Dear <b>Ada</b>' },
    { kind: 'button', label: 'Go', href: 'https://a.example/?a=1&b="2"' },
    { kind: 'code', code: '012345' },
  ]);
  expect(text).toContain('Dear <b>Ada</b>\n\nGo: https://a.example/?a=1&b="2"\n\n012345');
  expect(html).toContain('Dear &lt;b&gt;Ada&lt;/b&gt;');
  expect(html).toContain('href="https://a.example/?a=1&amp;b=&quot;2&quot;"');
  expect(html).not.toMatch(/<script|https?:\/\/(?!a\.example)/);
});
