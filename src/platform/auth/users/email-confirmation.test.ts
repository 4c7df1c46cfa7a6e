import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, linkIn, pressButton, readMail } from '../../../../tests/support/auth/mail-read.ts';
import { callAuth, newClient, newEmail, PASSWORD } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';

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

test('a taken address gets the reply of a new one, key by key, and its owner a notice', async () => {
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

test('a later sign-up takes over an address that nobody confirmed, with its own password', async () => {
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

test('a recovery link confirms the address but removes a password that somebody else may have chosen', async () => {
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

test.each([
  ['Verify requires either a token or a token hash', { type: 'signup' }],
  ['Only the token_hash and type should be provided', { type: 'signup', token_hash: 'x', token: '1' }],
  ['Invalid email verification type', { type: 'guess', token_hash: 'x' }],
  ['Invalid email verification type', { type: 'constructor', email: 'a@b.example', token: '1' }],
  ['Invalid sms verification type', { type: 'signup', phone: '+447700900199', token: '1' }],
  [
    'Only an email address or phone number should be provided on verify',
    { type: 'signup', email: 'a@b.example', phone: '+447700900199', token: '1' },
  ],
])('POST /verify replies %j to %j', async (message, body) => {
  const reply = await callAuth(app, 'POST', '/verify', { body });
  expect(reply).toMatchObject({ status: 400, body: { code: 'validation_failed', message } });
});

test.each([
  ['whose owner was banned meanwhile', "banned_until = now() + interval '1 hour'", 'user_banned'],
  ['for an address that the account has left', "email = 'left-' || email", 'otp_expired'],
])('a code %s opens nothing', async (_name, change, code) => {
  const email = newEmail();
  await signUp(email);
  const token = codeIn(await readMail(app.url, email, /Confirm/));
  const { id } = await app.resources.database.one('select id from auth.users where email = $1', [email]);
  await app.resources.database.run(
    uncheckedSql(`update auth.users set ${change} where id = $1`, 'composed'),
    [id],
  );
  const reply = await callAuth(app, 'POST', '/verify', { body: { type: 'signup', email, token } });
  expect(reply).toMatchObject({ status: 403, body: { code } });
  const after = await app.resources.database.one(
    'select email_confirmed_at, (select count(*) from auth.sessions s where s.user_id = u.id) as sessions from auth.users u where id = $1',
    [id],
  );
  expect(after).toEqual({ email_confirmed_at: null, sessions: '0' });
});

test.each([
  ['banned', "banned_until = now() + interval '1 hour'", 400, 'user_banned'],
  ['deleted', 'deleted_at = now()', 404, 'flow_state_not_found'],
])(
  'PKCE: an account that was %s between the link and the exchange is not signed in',
  async (_name, change, status, code) => {
    const client = newClient(app, 'pkce');
    const email = newEmail();
    await client.auth.signUp({ email, password: PASSWORD });
    const target = await pressButton(linkIn(await readMail(app.url, email, /Confirm/)));
    await app.resources.database.run(
      uncheckedSql(`update auth.users set ${change} where email = $1`, 'composed'),
      [email],
    );
    const { error } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
    expect(error).toMatchObject({ status, code });
  },
);

test('/settings says that mails confirm', async () => {
  expect((await callAuth(app, 'GET', '/settings')).body).toMatchObject({ mailer_autoconfirm: false });
});

test('PKCE: a link whose browser has given up leads back with an error, and opens nothing', async () => {
  const client = newClient(app, 'pkce');
  const email = newEmail();
  await client.auth.signUp({ email, password: PASSWORD });
  const link = linkIn(await readMail(app.url, email, /Confirm/));
  // The code for this challenge has already been issued.
  await app.resources.database.run(
    "update auth.flow_state set auth_code_hash = '\\x00' where user_id = (select id from auth.users where email = $1)",
    [email],
  );
  const end = await pressButton(link);
  expect(end.searchParams.get('code')).toBeNull();
  expect(new URLSearchParams(end.hash.slice(1)).get('error_code')).toBe('otp_expired');
});

test('a repeated confirmation sends nothing to an address that is confirmed', async () => {
  const email = await confirmedEmail();
  const { database } = app.resources;
  const mails = () =>
    database.many("select id from private.mails where recipient = $1 and subject ~ 'Confirm'", [email]);
  const before = await mails();
  expect(before).toHaveLength(1);
  expect((await newClient(app).auth.resend({ type: 'signup', email })).error).toBeNull();
  const open = async () =>
    database.many(
      "select 1 from private.job where name = 'auth.mail' and data ->> 'kind' = 'resend' and data ->> 'email' = $1 and state <> 'completed'",
      [email],
    );
  await expect.poll(open).toEqual([]);
  expect(await mails()).toEqual(before);
});
