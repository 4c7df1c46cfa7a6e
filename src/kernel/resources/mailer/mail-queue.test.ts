import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { startMailServer, type TestMailServer } from '../../../../tests/support/servers/mail-server.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { PublishedSite } from '../../contract/site-content.ts';
import { LOGO_CID, mailBody } from './mail-body.ts';
import { checkedMail } from './mail-check.ts';
import { deleteOldMails, type Mail } from './mail-queue.ts';
import { judgeRefusal } from './mail-refusal.ts';
import { suppress } from './suppressions.ts';

let server: TestMailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  app = await startTestApp({
    settings: { SMTP_URL: server.url, BRAND: 'Grüße & Co', CONTACT_EMAIL: 'agency@example.com' },
  });
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(async () => {
  await app.resources.database.run('delete from private.mails');
  await app.resources.database.run('delete from private.mail_suppressions');
  server.received.length = 0;
  server.refuse = { recipient: () => undefined, message: () => undefined };
});

interface Row {
  state: string;
  body_text: string;
  last_error: string | null;
}

/** The newest mail, once its state is `wanted`. */
async function mailThat(app: TestApp, wanted: string): Promise<Row> {
  const newest = () =>
    app.resources.database.maybe('select * from private.mails order by created_at desc limit 1');
  await expect
    .poll(async () => {
      const row = await newest();
      return row?.state === 'waiting' && row.last_error === null ? 'new' : row?.state;
    })
    .toBe(wanted);
  return (await newest()) as Row;
}

/**
 * Starts the next attempt at once. The job that waits for it is removed, because with two jobs for one mail
 * both would find it waiting.
 */
async function hurry(app: TestApp): Promise<void> {
  await app.resources.database.run(
    "delete from private.job where name = 'mailer.deliver' and state in ('created', 'retry')",
  );
  // The round that also wakes the worker finds mails without a job.
  await app.resources.database.run("update private.mails set queued_at = null where state = 'waiting'");
}

const MAIL: Mail = {
  to: 'a@customers.example',
  purpose: 'account',
  subject: 'Größe',
  text: 'Hello\n',
  html: '<p>Hello</p>',
};
const sendTo = (app: TestApp, mail: Partial<Mail>) =>
  app.resources.mailer.send(app.resources.database, { ...MAIL, ...mail });
const suppressions = (app: TestApp) =>
  app.resources.database.many('select address, reason, source, detail from private.mail_suppressions');

test('a mail greets the person by name if the account has confirmed the address; a stranger’s words go nowhere', async () => {
  const { database } = app.resources;
  const people = [
    ['eva@customers.example', { full_name: 'Eva <Braun> & Co', given_name: 'Eva & Max', locale: 'de' }, true],
    ['max@customers.example', { full_name: 'Max Braun' }, false],
    ['sam@customers.example', { full_name: 'Win at evil.example' }, true],
  ] as const;
  const greetings: (string | undefined)[] = [];
  for (const [email, metadata, isConfirmed] of people) {
    await database.run(
      `insert into auth.users (id, email, raw_user_meta_data, email_confirmed_at)
       values (gen_random_uuid(), $1, $2, case when $3 then now() end)`,
      [email, metadata, isConfirmed],
    );
    const asked = await fetch(`${app.url}/auth/v1/recover`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: app.anonKey },
      body: JSON.stringify({ email: email.toUpperCase() }),
    });
    expect(asked.status).toBe(200);
    await mailThat(app, 'sent');
    const { raw = '' } = server.received.at(-1) ?? {};
    const { text = '', html = '' } = await PostalMime.parse(raw);
    greetings.push(text.split('\n')[0]);
    expect(raw.split('\r\n\r\n')[0]).not.toMatch(/Max Braun|Eva|evil/);
    if (isConfirmed && 'locale' in metadata) expect(html).toContain('>Guten Tag Eva &amp; Max,</p>');
    await database.run('delete from private.mails');
  }
  expect(greetings).toEqual(['Guten Tag Eva & Max,', 'Hello,', 'Hello,']);
});

