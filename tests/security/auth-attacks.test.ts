import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolledPerson } from '../support/auth/authenticator.ts';
import { codeIn, linkIn, pressButton, readMail } from '../support/auth/mail-read.ts';
import { callAuth, newClient, newEmail, PASSWORD, signUpPerson } from '../support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('attack 3: of two exchanges of one PKCE code at once one gets a session, and the second ends it', async () => {
  const { email } = await signUpPerson(app);
  const verifier = 'v'.repeat(64);
  const body = { email, code_challenge: verifier, code_challenge_method: 'plain' };
  expect((await callAuth(app, 'POST', '/recover', { body })).status).toBe(200);
  const code = (await pressButton(linkIn(await readMail(app.url, email, /password/)))).searchParams.get(
    'code',
  );
  const exchange = () =>
    callAuth(app, 'POST', '/token?grant_type=pkce', { body: { auth_code: code, code_verifier: verifier } });
  const replies = await Promise.all([exchange(), exchange()]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
  const { body: session } = replies.find(({ status }) => status === 200) ?? { body: {} };
  const bearer = String((session as { access_token?: string }).access_token);
  expect((await callAuth(app, 'GET', '/user', { bearer })).status).toBe(403);
});

test('attack 13: a recovery mail of an account with a second factor opens a session below it', async () => {
  const person = await enrolledPerson(app);
  const client = newClient(app);
  await client.auth.resetPasswordForEmail(person.email);
  const token = codeIn(await readMail(app.url, person.email, /password/));
  const { error } = await client.auth.verifyOtp({ email: person.email, token, type: 'recovery' });
  expect(error).toBeNull();
  const { data } = await client.auth.mfa.getAuthenticatorAssuranceLevel();
  expect(data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' });
  for (const change of [{ password: `${PASSWORD} other` }, { email: newEmail() }]) {
    expect((await client.auth.updateUser(change)).error).toMatchObject({ code: 'insufficient_aal' });
  }
  const { error: enrolment } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'thief' });
  expect(enrolment).toMatchObject({ code: 'insufficient_aal' });
});

test('attack 17: no key or token but a living service key administers', async () => {
  const { session } = await signUpPerson(app);
  const now = Math.floor(Date.now() / 1000);
  const expired = await app.resources.tokens.sign({ role: 'service_role', iat: now - 7200, exp: now - 1 });
  const claimed = await app.resources.tokens.sign({ role: 'postgres', exp: now + 60 });
  const routes = [...new Set(app.routes)].filter((route) => / \/auth\/v1\/(admin|invite)/.test(route));
  expect(routes.length).toBeGreaterThan(8);
  for (const route of routes.filter((one) => !/^(HEAD|OPTIONS) /.test(one))) {
    const [method = '', path = ''] = route.split(' ');
    for (const bearer of [app.anonKey, session.access_token, expired, claimed, 'x']) {
      const own = path.replace('/auth/v1', '').replace(/:\w+/g, () => crypto.randomUUID());
      const reply = await callAuth(app, method, own, { bearer, ...(method === 'GET' ? {} : { body: {} }) });
      expect([401, 403], `${route} with ${bearer.slice(0, 12)}`).toContain(reply.status);
    }
  }
});

test('attack 19: a user changes only their own account, whatever body and path name', async () => {
  const [victim, thief] = [await signUpPerson(app), await signUpPerson(app)];
  const named = { id: victim.session.user.id, user_id: victim.session.user.id, sub: victim.session.user.id };
  const reply = await callAuth(app, 'PUT', `/user?id=${named.id}&user_id=${named.id}`, {
    bearer: thief.session.access_token,
    body: { ...named, data: { taken: true } },
  });
  expect(reply).toMatchObject({ status: 200, body: { id: thief.session.user.id } });
  const { data } = await victim.client.auth.getUser();
  expect(data.user?.user_metadata).not.toHaveProperty('taken');
  const gone = await callAuth(app, 'POST', '/logout?scope=global', {
    bearer: thief.session.access_token,
    body: named,
  });
  expect(gone.status).toBe(204);
  expect((await victim.client.auth.getUser()).error).toBeNull();
});

test('attack 20: headers that name a user, a role or an inner request open nothing', async () => {
  const { session } = await signUpPerson(app);
  const headers = {
    'x-middleware-subrequest': 'middleware:middleware:middleware',
    'x-user-id': session.user.id,
    'x-forwarded-user': session.user.id,
    'x-role': 'service_role',
    'x-supabase-role': 'service_role',
    'x-jwt-claims': JSON.stringify({ sub: session.user.id, role: 'service_role' }),
    'x-original-url': '/auth/v1/health',
    'x-rewrite-url': '/auth/v1/health',
    'x-http-method-override': 'GET',
    'x-real-ip': '127.0.0.1',
    'request.jwt.claims': JSON.stringify({ sub: session.user.id }),
  };
  expect((await callAuth(app, 'GET', '/user', { headers })).status).toBe(401);
  expect((await callAuth(app, 'GET', '/admin/users', { headers })).status).toBe(401);
  const rows = await fetch(`${app.url}/rest/v1/customers`, { headers: { ...headers, apikey: app.anonKey } });
  expect(rows.status).toBe(401);
  // The database does not trust a user's own claim either.
  const seen = await fetch(`${app.url}/rest/v1/customers?select=user_id`, {
    headers: { ...headers, apikey: app.anonKey, authorization: `Bearer ${session.access_token}` },
  });
  const owners = ((await seen.json()) as { user_id: string }[]).map(({ user_id }) => user_id);
  expect(owners.every((owner) => owner === session.user.id)).toBe(true);
});
