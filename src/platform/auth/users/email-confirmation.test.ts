import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, linkIn, pressButton, readMail } from '../../../../tests/support/auth/mail-read.ts';
import { callAuth, newClient, newEmail, PASSWORD } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_AUTOCONFIRM: 'false' } });
});
afterAll(() => app.close());

const signUp = (email: string, password = PASSWORD) =>
  callAuth(app, 'POST', '/signup', { body: { email, password, data: { full_name: 'Ada' } } });

async function confirmedEmail(): Promise<string> {
  const email = newEmail();
  await signUp(email);
  await pressButton(linkIn(await readMail(app.url, email, /Confirm/)));
  return email;
}

test('an account opens when its mail is confirmed, not before', async () => {
  const email = newEmail();
  const { data, error } = await newClient(app).auth.signUp({ email, password: PASSWORD });
  expect(error).toBeNull();
  expect(data.session).toBeNull();
  expect(data.user).toMatchObject({ email });
  const early = await newClient(app).auth.signInWithPassword({ email, password: PASSWORD });
  expect(early.error).toMatchObject({ status: 400, code: 'email_not_confirmed' });
  const wrong = await newClient(app).auth.signInWithPassword({ email, password: 'wrong password' });
  expect(wrong.error?.code).toBe('invalid_credentials');
  const client = newClient(app);
  const token = codeIn(await readMail(app.url, email, /Confirm/));
  const confirmed = await client.auth.verifyOtp({ email, token, type: 'signup' });
  expect(confirmed.data.user?.email_confirmed_at).toBeTruthy();
  expect((await client.auth.getUser()).error).toBeNull();
  await readMail(app.url, email, /Welcome/);
  expect((await newClient(app).auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
});

test('a taken address gets the answer of a new one, key by key, and its owner a notice', async () => {
  const email = await confirmedEmail();
  const taken = await signUp(email);
  const fresh = await signUp(newEmail());
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
        : typeof value;
  expect(taken.status).toBe(fresh.status);
  expect(shape(taken.body)).toEqual(shape(fresh.body));
  expect([...taken.headers.keys()].sort()).toEqual([...fresh.headers.keys()].sort());
  const notice = await readMail(app.url, email, /already have/);
  expect(notice.text).not.toMatch(/auth\/v1\/verify/);
  expect((await newClient(app).auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
});

test('who signs up later takes over an address that nobody confirmed, with a password of their own', async () => {
  const email = newEmail();
  await signUp(email, 'the first password here');
  const older = await readMail(app.url, email, /Confirm/);
  await signUp(email, 'the later password here');
  let newer = older;
  while (newer.id === older.id) newer = await readMail(app.url, email, /Confirm/);
  const dead = await fetch(linkIn(older), { redirect: 'manual' });
  expect(dead.status).toBe(303);
  await pressButton(linkIn(newer));
  const signIn = (password: string) => newClient(app).auth.signInWithPassword({ email, password });
  expect((await signIn('the first password here')).error?.code).toBe('invalid_credentials');
  expect((await signIn('the later password here')).error).toBeNull();
});

test('a recovery link confirms the address but drops a password that somebody else may have chosen', async () => {
  const email = newEmail();
  await signUp(email, 'chosen by somebody else');
  await newClient(app).auth.resetPasswordForEmail(email);
  await pressButton(linkIn(await readMail(app.url, email, /new .* password/)));
  const { error } = await newClient(app).auth.signInWithPassword({
    email,
    password: 'chosen by somebody else',
  });
  expect(error?.code).toBe('invalid_credentials');
});

test('PKCE: a sign-up comes back with a code', async () => {
  const client = newClient(app, 'pkce');
  const email = newEmail();
  const emailRedirectTo = `${app.url}/dashboard`;
  await client.auth.signUp({ email, password: PASSWORD, options: { emailRedirectTo } });
  const target = await pressButton(linkIn(await readMail(app.url, email, /Confirm/)));
  expect(target.pathname).toBe('/dashboard');
  const { data } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
  expect(data.user?.email).toBe(email);
});

test('/settings says that mails confirm', async () => {
  expect((await callAuth(app, 'GET', '/settings')).body).toMatchObject({ mailer_autoconfirm: false });
});
