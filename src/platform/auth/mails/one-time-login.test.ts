import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, linkIn, pressButton, readMail } from '../../../../tests/support/auth/mail-read.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let careful: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  careful = await startTestApp({ settings: { AUTH_AUTOCONFIRM: 'false' } });
});
afterAll(() => Promise.all([app.close(), careful.close()]));

test('a mailed code signs in, and creates the account if there is none', async () => {
  const { email, session } = await signUpPerson(app);
  for (const address of [email, newEmail()]) {
    const client = newClient(app);
    const asked = await client.auth.signInWithOtp({
      email: address,
      options: { data: { full_name: 'Ada' } },
    });
    expect(asked).toMatchObject({ data: { user: null, session: null }, error: null });
    const token = codeIn(await readMail(app.url, address, /Sign in/));
    const { data, error } = await client.auth.verifyOtp({ email: address, token, type: 'email' });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email: address });
    expect(data.user?.id === session.user.id).toBe(address === email);
  }
});

test('a mailed link signs in as well', async () => {
  const { email } = await signUpPerson(app);
  await newClient(app).auth.signInWithOtp({ email, options: { emailRedirectTo: `${app.url}/dashboard` } });
  const target = await pressButton(linkIn(await readMail(app.url, email, /Sign in/)));
  expect(target.pathname).toBe('/dashboard');
  expect(new URLSearchParams(target.hash.slice(1)).get('access_token')).toBeTruthy();
});

test('with create_user off an unknown address gets the same reply, no account and no mail', async () => {
  const { email } = await signUpPerson(app);
  const unknown = newEmail();
  const body = (address: string) => ({ email: address, create_user: false });
  const known = await callAuth(app, 'POST', '/otp', { body: body(email) });
  expect(await callAuth(app, 'POST', '/otp', { body: body(unknown) })).toMatchObject({
    status: known.status,
    body: known.body,
  });
  await readMail(app.url, email, /Sign in/);
  const { database } = app.resources;
  expect(await database.maybe('select 1 from auth.users where email = $1', [unknown])).toBeUndefined();
  expect(await database.maybe('select 1 from private.mails where recipient = $1', [unknown])).toBeUndefined();
});

test('with AUTH_UNKNOWN_OTP=refuse an unknown address or number is refused, a known one gets its code', async () => {
  const telling = await startTestApp({ settings: { AUTH_UNKNOWN_OTP: 'refuse' } });
  const { email } = await signUpPerson(telling);
  const ask = (address: object) =>
    callAuth(telling, 'POST', '/otp', { body: { ...address, create_user: false } });
  expect(await ask({ email })).toMatchObject({ status: 200 });
  const refused = { status: 422, body: { error_code: 'otp_disabled', msg: 'Signups not allowed for otp' } };
  expect(await ask({ email: newEmail() })).toMatchObject(refused);
  expect(await ask({ phone: '+15550199' })).toMatchObject(refused);
  await telling.close();
});

test('a code for an account that somebody else prepared removes their password', async () => {
  const email = newEmail();
  await newClient(careful).auth.signUp({ email, password: 'prepared by another' });
  const client = newClient(careful);
  await client.auth.signInWithOtp({ email });
  const token = codeIn(await readMail(careful.url, email, /Sign in/));
  expect((await client.auth.verifyOtp({ email, token, type: 'email' })).error).toBeNull();
  const other = await newClient(careful).auth.signInWithPassword({ email, password: 'prepared by another' });
  expect(other.error?.code).toBe('invalid_credentials');
});

test('a confirmation can be sent again, but only while it is pending', async () => {
  const email = newEmail();
  await newClient(careful).auth.signUp({ email, password: PASSWORD });
  const first = await readMail(careful.url, email, /Confirm/);
  expect((await newClient(careful).auth.resend({ type: 'signup', email })).error).toBeNull();
  let second = first;
  while (second.id === first.id) second = await readMail(careful.url, email, /Confirm/);
  await pressButton(linkIn(second));
  expect((await newClient(careful).auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  expect((await newClient(careful).auth.resend({ type: 'signup', email: newEmail() })).error).toBeNull();
});

test('the mails of a change of address can be sent again', async () => {
  const { client, email } = await signUpPerson(app);
  const wanted = newEmail();
  await client.auth.updateUser({ email: wanted });
  const first = await readMail(app.url, wanted, /new address/);
  expect((await client.auth.resend({ type: 'email_change', email })).error).toBeNull();
  let second = first;
  while (second.id === first.id) second = await readMail(app.url, wanted, /new address/);
  await pressButton(linkIn(second));
  await pressButton(linkIn(await readMail(app.url, email, /new address/)));
  expect((await client.auth.getUser()).data.user?.email).toBe(wanted);
});

test.each([
  ['/resend', { email: 'a@b.example' }, 'validation_failed'],
  ['/resend', { type: 'signup' }, 'validation_failed'],
  ['/resend', { type: 'sms', phone: 'words' }, 'validation_failed'],
  ['/otp', {}, 'validation_failed'],
  ['/otp', { phone: 'words' }, 'validation_failed'],
  ['/otp', { email: 'a@b.example', phone: '+44123' }, 'validation_failed'],
  ['/recover', {}, 'validation_failed'],
  ['/verify', { type: 'signup' }, 'validation_failed'],
  ['/verify', { type: 'signup', token: '123456' }, 'validation_failed'],
  ['/verify', { type: 'constructor', token_hash: 'x' }, 'validation_failed'],
  ['/verify', { type: 'signup', token_hash: 'x', email: 'a@b.example' }, 'validation_failed'],
])('%s with %j answers 400 %s', async (path, body, code) => {
  expect(await callAuth(app, 'POST', path, { body })).toMatchObject({ status: 400, body: { code } });
});

test('a mailed nonce replaces the current password, once', async () => {
  const { client, email } = await signUpPerson(app);
  expect((await client.auth.reauthenticate()).error).toBeNull();
  const nonce = codeIn(await readMail(app.url, email, /code/));
  const wrong = await client.auth.updateUser({ password: 'a third good password', nonce: 'guess' });
  expect(wrong.error).toMatchObject({ status: 422, code: 'reauthentication_not_valid' });
  expect((await client.auth.updateUser({ password: 'a third good password', nonce })).error).toBeNull();
  const again = await client.auth.updateUser({ password: 'a fourth good password', nonce });
  expect(again.error?.code).toBe('reauthentication_not_valid');
});
