import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMail } from '../../../../tests/support/auth/mail-read.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

describe('accounts that need no confirmation', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  test('sign-up answers with a session whose token names the user and verifies by the public keys', async () => {
    const { session, email } = await signUpPerson(app, { full_name: 'Ada Byron', phone: '+44 20 7946 0000' });
    expect(session).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(session.user).toMatchObject({
      email,
      aud: 'authenticated',
      role: 'authenticated',
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { full_name: 'Ada Byron', phone: '+44 20 7946 0000' },
    });
    expect(session.user.identities).toHaveLength(1);
    expect(session.user.identities?.[0]).toMatchObject({ provider: 'email', id: session.user.id });
    const jwks = createRemoteJWKSet(new URL(`${app.url}/auth/v1/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(session.access_token, jwks, {
      issuer: `${app.url}/auth/v1`,
      audience: 'authenticated',
    });
    expect(protectedHeader.alg).toBe('ES256');
    expect(payload).toMatchObject({
      sub: session.user.id,
      role: 'authenticated',
      aal: 'aal1',
      email,
      is_anonymous: false,
      amr: [{ method: 'password' }],
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
  });

  test('the welcome mail is in the built-in mailbox', async () => {
    const { email } = await signUpPerson(app);
    expect((await readMail(app.url, email, /Welcome/)).html).toContain('/dashboard');
  });

  test('a second sign-up with the address, in any spelling, is refused with the known sentence', async () => {
    const { email } = await signUpPerson(app);
    const { error } = await newClient(app).auth.signUp({
      email: `  ${email.toUpperCase()} `,
      password: PASSWORD,
    });
    expect(error).toMatchObject({
      status: 422,
      code: 'user_already_exists',
      message: 'User already registered',
    });
  });

  test('twenty sign-ups at once with one address make one account', async () => {
    const email = newEmail();
    const results = await Promise.all(
      Array.from({ length: 20 }, () => newClient(app).auth.signUp({ email, password: PASSWORD })),
    );
    expect(results.filter(({ error }) => error === null)).toHaveLength(1);
  });

  test.each([
    ['short1!', ['length']],
    // One reason at a time: a longer password may well have more different characters.
    ['aab', ['length']],
    ['aaaaaaaaaaaa', ['characters']],
    ['password123', ['pwned']],
    ['Northline-2026!', ['pwned']],
    ['Ada.Byron.1815', ['pwned']],
    ['12345678', ['pwned']],
  ])('the password %s is refused because of %j', async (password, reasons) => {
    const { error } = await newClient(app).auth.signUp({
      email: newEmail(),
      password,
      options: { data: { full_name: 'Ada Byron' } },
    });
    expect(error).toMatchObject({ status: 422, code: 'weak_password', reasons });
  });

  test('the user’s own address is refused as a password', async () => {
    const email = newEmail();
    const { error } = await newClient(app).auth.signUp({ email, password: email });
    expect(error).toMatchObject({ code: 'weak_password', reasons: ['pwned'] });
  });

  test('long passwords of 64 characters and more, with spaces and any script, count to the last character', async () => {
    const email = newEmail();
    const password = `${'Größe 日本 '.repeat(12)}ende`;
    expect((await newClient(app).auth.signUp({ email, password })).error).toBeNull();
    const almost = await newClient(app).auth.signInWithPassword({ email, password: password.slice(0, -1) });
    expect(almost.error?.code).toBe('invalid_credentials');
    expect((await newClient(app).auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  test.each([
    [{ email: 'not an address', password: PASSWORD }, 400, 'validation_failed'],
    [{ email: 'a@b.example\r\nbcc: c@d.example', password: PASSWORD }, 400, 'validation_failed'],
    [{ email: 'a@b.example' }, 400, 'validation_failed'],
    [{ email: 'a@b.example', phone: '+441', password: PASSWORD }, 400, 'validation_failed'],
    [{ email: 'a@b.example', password: 'x'.repeat(1025) }, 400, 'validation_failed'],
    [
      { email: 'a@b.example', password: PASSWORD, data: { text: 'x'.repeat(5000) } },
      400,
      'validation_failed',
    ],
    [
      { email: 'a@b.example', password: PASSWORD, code_challenge: 'short', code_challenge_method: 's256' },
      400,
      'validation_failed',
    ],
    [{ email: 7, password: PASSWORD }, 400, 'validation_failed'],
    [{ phone: 'words', password: PASSWORD }, 400, 'validation_failed'],
    [{}, 422, 'anonymous_provider_disabled'],
  ])('sign-up with %j answers %i %s', async (body, status, code) => {
    const reply = await callAuth(app, 'POST', '/signup', { body });
    expect(reply).toMatchObject({ status, body: { code, error_code: code } });
    expect(reply.headers.get('x-sb-error-code')).toBe(code);
  });

  test('a body that names a role, an id or a confirmation changes none of them', async () => {
    const id = crypto.randomUUID();
    const { body } = await callAuth(app, 'POST', '/signup', {
      body: {
        email: newEmail(),
        password: PASSWORD,
        id,
        role: 'service_role',
        app_metadata: { admin: true },
      },
    });
    const { user } = body as unknown as { user: { id: string; role: string; app_metadata: object } };
    expect(user.id).not.toBe(id);
    expect(user.role).toBe('authenticated');
    expect(user.app_metadata).toEqual({ provider: 'email', providers: ['email'] });
  });
});

test('with sign-up closed nobody gets in', async () => {
  const app = await startTestApp({ settings: { AUTH_SIGNUP: 'false' } });
  const { error } = await newClient(app).auth.signUp({ email: newEmail(), password: PASSWORD });
  expect(error).toMatchObject({ status: 422, code: 'signup_disabled' });
  const settings = await callAuth(app, 'GET', '/settings');
  expect(settings.body).toMatchObject({ disable_signup: true, external: { email: true } });
  await app.close();
});
