import { randomInt } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkIn, pressButton, readMail } from '../../../../tests/support/auth/mail-read.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { overtake } from '../../../../tests/support/held-lock.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { sweepAuth } from '../auth-sweep.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_ANONYMOUS: 'true' } });
});
afterAll(() => app.close());

/** A visitor with an account without an address. */
async function visitor(from = app) {
  const client = newClient(from);
  const { data, error } = await client.auth.signInAnonymously({ options: { data: { tour: 'a' } } });
  if (data.session === null) throw error ?? new Error('no session');
  return { client, session: data.session, id: data.session.user.id };
}

test('an account without an address is signed in, and its claims say so', async () => {
  const { session, client } = await visitor();
  expect(session.user).toMatchObject({
    email: '',
    phone: '',
    is_anonymous: true,
    app_metadata: {},
    user_metadata: { tour: 'a' },
    identities: [],
  });
  expect(decodeJwt(session.access_token)).toMatchObject({
    is_anonymous: true,
    role: 'authenticated',
    amr: [{ method: 'anonymous' }],
  });
  expect((await client.auth.refreshSession()).error).toBeNull();
});

test('it becomes permanent with an address and a password, keeps its id, and signs in with them', async () => {
  const { client, id } = await visitor();
  const lonely = await client.auth.updateUser({ password: PASSWORD });
  expect(lonely.error).toMatchObject({ status: 422, code: 'validation_failed' });
  const email = newEmail();
  const { data } = await client.auth.updateUser({ email, password: PASSWORD });
  expect(data.user).toMatchObject({
    id,
    email,
    is_anonymous: false,
    app_metadata: { provider: 'email', providers: ['email'] },
    identities: [{ provider: 'email' }],
  });
  const { data: fresh } = await client.auth.refreshSession();
  expect(decodeJwt(fresh.session?.access_token ?? '')).toMatchObject({ is_anonymous: false, email });
  const other = await newClient(app).auth.signInWithPassword({ email, password: PASSWORD });
  expect(other.data.user?.id).toBe(id);
});

test("it never takes over another account's address or number", async () => {
  const owner = await signUpPerson(app);
  const phone = '+447700900155';
  await newClient(app).auth.signUp({ phone, password: PASSWORD });
  const { client } = await visitor();
  expect((await client.auth.updateUser({ email: owner.email })).error).toMatchObject({
    code: 'email_exists',
  });
  expect((await client.auth.updateUser({ phone })).error).toMatchObject({ code: 'phone_exists' });
  expect((await client.auth.getUser()).data.user?.is_anonymous).toBe(true);
});

test('it becomes permanent with a number', async () => {
  const { client, id } = await visitor();
  const { data } = await client.auth.updateUser({ phone: '+447700900156', password: PASSWORD });
  expect(data.user).toMatchObject({ id, phone: '447700900156', is_anonymous: false });
});

test('where addresses are confirmed, it stays anonymous until the mail was answered', async () => {
  const strict = await startTestApp({ settings: { AUTH_ANONYMOUS: 'true', AUTH_AUTOCONFIRM: 'false' } });
  const { client, id } = await visitor(strict);
  const email = newEmail();
  const { data } = await client.auth.updateUser({ email, password: PASSWORD });
  expect(data.user).toMatchObject({ email: '', new_email: email, is_anonymous: true });
  const early = await newClient(strict).auth.signInWithPassword({ email, password: PASSWORD });
  expect(early.error).toMatchObject({ code: 'invalid_credentials' });
  await pressButton(linkIn(await readMail(strict.url, email, /Confirm the new address/)));
  const late = await newClient(strict).auth.signInWithPassword({ email, password: PASSWORD });
  expect(late.data.user).toMatchObject({ id, email, is_anonymous: false });
  await strict.close();
});

test('anonymous accounts that were unused for long are removed, permanent ones are not', async () => {
  const [old, used, permanent] = [await visitor(), await visitor(), await visitor()];
  await permanent.client.auth.updateUser({ email: newEmail() });
  const { database } = app.resources;
  await database.run("update auth.users set created_at = now() - interval '40 days' where id = any ($1)", [
    [old.id, used.id, permanent.id],
  ]);
  await database.run("update auth.sessions set updated_at = now() - interval '40 days' where user_id = $1", [
    old.id,
  ]);
  await sweepAuth(app.resources);
  const left = await database.many('select id from auth.users where id = any ($1)', [
    [old.id, used.id, permanent.id],
  ]);
  expect(left.map(({ id }) => id).sort()).toEqual([used.id, permanent.id].sort());
});

test('the settings endpoint says whether anonymous accounts are allowed, and sign-up refuses them otherwise', async () => {
  expect((await callAuth(app, 'GET', '/settings')).body).toMatchObject({
    external: { anonymous_users: true },
  });
  const off = await startTestApp();
  expect(await callAuth(off, 'POST', '/signup', { body: {} })).toMatchObject({
    status: 422,
    body: { code: 'anonymous_provider_disabled' },
  });
  await off.close();
});

test.each([
  ['address', 'email', () => newEmail(), 'email_exists'],
  ['number', 'phone', () => `447700${randomInt(100_000, 999_999)}`, 'phone_exists'],
] as const)(
  'an account without an address does not become permanent by an %s that somebody takes at that moment',
  async (_name, field, newValue, code) => {
    const { session, client } = await visitor();
    const value = newValue();
    const reply = await overtake(
      app,
      () =>
        callAuth(app, 'PUT', '/user', {
          bearer: session.access_token,
          body: { [field]: field === 'phone' ? `+${value}` : value, data: { tour: 'b' } },
        }),
      [`insert into auth.users (${field}) values ($1)`, [value]],
    );
    expect(reply).toMatchObject({ status: 422, body: { code } });
    const { data } = await client.auth.getUser();
    // Nothing of the change was stored.
    expect(data.user).toMatchObject({ is_anonymous: true, user_metadata: { tour: 'a' } });
  },
);
