import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ask } from '../../../../tests/support/test-database.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_COMMON_PASSWORDS: 'true', REST_GRANTS: 'true' } });
});
afterAll(() => app.close());

/** The row as in a hosted project's seed file; the hash is bcrypt of `password`. */
const SEED = `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
    recovery_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
    confirmation_token, email_change, email_change_token_new, recovery_token)
  values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', 'Seed@Example.com',
    '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', now(), now(), now(),
    '{"provider":"email","providers":["email"]}', '{}', now(), now(), '', '', '', '')`;

test('the rows of a seed file are accepted, with the same meaning as there', async () => {
  await ask(app.databaseUrl, SEED);
  const { database } = app.resources;
  expect(await database.many("select email, email_change from auth.users where email like 'seed%'")).toEqual([
    { email: 'seed@example.com', email_change: null },
  ]);
  const token = SEED.replace("'', '', '', '')", "'a token', '', '', '')").replace('Seed@', 'other@');
  await expect(ask(app.databaseUrl, token)).rejects.toThrow(/confirmation_token_stays_empty/);
});

test('AUTH_COMMON_PASSWORDS accepts the passwords of seeds, but short ones no more than before', async () => {
  const signUp = (password: string) =>
    callAuth(app, 'POST', '/signup', { body: { email: `${password}@example.com`, password } });
  expect(await signUp('password123')).toMatchObject({ status: 200 });
  expect(await signUp('aaaaaaaa')).toMatchObject({ status: 200 });
  expect(await signUp('short')).toMatchObject({ status: 422, body: { error_code: 'weak_password' } });
});

test('REST_GRANTS serves a new table at once, and a start without it serves the next one to nobody', async () => {
  const create = (name: string) =>
    ask(
      app.databaseUrl,
      `create table public.${name} (id int generated always as identity primary key, label text); notify pgrst`,
    );
  const status = async (name: string): Promise<number> => {
    const headers = { apikey: app.anonKey, 'content-type': 'application/json' };
    const url = `${app.url}/rest/v1/${name}`;
    return (await fetch(url, { method: 'POST', headers, body: '{"label":"x"}' })).status;
  };
  await create('granted');
  await expect.poll(() => status('granted')).toBe(201);
  const without = await startTestApp({ beside: app, settings: { REST_GRANTS: 'false' } });
  await without.close();
  await create('kept_back');
  await expect.poll(() => status('kept_back')).toBe(401);
});
