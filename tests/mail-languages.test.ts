import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailClaim } from '../src/business/billing/checkout/claim-mail.server.ts';
import { tellBookings } from '../src/business/bookings/booking-notices.server.ts';
import { tellFinishedAnalyses } from '../src/business/documents/requests/finished-notice.server.ts';
import { mailToVisitor, replyToVisitor } from '../src/business/enquiries/enquiry-mails.server.ts';
import { sendMessageMails } from '../src/business/messages/message-mails.server.ts';
import type { KeptMail } from '../src/kernel/resources/mailer/mail-queue.ts';
import { readMail } from './support/auth/mail-read.ts';
import { newEmail, signUpPerson } from './support/customers/auth-client.ts';
import { buyPlan, callFunction, settle } from './support/customers/plan-purchase.ts';
import { openPushBrowser } from './support/customers/push-browser.ts';
import { emailOf } from './support/customers/team-people.ts';
import { createCustomer, type UploadingCustomer } from './support/customers/uploading-customer.ts';
import { type PushService, startPushService } from './support/servers/push-service.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let app: TestApp;
let service: PushService;
beforeAll(async () => {
  service = await startPushService();
  app = await startTestApp({ settings: { PUSH_ALLOW_HOSTS: service.host } });
});
afterAll(async () => {
  await app?.close();
  await service?.close();
});

/** A customer who has chosen German on the Account page. */
async function german(credits = 0): Promise<UploadingCustomer & { email: string }> {
  const person = await createCustomer(app, credits);
  await app.resources.database.run(
    `update auth.users set raw_user_meta_data = raw_user_meta_data || '{"locale": "de"}' where id = $1`,
    [person.id],
  );
  return { ...person, email: emailOf(person) };
}

const mailsTo = async (address: string): Promise<KeptMail[]> =>
  (await app.resources.mailer.kept(200)).filter(({ to }) => to === address).toReversed();

const isGerman = (mail: KeptMail | undefined): void => {
  expect(mail?.html).toContain('<html lang="de">');
  expect(mail?.text).not.toMatch(/\b(your|Open|the)\b/);
};

test('a choice stored by the client library is the language from then on, and without it the browser’s is used', async () => {
  const { client, email } = await signUpPerson(app);
  const notice = async (change: object, subject: RegExp) => {
    const { data } = await client.auth.updateUser({ data: { locale: null, ...change } });
    await app.resources.database.transaction((queries) =>
      queries.run("select private.write_message($1, true, 'Hello.', '{}')", [data.user?.id ?? '']),
    );
    await app.resources.database.run(
      `update northline_app.messages set sent_at = now() - interval '2 minutes' where user_id = $1`,
      [data.user?.id ?? ''],
    );
    await app.resources.database.run(
      `update private.message_notes n set told_at = now() - interval '1 hour' from northline_app.messages m
        where m.id = n.message_id and m.user_id = $1 and n.told_at is not null`,
      [data.user?.id ?? ''],
    );
    await sendMessageMails(app.resources);
    await readMail(app.url, email, subject);
  };
  await notice({ locale: 'de' }, /^Eine Nachricht von /);
  await notice({}, /^A message from /);
  await notice({ locale: 'xx' }, /^A message from /);
});

test('documents, messages and notices of browsers come in the chosen language', async () => {
  const anna = await german(1);
  const browser = await openPushBrowser(app, service, anna.id);
  const { database } = app.resources;
  expect(await anna.upload('miete.txt', 'The rent is 900 pounds.')).toBe('stored');
  const { data: file } = await anna.client.from('user_files').select('id').single();
  await database.run(
    `insert into private.analyses (file_id, user_id, target, state, deadline_at, finished_at, context)
     values ($1, $2, 'embedded', 'completed', now() + interval '1 hour', now(), '{}')`,
    [file?.id, anna.id],
  );
  const since = new Date(Date.now() - 60_000).toISOString();
  await tellFinishedAnalyses(app.resources, { userId: anna.id, since });
  await database.run("select private.write_message($1, true, 'Guten Tag.', '{}')", [anna.id]);
  await database.run(
    "update northline_app.messages set sent_at = now() - interval '2 minutes' where user_id = $1",
    [anna.id],
  );
  await sendMessageMails(app.resources);
  const [files, message] = await mailsTo(anna.email);
  expect(files?.subject).toBe('Ihr Dokument ist fertig');
  expect(files?.text).toContain('Zum Lesen bereit: miete.txt.');
  expect(message?.subject).toBe(`Eine Nachricht von ${app.resources.settings.BRAND}`);
  expect(message?.text).toContain('Guten Tag.');
  for (const mail of [files, message]) isGerman(mail);
  await expect.poll(() => browser.received.length).toBe(2);
  expect(browser.received.map(({ title, body }) => `${title} | ${body}`).toSorted()).toEqual([
    'Ihr Dokument ist fertig | Zum Lesen bereit: miete.txt.',
    `Neue Nachricht von ${app.resources.settings.BRAND} | Öffnen Sie Ihre Nachrichten, um zu lesen und zu antworten.`,
  ]);
});

