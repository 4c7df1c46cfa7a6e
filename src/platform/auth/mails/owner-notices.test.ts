import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, enrolledPerson } from '../../../../tests/support/auth/authenticator.ts';
import { readMail } from '../../../../tests/support/auth/mail-read.ts';
import { readSms } from '../../../../tests/support/auth/sms-read.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ask } from '../../../../tests/support/test-database.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const admin = (method: string, path: string, body?: object) =>
  callAuth(app, method, `/admin/users/${path}`, {
    bearer: app.serviceKey,
    ...(body === undefined ? {} : { body }),
  });

test.each([
  ['password', () => ({ password: `${PASSWORD} 2` }), /password was changed/],
  ['address', () => ({ email: newEmail() }), /address of your .* account was changed/],
  ['number', () => ({ phone: '+447700900181' }), /phone number of your .* account was changed/],
] as const)(
  'who gets another %s from the operator is told, at the address of before',
  async (_what, change, subject) => {
    const { session, email } = await signUpPerson(app);
    expect((await admin('PUT', session.user.id, change())).status).toBe(200);
    await readMail(app.url, email, subject);
  },
);

test('a change of the user’s own password causes a notice', async () => {
  const { client, email } = await signUpPerson(app);
  // The client's type lacks a field that the server requires.
  const change = { password: `${PASSWORD} 2`, current_password: PASSWORD } as { password: string };
  expect((await client.auth.updateUser(change)).error).toBeNull();
  expect((await readMail(app.url, email, /password was changed/)).html).toContain('<html lang="en">');
});

test('added and removed factors cause notices; so does an operator who removes recovery codes', async () => {
  const person = await enrolledPerson(app);
  await readMail(app.url, person.email, /second factor was added/);
  const { data } = await person.client.auth.getSession();
  const made = await callAuth(app, 'POST', '/factors/recovery-codes', {
    bearer: data.session?.access_token ?? '',
    body: {},
  });
  await readMail(app.url, person.email, /New recovery codes/);
  const { id } = person.session.user;
  expect(await admin('DELETE', `${id}/factors/${made.body.id}`)).toMatchObject({
    body: { id: made.body.id },
  });
  const mail = await readMail(app.url, person.email, /second factor was removed/);
  expect(mail.text).toContain('Recovery codes');
});

test('a person who complained about our mails gets no welcome, but requested and safety mails still come', async () => {
  const email = newEmail();
  await app.resources.database.run(
    `insert into private.mail_suppressions (address, reason, source, detail) values ($1, 'complaint', 'notice', '')`,
    [email],
  );
  const client = newClient(app);
  const { data } = await client.auth.signUp({ email, password: PASSWORD });
  await client.auth.resetPasswordForEmail(email);
  await admin('PUT', data.user?.id ?? '', { password: `${PASSWORD} 2` });
  await readMail(app.url, email, /Choose a new/);
  await readMail(app.url, email, /password was changed/);
  const mails = await app.resources.database.many(
    'select subject, state, purpose from private.mails where recipient = $1',
    [email],
  );
  expect(mails.find(({ subject }) => subject.startsWith('Welcome'))).toMatchObject({
    state: 'suppressed',
    purpose: 'service',
  });
  expect(mails.filter(({ state }) => state === 'kept').every(({ purpose }) => purpose === 'account')).toBe(
    true,
  );
});

describe('an account with a number and no address', () => {
  async function person(metadata = {}) {
    const client = newClient(app);
    const phone = `+447700${randomInt(100_000, 999_999)}`;
    const { data } = await client.auth.signUp({ phone, password: PASSWORD, options: { data: metadata } });
    return { client, phone, id: data.user?.id ?? '' };
  }

  test('gets a text message about another password', async () => {
    const { client, phone } = await person();
    const change = { password: `${PASSWORD} 2`, current_password: PASSWORD } as { password: string };
    expect((await client.auth.updateUser(change)).error).toBeNull();
    const { text } = await readSms(app.url, phone);
    expect(text).toContain('password was changed. If it was not you');
    expect(text).toContain(app.url);
  });

  test('gets a notice of the operator’s changes, at the number before the change', async () => {
    const { phone, id } = await person({ locale: 'de' });
    expect((await admin('PUT', id, { phone: `+447700${randomInt(100_000, 999_999)}` })).status).toBe(200);
    expect((await readSms(app.url, phone)).text).toMatch(/Telefonnummer .*geändert/);
  });

  test('gets a notice of an added second factor', async () => {
    const { client, phone } = await person();
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
    const secret = data?.totp.secret ?? '';
    await client.auth.mfa.challengeAndVerify({ factorId: data?.id ?? '', code: codeOf(secret) });
    expect((await readSms(app.url, phone)).text).toContain('A second factor was added');
  });

  test('gets a notice of a new address, and mails from then on', async () => {
    const { phone, id } = await person();
    const email = newEmail();
    await admin('PUT', id, { email });
    expect((await readSms(app.url, phone)).text).toContain('The address of your');
    await admin('PUT', id, { password: `${PASSWORD} 3` });
    await readMail(app.url, email, /password was changed/);
  });

  test('gets at most ten notices in an hour', async () => {
    const limited = await startTestApp({ settings: { RATE_LIMITS: 'on' } });
    try {
      const phone = `+447700${randomInt(100_000, 999_999)}`;
      const { data } = await newClient(limited).auth.signUp({ phone, password: PASSWORD });
      for (let change = 0; change < 12; change += 1) {
        const reply = await callAuth(limited, 'PUT', `/admin/users/${data.user?.id}`, {
          bearer: limited.serviceKey,
          body: { password: `${PASSWORD} ${change}` },
        });
        expect(reply.status).toBe(200);
      }
      const { count } = await limited.resources.database.one(
        "select count(*)::int as count from private.job where name = 'auth.notice'",
      );
      expect(count).toBe(10);
      // Without the counter nobody knows how many were sent. So the change is refused, because it must not
      // happen without a notice.
      const other = `+447700${randomInt(100_000, 999_999)}`;
      const person = await newClient(limited).auth.signUp({ phone: other, password: PASSWORD });
      await ask(limited.databaseUrl, 'alter table private.rate_limits rename to away');
      const broken = await callAuth(limited, 'PUT', `/admin/users/${person.data.user?.id}`, {
        bearer: limited.serviceKey,
        body: { password: `${PASSWORD} 2` },
      });
      await ask(limited.databaseUrl, 'alter table private.away rename to rate_limits');
      expect(broken.status).toBe(500);
      const again = await newClient(limited).auth.signInWithPassword({ phone: other, password: PASSWORD });
      expect(again.error).toBeNull();
    } finally {
      await limited.close();
    }
  });
});
