import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, linkIn, pressButton, readMail } from '../../../../tests/support/auth/mail-read.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { overtake } from '../../../../tests/support/held-lock.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('metadata is merged, null removes a field', async () => {
  const { client } = await signUpPerson(app, { full_name: 'Ada', phone: '1' });
  const { data } = await client.auth.updateUser({ data: { phone: null, city: 'London' } });
  expect(data.user?.user_metadata).toEqual({ full_name: 'Ada', city: 'London' });
});

test('of two simultaneous changes of metadata neither undoes the other', async () => {
  const { client, session } = await signUpPerson(app, { full_name: 'Ada' });
  const { data } = await overtake(app, () => client.auth.updateUser({ data: { city: 'London' } }), [
    `update auth.users set raw_user_meta_data = raw_user_meta_data || '{"notices": {"messages": false}}' where id = $1`,
    [session.user.id],
  ]);
  expect(data.user?.user_metadata).toEqual({
    ...{ full_name: 'Ada', city: 'London' },
    notices: { messages: false },
  });
});

test('role, app_metadata, confirmation and id in the body are ignored', async () => {
  const { session } = await signUpPerson(app);
  const other = await signUpPerson(app);
  const { body } = await callAuth(app, 'PUT', '/user', {
    bearer: session.access_token,
    body: {
      id: other.session.user.id,
      role: 'service_role',
      app_metadata: { admin: true },
      email_confirmed_at: '2000-01-01T00:00:00Z',
      banned_until: null,
      data: { mine: true },
    },
  });
  expect(body).toMatchObject({
    id: session.user.id,
    role: 'authenticated',
    app_metadata: { provider: 'email', providers: ['email'] },
    email_confirmed_at: session.user.email_confirmed_at,
  });
  expect((await other.client.auth.getUser()).data.user?.user_metadata).toEqual({});
});

test('a new password needs the current one', async () => {
  const { client, email } = await signUpPerson(app);
  const password = 'a longer walk to the quay';
  expect((await client.auth.updateUser({ password })).error).toMatchObject({
    status: 400,
    code: 'current_password_required',
  });
  const wrong = await client.auth.updateUser({ password, current_password: 'wrong' });
  expect(wrong.error).toMatchObject({ status: 400, code: 'current_password_invalid' });
  const weak = await client.auth.updateUser({ password: 'short', current_password: PASSWORD });
  expect(weak.error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['length'] });
  const same = await client.auth.updateUser({ password: PASSWORD, current_password: PASSWORD });
  expect(same.error).toMatchObject({ status: 422, code: 'same_password' });
  const elsewhere = newClient(app);
  await elsewhere.auth.signInWithPassword({ email, password: PASSWORD });
  expect((await client.auth.updateUser({ password, current_password: PASSWORD })).error).toBeNull();
  expect((await client.auth.getUser()).error).toBeNull();
  expect((await elsewhere.auth.getUser()).error).not.toBeNull();
  expect((await newClient(app).auth.signInWithPassword({ email, password })).error).toBeNull();
});

test('a new address takes effect when both sides have confirmed it, and the old one is informed', async () => {
  claims('The new address counts once you have opened the link that we sent to ….');
  const { client, email, session } = await signUpPerson(app);
  const wanted = newEmail();
  await newClient(app).auth.resetPasswordForEmail(email);
  const oldRecovery = await readMail(app.url, email, /Choose a new/);
  const { data, error } = await client.auth.updateUser({ email: wanted });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email, new_email: wanted });

  const [atOld, atNew] = [
    await readMail(app.url, email, /new address/),
    await readMail(app.url, wanted, /new address/),
  ];
  const first = await pressButton(linkIn(atNew));
  expect(new URLSearchParams(first.hash.slice(1)).get('message')).toContain('other email');
  expect((await client.auth.getUser()).data.user?.email).toBe(email);
  const second = await client.auth.verifyOtp({ email, token: codeIn(atOld), type: 'email_change' });
  expect(second.error).toBeNull();
  expect(second.data.user).toMatchObject({ id: session.user.id, email: wanted });
  expect(second.data.user?.identities?.[0]?.identity_data?.email).toBe(wanted);
  await readMail(app.url, email, /was changed/);
  const dead = await fetch(linkIn(oldRecovery), { redirect: 'manual' });
  expect(dead.headers.get('location')).toContain('error_code=otp_expired');
  expect((await newClient(app).auth.signInWithPassword({ email, password: PASSWORD })).error).not.toBeNull();
  const signedIn = await newClient(app).auth.signInWithPassword({ email: wanted, password: PASSWORD });
  expect(signedIn.error).toBeNull();
});

test('the first half by token hash gets a message and no session', async () => {
  const { client, email } = await signUpPerson(app);
  await client.auth.updateUser({ email: newEmail() });
  const token = linkIn(await readMail(app.url, email, /new address/)).searchParams.get('token') ?? '';
  const reply = await callAuth(app, 'POST', '/verify', { body: { type: 'email_change', token_hash: token } });
  expect(reply).toMatchObject({
    status: 200,
    body: { code: '200', msg: expect.stringContaining('other email') },
  });
});

test('a taken address is refused, also when it is taken in the meantime', async () => {
  const { client, email } = await signUpPerson(app);
  const taken = await signUpPerson(app);
  expect((await client.auth.updateUser({ email: taken.email })).error).toMatchObject({
    status: 422,
    code: 'email_exists',
  });
  const wanted = newEmail();
  await client.auth.updateUser({ email: wanted });
  await newClient(app).auth.signUp({ email: wanted, password: PASSWORD });
  await pressButton(linkIn(await readMail(app.url, wanted, /new address/)));
  const end = await pressButton(linkIn(await readMail(app.url, email, /new address/)));
  expect(new URLSearchParams(end.hash.slice(1)).get('error_code')).toBe('otp_expired');
  expect((await client.auth.getUser()).data.user?.email).toBe(email);
});

test('an empty password is reported as such, and the password stays', async () => {
  const { email, session } = await signUpPerson(app);
  const reply = await callAuth(app, 'PUT', '/user', { bearer: session.access_token, body: { password: '' } });
  expect(reply).toMatchObject({ status: 400, body: { message: 'Password cannot be empty' } });
  expect((await newClient(app).auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
});

test('a link for a withdrawn request changes nothing', async () => {
  const { client, email, session } = await signUpPerson(app);
  const wanted = newEmail();
  await client.auth.updateUser({ email: wanted });
  const [atOld, atNew] = [
    await readMail(app.url, email, /new address/),
    await readMail(app.url, wanted, /new address/),
  ];
  await pressButton(linkIn(atNew));
  await app.resources.database.run('update auth.users set email_change = null where id = $1', [
    session.user.id,
  ]);
  const end = await pressButton(linkIn(atOld));
  expect(new URLSearchParams(end.hash.slice(1)).get('error_code')).toBe('otp_expired');
  expect((await client.auth.getUser()).data.user?.email).toBe(email);
});

test('the user’s own number again is no change, and no message is sent', async () => {
  const phone = `+447700${randomInt(100_000, 999_999)}`;
  const client = newClient(app);
  await client.auth.signUp({ phone, password: PASSWORD });
  const { data, error } = await client.auth.updateUser({ phone, data: { city: 'London' } });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ phone: phone.slice(1), user_metadata: { city: 'London' } });
  const sent = await app.resources.database.many('select 1 from private.text_messages where recipient = $1', [
    phone.slice(1),
  ]);
  expect(sent).toEqual([]);
});
