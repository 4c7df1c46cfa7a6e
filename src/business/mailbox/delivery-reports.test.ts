import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { mailEventsSecret } from '../../kernel/resources/mailer/mail-events-secret.ts';
import { readBounceMail } from './bounce-reader.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.resources.database.run('delete from private.mail_suppressions');
  await app.resources.database.run('delete from private.mails');
});

const MAIL_ID = '1d9c0f8e-7c7e-4a55-9a51-0d6d0a1f2b3c';
/** In the form that Postfix writes. */
const bounce = (action = 'failed', status = '5.1.1') =>
  [
    'From: MAILER-DAEMON@mx.example.com',
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="B"',
    '',
    '--B',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I am sorry to have to inform you.',
    '--B',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.com',
    '',
    'Final-Recipient: rfc822; Ada@Customers.example',
    `Action: ${action}`,
    `Status: ${status}`,
    'Diagnostic-Code: smtp; 550 5.1.1 <ada@customers.example>:',
    '    User unknown',
    '',
    '--B',
    'Content-Type: text/rfc822-headers',
    '',
    'To: ada@customers.example',
    `Message-ID: <${MAIL_ID}@example.com>`,
    '--B--',
  ].join('\r\n');

const COMPLAINT = [
  'Content-Type: multipart/report; report-type=feedback-report; boundary="B"',
  '',
  '--B',
  'Content-Type: message/feedback-report',
  '',
  'Feedback-Type: abuse',
  'Original-Rcpt-To: <ada@customers.example>',
  '',
  '--B',
  'Content-Type: message/rfc822',
  '',
  `Message-ID: <${MAIL_ID}@example.com>`,
  '',
  'Hello',
  '--B--',
].join('\n');

async function post(body: string, type = 'application/json', signed = body): Promise<Response> {
  const id = randomUUID();
  const now = new Date();
  return fetch(`${app.url}/webhooks/mail`, {
    method: 'POST',
    headers: {
      'content-type': type,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(mailEventsSecret(app.resources)).sign(id, now, signed),
    },
    body,
  });
}

const sent = (address = 'ada@customers.example') =>
  app.resources.database.run(
    `insert into private.mails (id, recipient, sender, subject, body_text, body_html, state)
     values ($1, $2, 'a@b.example', 's', '', '', 'sent')`,
    [MAIL_ID, address],
  );
const suppressed = () =>
  app.resources.database.many('select address, reason, source from private.mail_suppressions');

describe('a bounce as mail servers write it', () => {
  test('names the address, the mail and why; line ends and folded lines do not matter', () => {
    const [notice] = readBounceMail(bounce());
    expect(notice).toEqual({
      kind: 'bounce',
      address: 'ada@customers.example',
      mailId: MAIL_ID,
      detail: '5.1.1 smtp; 550 5.1.1 <ada@customers.example>: User unknown',
    });
    expect(readBounceMail(COMPLAINT)).toMatchObject([{ kind: 'complaint', mailId: MAIL_ID }]);
  });

  test('counts only when the failure is permanent', () => {
    expect(readBounceMail(bounce('delayed', '4.4.1'))).toEqual([]);
    expect(readBounceMail(bounce('failed', '4.2.2'))).toEqual([]);
    expect(readBounceMail('Subject: I am on holiday\n\nHello')).toEqual([]);
  });
});

describe('POST /webhooks/mail', () => {
  test('a signed bounce of a mail of ours suppresses its address; a repeat changes nothing', async () => {
    claims('Addresses that refuse our mail, or asked for none, so that we keep to it.');
    await sent();
    for (let time = 1; time <= 2; time += 1) {
      const reply = await post(bounce(), 'message/rfc822');
      expect(await reply.json()).toEqual({ taken: 1 });
    }
    expect(await suppressed()).toEqual([
      { address: 'ada@customers.example', reason: 'bounce', source: 'notice' },
    ]);
    expect(await app.resources.database.one('select state from private.mails')).toEqual({ state: 'bounced' });
  });

  test('JSON notices are processed one by one or many, temporary ones are not', async () => {
    await sent();
    const notice = { type: 'complaint', address: 'Ada@customers.example', message_id: `<${MAIL_ID}@x>` };
    const passing = { type: 'bounce', address: 'ada@customers.example', permanent: false };
    expect(await (await post(JSON.stringify(passing))).json()).toEqual({ taken: 0 });
    expect(await (await post(JSON.stringify({ events: [notice, passing] }))).json()).toEqual({ taken: 1 });
    expect(await suppressed()).toMatchObject([{ reason: 'complaint' }]);
  });

  test('an address is not suppressed when we have not written to it, or when the notice is about another mail', async () => {
    const stranger = JSON.stringify({ type: 'bounce', address: 'victim@customers.example' });
    expect(await (await post(stranger)).json()).toEqual({ taken: 0 });
    await sent();
    const other = { type: 'bounce', address: 'ada@customers.example', message_id: `<${randomUUID()}@x>` };
    expect(await (await post(JSON.stringify(other))).json()).toEqual({ taken: 0 });
    expect(await suppressed()).toEqual([]);
  });

  test('without a signature of exactly this body it is refused', async () => {
    claims('The signature is missing, wrong or too old.');
    const body = JSON.stringify({ type: 'bounce', address: 'ada@customers.example' });
    expect((await post(body, 'application/json', `${body} `)).status).toBe(400);
    expect((await fetch(`${app.url}/webhooks/mail`, { method: 'POST', body })).status).toBe(400);
    expect((await post(bounce(), 'message/rfc822', 'other')).status).toBe(400);
    expect((await post('{"type":"party"}')).status).toBe(400);
  });
});

describe('unsubscribing', () => {
  const link = (address = 'ada@customers.example') =>
    app.url +
    new URL(app.resources.mailer.unsubscribeLink(address)).pathname +
    new URL(app.resources.mailer.unsubscribeLink(address)).search;
  const oneClick = (address: string) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });

  test('one click stops optional mails without a question, and only those', async () => {
    claims('No newsletters or notices; resets and receipts still arrive.');
    const reply = await oneClick(link());
    expect([reply.status, reply.redirected]).toEqual([200, false]);
    expect(await suppressed()).toMatchObject([{ address: 'ada@customers.example', reason: 'unsubscribe' }]);
    const { mailer, database } = app.resources;
    for (const purpose of ['optional', 'service', 'account'] as const) {
      await mailer.send(database, {
        to: 'Ada@customers.example',
        subject: purpose,
        text: 't',
        html: 'h',
        purpose,
      });
    }
    expect((await mailer.kept(10)).map(({ subject }) => subject).sort()).toEqual(['account', 'service']);
  });

  test('opening the link changes nothing; its page stops the mails, and allows them again', async () => {
    const page = await fetch(link());
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(await page.text()).toContain('Stop these mails?');
    expect(await suppressed()).toEqual([]);
    await oneClick(link());
    expect(await (await fetch(link())).text()).toContain('You get no more of these mails');
    const again = await fetch(link(), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'again=yes',
    });
    expect(again.status).toBe(200);
    expect(await suppressed()).toEqual([]);
  });

  test("another's address cannot be put into the link", async () => {
    const forged = new URL(link());
    forged.searchParams.set('a', Buffer.from('victim@customers.example').toString('base64url'));
    expect((await oneClick(forged.href)).status).toBe(400);
    expect((await oneClick(`${app.url}/mail/unsubscribe`)).status).toBe(400);
    expect(await suppressed()).toEqual([]);
  });
});
