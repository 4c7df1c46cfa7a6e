import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolledPerson, signInAgain } from '../../../../tests/support/auth/authenticator.ts';
import {
  callAuth,
  newClient,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import type { OwnSession } from './session-list.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function list(bearer: string): Promise<OwnSession[]> {
  const { body } = await callAuth(app, 'GET', '/sessions', { bearer });
  return body.sessions as unknown as OwnSession[];
}

/** Makes a session look as if it had last been used `hours` ago. */
const age = (column: 'created_at' | 'updated_at', hours: number, userId: string) =>
  app.resources.database.run(
    uncheckedSql(
      `update auth.sessions set ${column} = now() - make_interval(hours => $1) where user_id = $2`,
      'composed',
    ),
    [hours, userId],
  );

test('a user sees their own sessions, this one first, with device, address and level', async () => {
  const person = await signUpPerson(app);
  await signInAgain(app, person);
  const sessions = await list(person.session.access_token);
  expect(sessions).toHaveLength(2);
  expect(sessions[0]).toEqual({
    id: expect.any(String),
    current: true,
    created_at: expect.any(String),
    last_used_at: expect.any(String),
    not_after: null,
    aal: 'aal1',
    methods: ['password'],
    user_agent: 'node',
    ip: '127.0.0.1',
  });
  expect(sessions[1]?.current).toBe(false);
});

test('a user ends one session, which takes effect at once, and no session of another user', async () => {
  const person = await signUpPerson(app);
  const other = await signInAgain(app, person);
  const stranger = await signUpPerson(app);
  const [, second] = await list(person.session.access_token);
  const end = (bearer: string, id = '') => callAuth(app, 'DELETE', `/sessions/${id}`, { bearer });
  const refused = { status: 404, body: { code: 'session_not_found' } };
  expect(await end(stranger.session.access_token, second?.id)).toMatchObject(refused);
  expect(await end(stranger.session.access_token, 'no-id')).toMatchObject(refused);
  expect(await end(person.session.access_token, second?.id)).toMatchObject({ body: { id: second?.id } });
  const ended = await callAuth(app, 'GET', '/user', { bearer: other.session.access_token });
  expect(ended).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
  expect(await list(person.session.access_token)).toHaveLength(1);
});

test.each([
  ['past its hours', { AUTH_SESSION_HOURS: '24' }, 'created_at'],
  ['idle for too long', { AUTH_SESSION_IDLE_HOURS: '24' }, 'updated_at'],
] as const)(
  'a session %s is refused at the refresh with session_expired',
  async (_name, settings, column) => {
    const limited = await startTestApp({ beside: app, settings });
    const person = await signUpPerson(app);
    const { id } = person.session.user;
    const refresh = async () => {
      const { data, error } = await newClient(limited).auth.refreshSession({
        refresh_token: person.session.refresh_token,
      });
      return error?.code ?? (data.session === null ? 'nothing' : 'refreshed');
    };
    await age(column, 23, id);
    expect(await refresh()).toBe('refreshed');
    await age(column, 25, id);
    expect(await refresh()).toBe('session_expired');
    await limited.close();
  },
);

test('whoever has only the password of an account with a second factor sees, ends and names nothing of its owner', async () => {
  const owner = await enrolledPerson(app);
  const { data } = await owner.client.auth.getSession();
  const high = data.session?.access_token ?? '';
  const [own] = await list(high);
  const thief = await signInAgain(app, owner);
  const bearer = thief.session.access_token;
  const refused = { status: 403, body: { code: 'insufficient_aal' } };
  expect(await callAuth(app, 'GET', '/sessions', { bearer })).toMatchObject(refused);
  expect(await callAuth(app, 'DELETE', `/sessions/${own?.id}`, { bearer })).toMatchObject(refused);
  expect(await callAuth(app, 'POST', '/logout?scope=others', { bearer })).toMatchObject(refused);
  const renamed = await thief.client.auth.updateUser({ data: { full_name: 'Somebody else' } });
  expect(renamed.error).toMatchObject({ status: 401, code: 'insufficient_aal' });
  expect((await thief.client.auth.signOut()).error).toBeNull();
  expect(await callAuth(app, 'GET', '/user', { bearer })).toMatchObject({ status: 403 });
  expect((await list(high)).map(({ id }) => id)).toEqual([own?.id]);
  const later = await signInAgain(app, owner);
  const ownEnd = (await callAuth(app, 'DELETE', `/sessions/${own?.id}`, { bearer: high })).status;
  expect([
    ownEnd,
    (await callAuth(app, 'GET', '/user', { bearer: later.session.access_token })).status,
  ]).toEqual([200, 200]);
});

test('with hours set, the access token ends with its session', async () => {
  const limited = await startTestApp({ settings: { AUTH_SESSION_HOURS: '2' } });
  const { session } = await signUpPerson(limited);
  const { database } = limited.resources;
  const row = await database.one(
    'select extract(epoch from not_after - created_at)::int / 3600 as hours from auth.sessions',
  );
  expect(row.hours).toBe(2);
  await database.run("update auth.sessions set not_after = now() - interval '1 second'");
  const late = await callAuth(limited, 'GET', '/user', { bearer: session.access_token });
  expect(late).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
  await limited.close();
});

test('with a single session, a sign-in ends the earlier ones', async () => {
  const single = await startTestApp({ beside: app, settings: { AUTH_SINGLE_SESSION: 'true' } });
  const person = await signUpPerson(app);
  const next = newClient(single);
  const { error } = await next.auth.signInWithPassword({ email: person.email, password: PASSWORD });
  expect(error).toBeNull();
  const ended = await callAuth(app, 'GET', '/user', { bearer: person.session.access_token });
  expect(ended).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
  expect((await next.auth.getUser()).error).toBeNull();
  await single.close();
});
