import { afterAll, beforeAll, expect, test } from 'vitest';
import { signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { createAuthenticator } from '../../../kernel/http/authenticate.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { createSessionGate, type EndedSession } from './session-gate.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Longest time after which an ended session must be refused, ms (docs/security-attacks.md, attack 15). */
const LATEST_MS = 5000;

const noApiKeys = () => Promise.reject(new Error('nobody uses an API key here'));

/** A gate whose clock stands still until `pass` moves it. */
async function openGate() {
  let now = Date.now();
  const gate = await createSessionGate(app.resources, () => now);
  const pass = (ms: number) => {
    now += ms;
  };
  const authenticate = createAuthenticator(app.resources, gate.allows, noApiKeys);
  const isIn = (token: string) =>
    authenticate({ authorization: `Bearer ${token}`, apikey: app.anonKey }).then(
      () => true,
      (error: { status: number; code: string }) => {
        expect(error).toMatchObject({ status: 401, code: 'bad_jwt' });
        return false;
      },
    );
  return { gate, isIn, pass };
}

test.each([
  [
    'sign-out',
    async (id: string) => app.resources.database.run('delete from auth.sessions where user_id = $1', [id]),
  ],
  [
    'a ban',
    async (id: string) =>
      app.resources.database.run(
        "update auth.users set banned_until = now() + interval '1 day' where id = $1",
        [id],
      ),
  ],
  [
    'a soft deletion',
    async (id: string) =>
      app.resources.database.run('update auth.users set deleted_at = now() where id = $1', [id]),
  ],
  [
    'a deletion',
    async (id: string) => app.resources.database.run('delete from auth.users where id = $1', [id]),
  ],
])('%s in any process makes the access token invalid, and listeners are notified', async (_name, end) => {
  const { gate, isIn } = await openGate();
  const { session } = await signUpPerson(app);
  const heard = new Promise<EndedSession>((resolve) => gate.onEnded(resolve));
  expect(await isIn(session.access_token)).toBe(true);
  await end(session.user.id);
  // The gate's clock stands still, so the notification alone ends its trust.
  await expect.poll(() => isIn(session.access_token)).toBe(false);
  expect((await heard).userId).toBe(session.user.id);
});

test('without a notification the memory is trusted for less than five seconds', async () => {
  const { isIn, pass } = await openGate();
  const { session } = await signUpPerson(app);
  expect(await isIn(session.access_token)).toBe(true);
  await app.resources.database
    .transaction(async (queries) => {
      await queries.run(uncheckedSql('set local session_replication_role = replica', 'command'));
      await queries.run('delete from auth.sessions where user_id = $1', [session.user.id]);
    })
    .catch(async () => {
      // An owner without superuser rights cannot switch triggers off; in that case the notification does the
      // work.
      await app.resources.database.run('delete from auth.sessions where user_id = $1', [session.user.id]);
    });
  pass(LATEST_MS - 1);
  expect(await isIn(session.access_token)).toBe(false);
});

test('a removed listener is not called any more, and a failing one disturbs no other', async () => {
  const { gate } = await openGate();
  const calls: string[] = [];
  gate.onEnded(() => {
    throw new Error('a fault of the listener');
  });
  const stop = gate.onEnded(({ sessionId }) => calls.push(sessionId));
  stop();
  const heard = new Promise<EndedSession>((resolve) => gate.onEnded(resolve));
  const { session } = await signUpPerson(app);
  await app.resources.database.run('delete from auth.users where id = $1', [session.user.id]);
  await heard;
  expect(calls).toEqual([]);
});

test('claims whose user or session is not a UUID are refused without asking the database', async () => {
  const { gate } = await openGate();
  const { session } = await signUpPerson(app);
  const { id } = session.user;
  expect(await gate.allows({ sub: id })).toBe(true);
  expect(await gate.allows({ sub: "' or 1=1 --" })).toBe(false);
  expect(await gate.allows({ role: 'authenticated' })).toBe(false);
  expect(await gate.allows({ sub: id, session_id: 'none' })).toBe(false);
  expect(await gate.allows({ sub: id, session_id: null })).toBe(false);
});

test('the memory of sessions is bounded: the oldest is read again', async () => {
  const { database, log } = app.resources;
  let asked = 0;
  const counting = {
    ...database,
    maybe: ((...statement: Parameters<typeof database.maybe>) => {
      asked += 1;
      return database.maybe(...statement);
    }) as typeof database.maybe,
  };
  const gate = await createSessionGate({ database: counting, log }, () => 0, 2);
  const people = [await signUpPerson(app), await signUpPerson(app), await signUpPerson(app)];
  const questionsFor = async (index: number) => {
    const before = asked;
    expect(await gate.allows({ sub: people[index]?.session.user.id ?? '' })).toBe(true);
    return asked - before;
  };
  expect([await questionsFor(0), await questionsFor(1), await questionsFor(0)]).toEqual([1, 1, 0]);
  expect([await questionsFor(2), await questionsFor(1), await questionsFor(0)]).toEqual([1, 0, 1]);
});
