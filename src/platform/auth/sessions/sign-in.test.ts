import { afterAll, beforeAll, expect, test } from 'vitest';
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
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const userOf = (bearer: string) => callAuth(app, 'GET', '/user', { bearer });

test('the right password signs in; a wrong one and an unknown account get the same reply', async () => {
  const { email, session } = await signUpPerson(app);
  const right = await newClient(app).auth.signInWithPassword({ email, password: PASSWORD });
  expect(right.data.user?.id).toBe(session.user.id);
  const wrong = await callAuth(app, 'POST', '/token?grant_type=password', {
    body: { email, password: 'wrong password' },
  });
  const unknown = await callAuth(app, 'POST', '/token?grant_type=password', {
    body: { email: newEmail(), password: 'wrong password' },
  });
  expect(wrong.body).toEqual(unknown.body);
  expect(wrong).toMatchObject({
    status: 400,
    body: { code: 'invalid_credentials', message: 'Invalid login credentials' },
  });
});

test('without the version header the body has the older shape', async () => {
  const reply = await fetch(`${app.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: app.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: newEmail(), password: PASSWORD }),
  });
  expect(await reply.json()).toEqual({
    code: 400,
    error_code: 'invalid_credentials',
    msg: 'Invalid login credentials',
    message: 'Invalid login credentials',
  });
});

test.each([
  ['password', { password: PASSWORD }, 'validation_failed'],
  ['password', { email: 'a@b.example', phone: '+441', password: PASSWORD }, 'validation_failed'],
  ['password', { phone: '+447700900123', password: PASSWORD }, 'invalid_credentials'],
  ['password', { email: 'a@b.example', password: 'x'.repeat(5000) }, 'invalid_credentials'],
  ['password', { email: 'a@b.example', password: 'null \0 byte' }, 'validation_failed'],
  ['password', { email: 'a@b.example' }, 'invalid_credentials'],
  ['refresh_token', {}, 'validation_failed'],
  ['pkce', { auth_code: 'nothing', code_verifier: 'x'.repeat(43) }, 'flow_state_not_found'],
  ['guess', {}, 'invalid_credentials'],
])('grant %s with %j answers %s', async (grant, body, code) => {
  const reply = await callAuth(app, 'POST', `/token?grant_type=${grant}`, { body });
  expect(reply).toMatchObject({ status: code === 'flow_state_not_found' ? 404 : 400, body: { code } });
});

test('broken JSON and prototype pollution do no harm', async () => {
  const headers = { apikey: app.anonKey, 'content-type': 'application/json' };
  const broken = await fetch(`${app.url}/auth/v1/signup`, { method: 'POST', headers, body: '{"email":' });
  expect(broken.status).toBe(400);
  const email = newEmail();
  const body = `{"email":"${email}","password":"${PASSWORD}","data":{"__proto__":{"admin":true},"a":1}}`;
  const reply = await fetch(`${app.url}/auth/v1/signup`, { method: 'POST', headers, body });
  const { user } = (await reply.json()) as { user: { user_metadata: object } };
  expect(user.user_metadata).toEqual({ a: 1 });
});

test('a ban is reported only after the right password, and ends the account’s tokens', async () => {
  claims('We may stop an account that does, and say why.');
  const { email, session, client } = await signUpPerson(app);
  await app.resources.database.run(
    "update auth.users set banned_until = now() + interval '1 hour' where id = $1",
    [session.user.id],
  );
  const wrong = await newClient(app).auth.signInWithPassword({ email, password: 'wrong password' });
  expect(wrong.error?.code).toBe('invalid_credentials');
  const right = await newClient(app).auth.signInWithPassword({ email, password: PASSWORD });
  expect(right.error).toMatchObject({ status: 400, code: 'user_banned' });
  expect((await client.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_banned' });
});

test('a password that no longer meets the rules signs in with a note', async () => {
  const { email, session } = await signUpPerson(app);
  await app.resources.database.run('update auth.users set raw_user_meta_data = $2 where id = $1', [
    session.user.id,
    JSON.stringify({ full_name: 'Quiet Harbour Lantern' }),
  ]);
  const { data, error } = await newClient(app).auth.signInWithPassword({ email, password: PASSWORD });
  expect(error).toBeNull();
  expect(data.weakPassword).toMatchObject({ reasons: ['pwned'] });
});

test('sign-out ends the sessions of its scope, and their access tokens at once', async () => {
  claims('Other devices were signed out.');
  const { email, session: first } = await signUpPerson(app);
  const signIn = async () => {
    const client = newClient(app);
    const { data } = await client.auth.signInWithPassword({ email, password: PASSWORD });
    return { client, token: data.session?.access_token ?? '' };
  };
  const second = await signIn();
  const third = await signIn();
  expect((await second.client.auth.signOut({ scope: 'local' })).error).toBeNull();
  expect(await userOf(second.token)).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
  expect((await userOf(third.token)).status).toBe(200);
  expect((await third.client.auth.signOut({ scope: 'others' })).error).toBeNull();
  expect((await userOf(first.access_token)).status).toBe(403);
  expect((await userOf(third.token)).status).toBe(200);
  const fourth = await signIn();
  expect((await third.client.auth.signOut()).error).toBeNull();
  expect((await userOf(fourth.token)).status).toBe(403);
});

test('sign-out replies 204 without a body, 400 for an unknown scope, and 403 the second time', async () => {
  const { session } = await signUpPerson(app);
  const bearer = session.access_token;
  expect((await callAuth(app, 'POST', '/logout?scope=all', { bearer })).status).toBe(400);
  expect((await callAuth(app, 'POST', '/logout?scope=constructor', { bearer })).status).toBe(400);
  expect((await callAuth(app, 'POST', '/logout?scope=global', { bearer })).status).toBe(204);
  expect(await callAuth(app, 'POST', '/logout', { bearer })).toMatchObject({
    status: 403,
    body: { code: 'session_not_found' },
  });
});

test('the audit log has every sign-in, failure and sign-out, and cannot be changed', async () => {
  const { email, client, session } = await signUpPerson(app);
  await newClient(app).auth.signInWithPassword({ email, password: 'wrong password' });
  await client.auth.signOut();
  const rows = await app.resources.database.many(
    'select action, payload from auth.audit_log_entries where actor_id = $1 order by created_at',
    [session.user.id],
  );
  expect(rows.map((row) => row.action)).toEqual(['user_signedup', 'login', 'login_failed', 'logout']);
  expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  const { database } = app.resources;
  await expect(database.run('delete from auth.audit_log_entries')).rejects.toThrow('append-only');
  await expect(database.run("update auth.audit_log_entries set action = 'login'")).rejects.toThrow(
    'append-only',
  );
});

test('the API roles see nothing of the accounts', async () => {
  const { database } = app.resources;
  for (const role of ['anon', 'authenticated', 'service_role'] as const) {
    for (const table of ['users', 'sessions', 'identities', 'one_time_tokens', 'audit_log_entries']) {
      const look = database.asCaller({ role, userId: undefined, claims: {} }, (queries) =>
        queries.many(uncheckedSql<object>(`select * from auth.${table}`, 'composed')),
      );
      await expect(look).rejects.toThrow('permission denied');
    }
  }
});

test.each([
  ['password changed', "encrypted_password = encrypted_password || 'x'"],
  ['account banned', "banned_until = now() + interval '1 hour'"],
  ['account deleted', 'deleted_at = now()'],
])('a right password whose %s while it was compared opens nothing', async (_name, change) => {
  const { email, session } = await signUpPerson(app);
  const { error, data } = await overtake(
    app,
    () => newClient(app).auth.signInWithPassword({ email, password: PASSWORD }),
    [`update auth.users set ${change} where id = $1`, [session.user.id]],
  );
  expect(error).toMatchObject({ status: 400, code: 'invalid_credentials' });
  expect(data.session).toBeNull();
});
