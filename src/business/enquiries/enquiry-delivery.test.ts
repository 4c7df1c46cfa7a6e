import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { MESSAGES } from '../../kernel/contract/messages.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import { type Enquiry, mailToAgency } from './enquiry-mails.server.ts';
import { NO_PROOF } from './enquiry-suspicion.server.ts';

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** An automation that answers every request with `status`, and a product that delivers to it. */
async function withAutomation(status: number): Promise<{ app: TestApp; received: Received[] }> {
  const received: Received[] = [];
  const automation = createServer((request, reply) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      reply.writeHead(status).end('noted');
    });
  });
  await new Promise<void>((resolve) => automation.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(automation.address() as AddressInfo).port}`;
  const app = await startTestApp({
    settings: {
      CONTACT_EMAIL: 'agency@example.com',
      ENQUIRY_WEBHOOK_URL: `http://${host}/hook`,
      OUTBOUND_ALLOW_HOSTS: host,
    },
  });
  onTestFinished(async () => {
    await app.close();
    automation.close();
  });
  return { app, received };
}

const mailsToAgency = async (app: TestApp) =>
  (await app.resources.mailer.kept(50)).filter(({ to }) => to === 'agency@example.com');

test('an enquiry reaches the automation once, signed, in the specified shape', async () => {
  claims('Events that go to your other tools.');
  const { app, received } = await withAutomation(200);
  const { data } = await createClient(app.url, app.anonKey).functions.invoke('course-inquiry', {
    body: { name: 'Owen', email: 'owen@example.com', course_description: 'Bread in ten evenings' },
  });
  await expect.poll(() => received.length).toBe(1);
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  const secret = `whsec_${derivedSecret(app.resources.keys, 'enquiry webhook').toString('base64')}`;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    type: 'course_inquiry_email',
    to: 'agency@example.com',
    enquiry_data: { id: data.id, course_description: 'Bread in ten evenings' },
  });
  expect(await mailsToAgency(app)).toEqual([]);
});

test('an enquiry that the automation refuses is mailed to the agency', async () => {
  claims(
    '…: your automation refused it, so it comes as this mail.',
    '…: the automation refused it, so it was mailed to you.',
  );
  const { app } = await withAutomation(400);
  const { functions } = createClient(app.url, app.anonKey);
  const { data } = await functions.invoke('enquiry', {
    body: { name: 'Priya', email: 'priya@example.com', enquiry_type: 'App Builder' },
  });
  const inquiry = await functions.invoke('course-inquiry', {
    body: { name: 'Owen', email: 'owen@example.com', course_description: 'Bread in ten evenings' },
  });
  await expect.poll(async () => (await mailsToAgency(app)).length).toBe(2);
  const mails = (await mailsToAgency(app)).map(({ text }) => text.replace(/\s+/g, ' '));
  const why = 'your automation refused it, so it comes as this mail.';
  for (const [id, words] of [
    [data.id, MESSAGES.enquiry.mailFailed],
    [inquiry.data.id, MESSAGES.enquiry.courseMailFailed],
  ])
    expect(mails.find((text) => text.includes(id))).toContain(`${words}: ${why}`);
});

test('an enquiry without a proof of work is no suspect in the mail, because a slow device may have sent it', async () => {
  const { app } = await withAutomation(200);
  const enquiry = { id: 'ENQ-1', name: 'Priya', email: 'priya@example.com', enquiry_type: 'App Builder' };
  const mail = (reasons: readonly string[]) => mailToAgency(app.resources, enquiry as Enquiry, reasons);
  expect(mail([NO_PROOF]).subject).toBe('Enquiry: App Builder from Priya');
  expect(mail([NO_PROOF]).text).not.toContain('advertising');
  expect(mail([NO_PROOF, 'many links']).subject).toMatch(/^\[Suspect\]/);
});
