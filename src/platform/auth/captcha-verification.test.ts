import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CaptchaProvider,
  startCaptchaProvider,
} from '../../../tests/support/auth/captcha-provider-server.ts';
import { callAuth, newClient, newEmail, PASSWORD } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

const SECRET = '0x4AAAAAAA-a-secret-of-the-provider';

describe.each(['hcaptcha', 'turnstile'])('with %s', (provider) => {
  let app: TestApp;
  let captcha: CaptchaProvider;
  beforeAll(async () => {
    captcha = await startCaptchaProvider(SECRET);
    app = await startTestApp({
      settings: {
        AUTH_CAPTCHA_PROVIDER: provider,
        AUTH_CAPTCHA_SECRET: SECRET,
        AUTH_CAPTCHA_URL: captcha.url,
        OUTBOUND_ALLOW_HOSTS: captcha.host,
        AUTH_ANONYMOUS: 'true',
      },
    });
  });
  afterAll(async () => {
    await app?.close();
    await captcha?.close();
  });

  test('the client signs up and in with a solved token, which counts once', async () => {
    const { auth } = newClient(app);
    const email = newEmail();
    const captchaToken = captcha.solve();
    const made = await auth.signUp({ email, password: PASSWORD, options: { captchaToken } });
    expect(made.error).toBeNull();
    const asked = captcha.asked.at(-1);
    expect(asked?.get('response')).toBe(captchaToken);
    expect(asked?.get('remoteip')).toMatch(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
    const again = await auth.signInWithPassword({ email, password: PASSWORD, options: { captchaToken } });
    expect(again.error).toMatchObject({
      status: 400,
      code: 'captcha_failed',
      message: 'captcha protection: request disallowed (invalid-input-response)',
    });
    const right = { captchaToken: captcha.solve() };
    const signedIn = await auth.signInWithPassword({ email, password: PASSWORD, options: right });
    expect(signedIn.error).toBeNull();
    // Requests with a session need no captcha.
    const before = captcha.asked.length;
    expect((await auth.refreshSession()).error).toBeNull();
    expect((await auth.updateUser({ data: { a: 1 } })).error).toBeNull();
    expect(captcha.asked.length).toBe(before);
  });

  test('every call without a session needs a token, and does nothing without one', async () => {
    const email = newEmail();
    const { auth } = newClient(app);
    const refused = await Promise.all([
      auth.signUp({ email, password: PASSWORD }),
      auth.signInAnonymously(),
      auth.signInWithPassword({ email, password: PASSWORD }),
      auth.signInWithOtp({ email }),
      auth.resetPasswordForEmail(email),
      auth.resend({ type: 'signup', email }),
      auth.signInWithSSO({ domain: 'company.example' }),
      auth.signUp({ email, password: PASSWORD, options: { captchaToken: '  ' } }),
    ]);
    for (const { error } of refused) {
      expect(error).toMatchObject({
        status: 400,
        code: 'captcha_failed',
        message: 'captcha protection: request disallowed (no captcha_token found in request)',
      });
    }
    const { n } = await app.resources.database.one(
      'select count(*)::int as n from auth.users where email = $1 or is_anonymous',
      [email],
    );
    expect(n).toBe(0);
  });

  test('a token of another shape is refused, and the service key needs none', async () => {
    const post = (security: unknown, bearer?: string) =>
      callAuth(app, 'POST', '/signup', {
        body: { email: newEmail(), password: PASSWORD, gotrue_meta_security: security },
        ...(bearer === undefined ? {} : { bearer }),
      });
    for (const security of [null, 7, 'x', [], { captcha_token: ['x'] }, { captcha_token: 'x'.repeat(5000) }])
      expect((await post(security)).status).toBe(400);
    expect((await post(undefined, app.serviceKey)).status).toBe(200);
    expect((await post(undefined, app.anonKey)).status).toBe(400);
  });

  test('nobody passes while the provider does not answer', async () => {
    captcha.break();
    const { auth } = newClient(app);
    const options = { captchaToken: captcha.solve() };
    const { error } = await auth.signUp({ email: newEmail(), password: PASSWORD, options });
    expect(error).toMatchObject({ status: 500 });
    expect(error?.message).toBe('captcha verification process failed');
  });
});