test('an invitation is in the language of the invited account, else in the inviter’s', async () => {
  const [owner, guest] = [await german(), await createCustomer(app, 0)];
  await callFunction(app, 'create-team', owner.token, { name: 'Hafenhaus' });
  const stranger = newEmail();
  for (const email of [stranger, emailOf(guest)])
    expect((await callFunction(app, 'invite-member', owner.token, { email, role: 'billing' })).status).toBe(
      200,
    );
  const [toStranger] = await mailsTo(stranger);
  expect(toStranger?.subject).toBe('Sie sind in das Team Hafenhaus eingeladen');
  expect(toStranger?.text).toMatch(/dem Team Hafenhaus bei \S+ beizutreten, und zwar für die Abrechnung\./);
  isGerman(toStranger);
  const [toGuest] = await mailsTo(emailOf(guest));
  expect(toGuest?.subject).toBe('You are invited to the team Hafenhaus');
  for (const sentence of [
    /to join the team Hafenhaus at \S+ as a member for billing\./,
    /Sign in, or create an account, with the address that this mail came to\./,
    /The link is valid for \d+ days\./,
    /If you do not know who invites you, you can ignore this mail\./,
  ])
    expect(toGuest?.text).toMatch(sentence);
});

test('replies to a visitor and the link to a purchase are in the language of the account with that address', async () => {
  const { resources } = app;
  const { email } = await german();
  const enquiry = {
    id: 'ENQ-1-abc',
    name: 'A',
    email,
    phone: null,
    company_name: null,
    website: null,
    enquiry_type: 'general',
    additional_notes: null,
    course_description: null,
    user_id: null,
    timestamp: new Date().toISOString(),
  };
  await resources.database.transaction(async (queries) => {
    const { mailer } = resources;
    await mailer.send(queries, await mailToVisitor(resources, queries, enquiry));
    const course = { ...enquiry, id: 'COURSE-1-abc', email: newEmail() };
    const english = await mailToVisitor(resources, queries, course);
    expect(english.text).toContain('Your course inquiry reached us.');
    expect((await mailToVisitor(resources, queries, { ...enquiry, email: newEmail() })).text).toContain(
      'Your enquiry reached us.',
    );
    await mailer.send(queries, await replyToVisitor(resources, queries, { ...enquiry, body: 'Gern.' }));
  });
  const { sessionId } = await buyPlan(app, app.anonKey, 'price_documents_basic', email);
  await settle(app);
  await resources.database.run('update private.checkouts set claim_hash = null where session_id = $1', [
    sessionId,
  ]);
  const { customer_id: customerId } = await resources.database.one(
    'select customer_id /* not null */ from private.checkouts where session_id = $1',
    [sessionId],
  );
  await mailClaim(resources, { id: sessionId, customerId, email });
  const mails = await mailsTo(email);
  expect([...new Set(mails.map(({ subject }) => subject))]).toEqual([
    'Wir haben Ihre Anfrage erhalten',
    'Ihre Anfrage (ENQ-1-abc)',
    'Ihr Kauf ist bereit',
  ]);
  for (const mail of mails) isGerman(mail);
});

test('bookings are confirmed in that language, with the weekday and the calendar entry', async () => {
  const { email } = await german();
  const id = randomUUID();
  await app.resources.database.run(
    `insert into northline_app.bookings (id, starts_at, minutes, name, phone, email, confirmed_by)
     values ($1, '2099-03-03T15:30:00Z', 30, 'A', '+447400123456', $2, 'mail')`,
    [id, email],
  );
  await tellBookings(app.resources);
  const booked = await readMail(app.url, email, /^Ihr Gespräch ist gebucht: Dienstag, 3\. März 2099, /);
  expect(booked.text).toContain('Das Gespräch dauert 30 Minuten.');
  const [kept] = await mailsTo(email);
  isGerman(kept);
  expect(kept?.calendar).toContain('SUMMARY:Gespräch mit ');
  await app.resources.database.run(
    "update northline_app.bookings set state = 'cancelled', changes = 1, changed_by = 'link' where id = $1",
    [id],
  );
  await tellBookings(app.resources);
  await readMail(app.url, email, /^Ihr Gespräch ist abgesagt: /);
});