test('a mail with a logo carries it, so that opening the mail loads nothing from elsewhere', async () => {
  const { site } = app.resources;
  onTestFinished(() => {
    site.install({ content: {} });
    site.drawnLogo = undefined;
  });
  site.drawnLogo = Buffer.from('89504e470d0a1a0a', 'hex');
  site.install({ content: { logo: { type: 'png', data: '', width: 9, height: 9 } } });
  const { html } = mailBody(app.resources, [{ kind: 'text', text: 'Hello' }]);
  expect(html).not.toMatch(/src="https?:/);
  await sendTo(app, { html });
  await mailThat(app, 'sent');
  const raw = server.received[0]?.raw ?? '';
  expect(raw).toContain(`Content-ID: <${LOGO_CID}>`);
  expect(raw).toContain(Buffer.from('89504e470d0a1a0a', 'hex').toString('base64'));
  // A mail without it carries nothing.
  await sendTo(app, {});
  await expect.poll(() => server.received.length).toBe(2);
  expect(server.received[1]?.raw).not.toContain('Content-ID');
});

test('a mail of a committed transaction is delivered, one that was rolled back never existed', async () => {
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
  const row = await mailThat(app, 'sent');
  expect(row.body_text).toBe('');
  expect(server.received.map(({ to }) => to)).toEqual(['a@customers.example']);
  const [{ raw } = { raw: '' }] = server.received;
  expect(raw).toMatch(/^To: a@customers\.example/m);
  expect(raw).toMatch(/^Reply-To: reply@customers\.example/m);
  expect(raw).toMatch(/^Message-ID: <[-\da-f]{36}@example\.com>/m);
  expect(raw).toMatch(/^Auto-Submitted: auto-generated/m);
  expect(raw).not.toMatch(/^List-Unsubscribe/m);
});

test('a busy server is asked again later, with the same Message-ID', async () => {
  server.refuse.message = () => '451 4.3.0 Come back later';
  await sendTo(app, {});
  expect((await mailThat(app, 'waiting')).last_error).toContain('451');
  expect(await suppressions(app)).toEqual([]);
  server.refuse.message = () => undefined;
  await hurry(app);
  await mailThat(app, 'sent');
  const ids = server.received.map(({ raw }) => /^Message-ID: (.*)$/m.exec(raw)?.[1]);
  expect(new Set(ids).size).toBe(1);
});

test('an address that the server does not know is suppressed with the reason, and gets no more mails', async () => {
  server.refuse.recipient = () => '550 5.1.1 No such user here';
  await sendTo(app, { to: 'Gone@Customers.example' });
  expect(await mailThat(app, 'bounced')).toMatchObject({ body_text: '' });
  expect(await suppressions(app)).toMatchObject([
    { address: 'gone@customers.example', reason: 'bounce', source: 'smtp' },
  ]);
  expect((await suppressions(app))[0]).toMatchObject({ detail: expect.stringContaining('No such user') });
  server.refuse.recipient = () => undefined;
  for (const purpose of ['account', 'service', 'optional'] as const) {
    await sendTo(app, { to: 'gone@customers.example', purpose });
    await mailThat(app, 'suppressed');
  }
  expect(server.received).toEqual([]);
});

test('a mail that a person requests is tried again after a while; once it is accepted the address is good', async () => {
  await suppress(app.resources.database, {
    ...{ address: 'back@customers.example', reason: 'bounce', source: 'smtp', detail: '550' },
  });
  await app.resources.database.run(
    "update private.mail_suppressions set updated_at = now() - interval '16 minutes'",
  );
  await sendTo(app, { to: 'back@customers.example', purpose: 'service' });
  await mailThat(app, 'suppressed');
  await sendTo(app, { to: 'back@customers.example', purpose: 'account' });
  await mailThat(app, 'sent');
  expect(await suppressions(app)).toEqual([]);
  expect(server.received).toHaveLength(1);
});

test('a recipient that was suppressed while a mail waited gets nothing', async () => {
  server.refuse.recipient = () => '451 4.3.0 Busy';
  await sendTo(app, { to: 'late@customers.example' });
  await mailThat(app, 'waiting');
  await suppress(app.resources.database, {
    ...{ address: 'late@customers.example', reason: 'bounce', source: 'smtp', detail: '550' },
  });
  server.refuse.recipient = () => undefined;
  await hurry(app);
  expect(await mailThat(app, 'suppressed')).toMatchObject({ body_text: '' });
  expect(server.received).toEqual([]);
});

test('a mail that is refused for its content ends without blaming the address', async () => {
  server.refuse.message = () => '554 5.7.1 Looks like spam';
  await sendTo(app, {});
  expect(await mailThat(app, 'failed')).toMatchObject({ body_text: 'Hello\n' });
  expect(await suppressions(app)).toEqual([]);
});

test('a wrong password is our fault: the mail waits', async () => {
  const guarded = await startMailServer('user:right');
  const other = await startTestApp({ settings: { SMTP_URL: guarded.url.replace('right', 'wrong') } });
  onTestFinished(async () => {
    await other.close();
    await guarded.close();
  });
  await sendTo(other, {});
  expect((await mailThat(other, 'waiting')).last_error).toContain('535');
});

test("nothing holds back a mail to the agency's own address", async () => {
  server.refuse.recipient = () => '550 5.1.1 No such user here';
  await sendTo(app, { to: 'agency@example.com', purpose: 'optional' });
  await mailThat(app, 'waiting');
  expect(await suppressions(app)).toEqual([]);
  await suppress(app.resources.database, {
    ...{ address: 'agency@example.com', reason: 'complaint', source: 'notice', detail: '' },
  });
  server.refuse.recipient = () => undefined;
  await hurry(app);
  await mailThat(app, 'sent');
});

test('an optional mail carries one-click unsubscribing (RFC 8058), which is signed for its recipient', async () => {
  await sendTo(app, { to: 'ada@customers.example', purpose: 'optional' });
  await mailThat(app, 'sent');
  const headers = (server.received[0]?.raw ?? '').split('\r\n\r\n')[0]?.replace(/\r\n[ \t]/g, ' ') ?? '';
  expect(headers.match(/^List-Unsubscribe-Post: (.*)$/gm)).toEqual([
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ]);
  const links = [...headers.matchAll(/^List-Unsubscribe: <([^>]+)>$/gm)].map((found) => found[1]);
  expect(links).toEqual([app.resources.mailer.unsubscribeLink('ada@customers.example')]);
});

test.each([
  [{ responseCode: 550, command: 'RCPT TO', response: '550 No such user' }, 'bounced'],
  [{ responseCode: 550, command: 'RCPT TO', response: '550 5.1.1 unknown' }, 'bounced'],
  [{ responseCode: 550, command: 'RCPT TO', response: '550 5.2.1 disabled' }, 'bounced'],
  [{ responseCode: 550, command: 'RCPT TO', response: '550 5.7.1 you are blocked' }, 'never'],
  [{ responseCode: 552, command: 'RCPT TO', response: '552 5.2.2 mailbox full' }, 'never'],
  [{ responseCode: 554, command: 'DATA', response: '554 no' }, 'never'],
  [{ responseCode: 550, command: 'MAIL FROM', response: '550 5.7.1 who are you' }, 'again'],
  [{ responseCode: 535, command: 'AUTH PLAIN', response: '535 5.7.8 wrong' }, 'again'],
  [{ responseCode: 450, command: 'RCPT TO', response: '450 4.2.1 greylisted' }, 'again'],
  [{ code: 'ETIMEDOUT' }, 'again'],
])('a refusal is judged by where and why it came: %j', (error, verdict) => {
  expect(judgeRefusal(error)).toBe(verdict);
});

test.each([
  [{ subject: 'Hello\r\nBcc: everybody@customers.example' }],
  [{ subject: 'Hello\u2028there' }],
  [{ to: 'a@customers.example\r\nBcc: b@customers.example' }],
  [{ to: 'a@customers.example, b@customers.example' }],
  [{ to: 'Ada <a@customers.example>' }],
  [{ to: '' }],
  [{ replyTo: 'a@customers.example\nX: y' }],
  [{ text: 'x'.repeat(500_001) }],
])('a mail that would break out of a header, or is too long, is refused: %.60j', (part) => {
  expect(() => checkedMail({ ...MAIL, ...part })).toThrow(/mail/);
});

test('a mail is kept for seven days', async () => {
  claims('Mails that we sent you: for seven days.');
  const { database } = app.resources;
  await sendTo(app, { to: 'old@customers.example' });
  await sendTo(app, { to: 'new@customers.example' });
  const age = async (to: string, days: number): Promise<void> => {
    await database.run(
      'update private.mails set created_at = now() - make_interval(days => $2, mins => 1) where recipient = $1',
      [to, days],
    );
  };
  await age('old@customers.example', 7);
  await age('new@customers.example', 6);
  expect(await deleteOldMails(database)).toBe(1);
  expect(await database.many('select recipient from private.mails')).toEqual([
    { recipient: 'new@customers.example' },
  ]);
});

test('bodies say the same in text and HTML, and HTML is escaped', () => {
  const { text, html } = mailBody(
    { settings: { BRAND: 'A & B', CONTACT_EMAIL: 'hello@a.example' }, site: new PublishedSite() },
    [
      { kind: 'text', text: 'Dear <b>Ada</b>' },
      { kind: 'button', label: 'Go', href: 'https://a.example/?a=1&b="2"' },
      { kind: 'code', code: '012345' },
      { kind: 'quote', text: 'By March?\nOr <i>April</i>?' },
    ],
    { title: 'Yours & ours' },
  );
  expect(text).toContain('Dear <b>Ada</b>\n\nGo: https://a.example/?a=1&b="2"\n\n012345');
  expect(text).toContain('> By March?\n> Or <i>April</i>?');
  expect(text).toMatch(/\n-- \nA & B\nhello@a\.example\n$/);
  expect(html).toMatch(/<h1 [^>]*>Yours &amp; ours<\/h1>/);
  expect(html).toMatch(/<blockquote [^>]*>By March\?\nOr &lt;i&gt;April&lt;\/i&gt;\?<\/blockquote>/);
  expect(html).toContain('A &amp; B<br><a href="mailto:hello@a.example"');
  expect(html).toContain('Dear &lt;b&gt;Ada&lt;/b&gt;');
  expect(html).toContain('href="https://a.example/?a=1&amp;b=&quot;2&quot;"');
  expect(html).not.toMatch(/<script|https?:\/\/(?!a\.example)/);
});
