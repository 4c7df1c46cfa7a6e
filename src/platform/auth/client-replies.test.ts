import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newClient } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_ANONYMOUS: 'true' } });
});
afterAll(() => app?.close());

test('an account with neither address nor number cannot be asked to sign in again', async () => {
  const client = newClient(app);
  const { data } = await client.auth.signInAnonymously();
  const reply = await callAuth(app, 'GET', '/reauthenticate', {
    bearer: data.session?.access_token ?? '',
  });
  expect([reply.status, reply.body]).toEqual([
    400,
    expect.objectContaining({
      code: 'validation_failed',
      message: 'Reauthentication requires the user to have an email or a phone number',
    }),
  ]);
});

test('a bad bearer without a key is refused in the service’s own words', async () => {
  const reply = await fetch(`${app.url}/auth/v1/user`, {
    headers: { authorization: 'Bearer not.a.token', 'x-supabase-api-version': '2024-01-01' },
  });
  expect(reply.status).toBe(403);
  expect(await reply.json()).toMatchObject({
    code: 'bad_jwt',
    message: 'invalid JWT: unable to parse or verify signature, or token is expired',
  });
  expect((await fetch(`${app.url}/auth/v1/user`)).status).toBe(401);
});

test.each([
  ['GET', '/admin/oauth/clients', 'OAuth server is disabled'],
  ['GET', '/oauth/authorizations/1', 'OAuth server is disabled'],
  ['GET', '/user/oauth/grants', 'OAuth server is disabled'],
  ['POST', '/admin/custom-providers', 'Custom OAuth providers are disabled'],
])('%s %s is refused as in a service that has it switched off', async (method, path, message) => {
  const bearer = path.startsWith('/admin') ? { bearer: app.serviceKey } : {};
  const reply = await callAuth(app, method, path, { ...bearer, ...(method === 'POST' ? { body: {} } : {}) });
  expect([reply.status, reply.body]).toEqual([
    404,
    expect.objectContaining({ code: 'feature_disabled', message }),
  ]);
});

test('the path that older clients call for a mailed link sends one', async () => {
  expect((await callAuth(app, 'POST', '/magiclink', { body: {} })).status).toBe(400);
  const asked = await callAuth(app, 'POST', '/magiclink', { body: { email: 'link@old.example' } });
  expect([asked.status, asked.body]).toEqual([200, {}]);
  await expect
    .poll(() =>
      app.resources.database.one(
        "select count(*)::int as n from private.mails where recipient = 'link@old.example'",
      ),
    )
    .toBeDefined();
});

test('the settings name every provider that the reference lists, whether it is on or not', async () => {
  const { body } = await callAuth(app, 'GET', '/settings');
  const external: Record<string, boolean> = body.external ?? {};
  const off = ['apple', 'bitbucket', 'discord', 'linkedin_oidc', 'slack_oidc', 'twitter', 'workos', 'zoom'];
  for (const name of off) expect([name, external[name]]).toEqual([name, false]);
  expect(external).toMatchObject({ anonymous_users: true, email: true, phone: true });
});

test('an identity was last used when it was made, before anybody has signed in', async () => {
  const email = 'identity@new.example';
  const made = await callAuth(app, 'POST', '/admin/users', { bearer: app.serviceKey, body: { email } });
  const { identities } = made.body as unknown as {
    identities: { created_at?: string; last_sign_in_at?: string }[];
  };
  const [identity] = identities;
  expect(identity?.created_at).toEqual(expect.any(String));
  expect(identity?.last_sign_in_at).toBe(identity?.created_at);
  expect(made.body).not.toHaveProperty('last_sign_in_at');
});

test('an invalid link and an empty exchange are refused in the words of the reference', async () => {
  const link = await callAuth(app, 'POST', '/verify', { body: { type: 'email', token_hash: 'none' } });
  expect([link.status, link.body]).toEqual([
    403,
    expect.objectContaining({ code: 'otp_expired', message: 'Email link is invalid or has expired' }),
  ]);
  const code = { type: 'email', email: 'code@none.example', token: '000000' };
  expect((await callAuth(app, 'POST', '/verify', { body: code })).body).toMatchObject({
    message: 'Token has expired or is invalid',
  });
  const body = { auth_code: '', code_verifier: '' };
  const exchange = await callAuth(app, 'POST', '/token?grant_type=pkce', { body });
  expect([exchange.status, exchange.body]).toEqual([
    400,
    expect.objectContaining({
      code: 'validation_failed',
      message: 'invalid request: both auth code and code verifier should be non-empty',
    }),
  ]);
});

test('a wallet is refused in the words of the reference', async () => {
  const reply = await callAuth(app, 'POST', '/token?grant_type=web3', { body: { chain: 'solana' } });
  expect([reply.status, reply.body]).toEqual([
    422,
    expect.objectContaining({ code: 'web3_provider_disabled', message: 'Web3 provider is disabled' }),
  ]);
});
