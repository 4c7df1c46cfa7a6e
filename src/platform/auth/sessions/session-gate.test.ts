import { afterAll, beforeAll, expect, test } from 'vitest';
import { signUpPerson } from '../../../tests/support/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/start-test-app.ts';
import { createIdentify } from '../../http/identify.ts';
import { createSessionGate, type EndedSession } from './session-gate.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Longest time after which an ended session must be refused, ms (security.md, attack 15). */
const LATEST_MS = 5000;

async function openDoor() {
  const gate = await createSessionGate(app.resources);
  const identify = createIdentify(app.resources, gate.allows);
  const isIn = (token: string) =>
    identify({ authorization: `Bearer ${token}`, apikey: app.anonKey }).then(
      () => true,
      (error: { status: number; code: string }) => {
        expect(error).toMatchObject({ status: 401, code: 'bad_jwt' });
        return false;
      },
    );
  return { gate, isIn };
}

async function untilOut(isIn: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LATEST_MS;
  while (await isIn()) {
    if (Date.now() > deadline) throw new Error('the token is still accepted');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
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
])('%s in any process makes the access token refused, and listeners hear of it', async (_name, end) => {
  const { gate, isIn } = await openDoor();
  const { session } = await signUpPerson(app);
  const heard = new Promise<EndedSession>((resolve) => gate.onEnded(resolve));
  expect(await isIn(session.access_token)).toBe(true);
  await end(session.user.id);
  await untilOut(() => isIn(session.access_token));
  expect((await heard).userId).toBe(session.user.id);
});

test('without a notification the memory is trusted for less than five seconds', async () => {
  const { isIn } = await openDoor();
  const { session } = await signUpPerson(app);
  expect(await isIn(session.access_token)).toBe(true);
  await app.resources.database
    .transaction(async (queries) => {
      await queries.run('set local session_replication_role = replica');
      await queries.run('delete from auth.sessions where user_id = $1', [session.user.id]);
    })
    .catch(async () => {
      // An owner that is no superuser may not silence triggers: the notification then does the work.
      await app.resources.database.run('delete from auth.sessions where user_id = $1', [session.user.id]);
    });
  await untilOut(() => isIn(session.access_token));
});

test('a listener that stops hears no more, one that fails disturbs nobody', async () => {
  const { gate } = await openDoor();
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
