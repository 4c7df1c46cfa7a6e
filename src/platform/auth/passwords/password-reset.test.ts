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
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

const NEW_PASSWORD = 'another lantern over water';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_REDIRECT_URLS: 'https://*.good.example/welcome' } });
});
afterAll(() => app.close());

const fragmentOf = (address: URL) => Object.fromEntries(new URLSearchParams(address.hash.slice(1)));

test('the mailed link leads, by one button, to a session that may choose a new password', async () => {
  claims(
    'We send you a link that opens this site with a new password to choose.',
    'It replaces the old one at once.',
  );
  const { email, session: old } = await signUpPerson(app);
  const redirectTo = `${app.url}/reset-password`;
  const asked = await newClient(app).auth.resetPasswordForEmail(email, { redirectTo });
  expect(asked).toMatchObject({ data: {}, error: null });
  const link = linkIn(await readMail(app.url, email, /password/));
  expect(link.origin).toBe(app.url);

  const target = await pressButton(link);
  expect(target.href.startsWith(redirectTo)).toBe(true);
  const fragment = fragmentOf(target);
  expect(fragment).toMatchObject({ type: 'recovery', token_type: 'bearer', expires_in: '3600', sb: '' });
  expect(Number(fragment.expires_at)).toBeGreaterThan(Date.now() / 1000);

  const client = newClient(app);
  const set = await client.auth.setSession({
    access_token: fragment.access_token ?? '',
    refresh_token: fragment.refresh_token ?? '',
  });
  expect(set.error).toBeNull();
  expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
  expect((await newClient(app).auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
    'invalid_credentials',
  );
  expect((await newClient(app).auth.signInWithPassword({ email, password: NEW_PASSWORD })).error).toBeNull();
  const earlier = await callAuth(app, 'GET', '/user', { bearer: old.access_token });
  expect(earlier).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
  await readMail(app.url, email, /password was changed/);
});

test('opening a link ten times uses nothing up; pressing the button uses it up once', async () => {
  const { email } = await signUpPerson(app);
  await newClient(app).auth.resetPasswordForEmail(email);
  const link = linkIn(await readMail(app.url, email, /password/));
  for (let look = 0; look < 10; look += 1) {
    const page = await fetch(link, { method: look % 2 === 0 ? 'GET' : 'HEAD' });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('content-security-policy')).toContain("font-src 'self'");
  }
  // The page is set in the site's own font, which it may load.
  const font = /@font-face{[^}]*url\(([^)]+)\)/.exec(await (await fetch(link)).text())?.[1] ?? '';
  expect((await fetch(new URL(font, app.url))).headers.get('content-type')).toBe('font/woff2');
  const pressed = await Promise.all(Array.from({ length: 5 }, () => submit(link)));
  const opened = pressed.filter((address) => 'access_token' in fragmentOf(address));
  expect(opened).toHaveLength(1);
  const late = await fetch(link, { redirect: 'manual' });
  expect(late.status).toBe(303);
  expect(fragmentOf(new URL(late.headers.get('location') ?? ''))).toEqual({
    error: 'access_denied',
    error_code: 'otp_expired',
    error_description: 'Email link is invalid or has expired',
    sb: '',
  });
});

async function submit(link: URL): Promise<URL> {
  const reply = await fetch(`${app.url}/auth/v1/verify`, {
    method: 'POST',
    body: link.searchParams,
    redirect: 'manual',
  });
  expect(reply.status).toBe(303);
  return new URL(reply.headers.get('location') ?? '');
}

test('the mailed code opens a session too; five wrong ones end the code but not the link', async () => {
  const { email } = await signUpPerson(app);
  await newClient(app).auth.resetPasswordForEmail(email);
  const mail = await readMail(app.url, email, /password/);
  const client = newClient(app);
  const code = codeIn(mail);
  const wrong = code === '000000' ? '000001' : '000000';
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { error } = await client.auth.verifyOtp({ email, token: wrong, type: 'recovery' });
    expect(error).toMatchObject({
      status: 403,
      code: 'otp_expired',
      message: 'Token has expired or is invalid',
    });
  }
  expect((await client.auth.verifyOtp({ email, token: code, type: 'recovery' })).error?.code).toBe(
    'otp_expired',
  );
  expect('access_token' in fragmentOf(await pressButton(linkIn(mail)))).toBe(true);
});

test('a code works once, for its own kind and address, for an hour', async () => {
  claims(
    'It works once and for one hour.',
    'The link has expired, was used already, or was opened in another browser.',
  );
  const { email, session } = await signUpPerson(app);
  await newClient(app).auth.resetPasswordForEmail(email);
  const first = await readMail(app.url, email, /password/);
  const client = newClient(app);
  const token = codeIn(first);
  expect((await client.auth.verifyOtp({ email, token, type: 'email' })).error?.code).toBe('otp_expired');
  expect((await client.auth.verifyOtp({ email: newEmail(), token, type: 'recovery' })).error?.code).toBe(
    'otp_expired',
  );
  const right = await client.auth.verifyOtp({ email, token, type: 'recovery' });
  expect(right.data.session?.user.id).toBe(session.user.id);
  expect((await client.auth.verifyOtp({ email, token, type: 'recovery' })).error?.code).toBe('otp_expired');

  await newClient(app).auth.resetPasswordForEmail(email);
  await app.resources.database.run('update auth.one_time_tokens set expires_at = now() where user_id = $1', [
    session.user.id,
  ]);
});

