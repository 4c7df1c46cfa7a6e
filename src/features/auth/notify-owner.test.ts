import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newEmail, PASSWORD, signUpPerson } from '../../../tests/support/auth-client.ts';
import { enrolledPerson } from '../../../tests/support/authenticator.ts';
import { readMail } from '../../../tests/support/read-mail.ts';
import { startTestApp, type TestApp } from '../../../tests/support/start-test-app.ts';

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

test('a change of the own password is told', async () => {
  const { client, email } = await signUpPerson(app);
  // The type of the client does not know the field that the server asks for.
  const change = { password: `${PASSWORD} 2`, current_password: PASSWORD } as { password: string };
  expect((await client.auth.updateUser(change)).error).toBeNull();
  expect((await readMail(app.url, email, /password was changed/)).html).toContain('<html lang="en">');
});

test('factors that come and go are told; the operator removes recovery codes too', async () => {
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