test('a newer link replaces the older one', async () => {
  const { email } = await signUpPerson(app);
  await newClient(app).auth.resetPasswordForEmail(email);
  const older = await readMail(app.url, email, /password/);
  await newClient(app).auth.resetPasswordForEmail(email);
  const newer = await waitForOther(email, older.id);
  expect(fragmentOf(await submit(linkIn(older)))).toMatchObject({ error_code: 'otp_expired' });
  expect('access_token' in fragmentOf(await submit(linkIn(newer)))).toBe(true);
});

async function waitForOther(email: string, id: string) {
  await expect.poll(async () => (await readMail(app.url, email, /password/)).id).not.toBe(id);
  return readMail(app.url, email, /password/);
}

test('PKCE: the link comes back with a code that only the asking client can exchange, once', async () => {
  const { email, session } = await signUpPerson(app);
  const client = newClient(app, 'pkce');
  expect(
    (await client.auth.resetPasswordForEmail(email, { redirectTo: `${app.url}/reset-password` })).error,
  ).toBeNull();
  const link = linkIn(await readMail(app.url, email, /password/));
  expect(link.searchParams.get('token')).toMatch(/^pkce_/);
  const target = await pressButton(link);
  const code = target.searchParams.get('code') ?? '';
  expect(target.hash).toBe('');

  const guess = await callAuth(app, 'POST', '/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: 'x'.repeat(64) },
  });
  expect(guess).toMatchObject({ status: 400, body: { code: 'bad_code_verifier' } });
  const { data, error } = await client.auth.exchangeCodeForSession(code);
  expect(error).toBeNull();
  expect(data.user?.id).toBe(session.user.id);
  expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();

  const again = await callAuth(app, 'POST', '/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: 'x'.repeat(64) },
  });
  expect(again).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } });
  const after = await callAuth(app, 'GET', '/user', { bearer: data.session?.access_token ?? '' });
  expect(after).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
});

test('PKCE: an error is in the query as well', async () => {
  const reply = await fetch(
    `${app.url}/auth/v1/verify?token=pkce_nothing&type=recovery&redirect_to=${app.url}/reset-password`,
    { redirect: 'manual' },
  );
  const target = new URL(reply.headers.get('location') ?? '');
  expect(target.searchParams.get('error_code')).toBe('otp_expired');
  expect(fragmentOf(target)).toMatchObject({ error_code: 'otp_expired', sb: '' });
});

test.each([
  '//evil.example',
  'https://good@evil.example',
  'https://good.evil.example/welcome',
  'javascript:alert(1)',
  'https://xn--80ak6aa92e.example',
  'http://203.0.113.7/',
  'https://a.good.example/welcome\nx',
  'https://a.good.example\t/welcome',
  'https://a.b.good.example/welcome',
  'https:\\\\a.good.example/welcome',
  'data:text/html,x',
])('redirect_to %j falls back to the site', async (redirectTo) => {
  const query = new URLSearchParams({ token: 'x', type: 'recovery', redirect_to: redirectTo });
  const reply = await fetch(`${app.url}/auth/v1/verify?${query}`, { redirect: 'manual' });
  expect(new URL(reply.headers.get('location') ?? '').origin).toBe(app.url);
});

test('a redirect_to on the list is used', async () => {
  const query = new URLSearchParams({
    token: 'x',
    type: 'recovery',
    redirect_to: 'https://eu.good.example/welcome',
  });
  const reply = await fetch(`${app.url}/auth/v1/verify?${query}`, { redirect: 'manual' });
  expect(reply.headers.get('location')).toMatch(/^https:\/\/eu\.good\.example\/welcome#error=/);
});

test('links use the configured address, whatever the request’s headers say', async () => {
  const { email } = await signUpPerson(app);
  await callAuth(app, 'POST', '/recover', {
    body: { email },
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' },
  });
  const mail = await readMail(app.url, email, /password/);
  expect(linkIn(mail).origin).toBe(app.url);
  expect(mail.html + mail.text).not.toContain('evil.example');
});

test('an unknown address gets the same reply as a known one, and no mail', async () => {
  claims('If an account with that address exists, the link is on its way.');
  const { email } = await signUpPerson(app);
  const unknown = newEmail();
  const replies = [];
  for (const address of [email, unknown]) {
    replies.push(await callAuth(app, 'POST', '/recover', { body: { email: address } }));
  }
  expect(replies[0]?.body).toEqual({});
  expect(replies[1]?.body).toEqual(replies[0]?.body);
  expect(replies[1]?.status).toBe(replies[0]?.status);
  await readMail(app.url, email, /password/);
  const { count } = await app.resources.database.one(
    'select count(*) from private.mails where recipient = $1',
    [unknown],
  );
  expect(count).toBe('0');
});
