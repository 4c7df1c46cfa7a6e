import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolledPerson, signInAgain } from '../../../../tests/support/auth/authenticator.ts';
import { signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function deleteAccount(token: string, body: object = { confirm: 'delete' }) {
  const reply = await fetch(`${app.url}/functions/v1/delete-account`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const exists = async (id: string): Promise<boolean> =>
  (await app.resources.database.maybe('select 1 from auth.users where id = $1', [id])) !== undefined;

async function idAndToken({ client }: { client: Awaited<ReturnType<typeof signUpPerson>>['client'] }) {
  const { data } = await client.auth.getSession();
  return { id: data.session?.user.id ?? '', token: data.session?.access_token ?? '' };
}

test('a user who has just signed in deletes the account, and no session of it is left', async () => {
  const { id, token } = await idAndToken(await signUpPerson(app));
  const { database } = app.resources;
  expect(await deleteAccount(token)).toEqual({ status: 200, body: { deleted: true } });
  expect(await exists(id)).toBe(false);
  expect(await database.many('select 1 from auth.sessions where user_id = $1', [id])).toEqual([]);
  expect((await deleteAccount(token)).status).toBeGreaterThanOrEqual(401);
});

test('without the word nothing is deleted', async () => {
  const { id, token } = await idAndToken(await signUpPerson(app));
  expect((await deleteAccount(token, {})).status).toBe(400);
  expect(await exists(id)).toBe(true);
});

test('a session that was left open is no proof', async () => {
  const { id, token } = await idAndToken(await signUpPerson(app));
  await app.resources.database.run(
    `update auth.sessions set amr = jsonb_set(amr, '{0,timestamp}', to_jsonb(extract(epoch from now())::bigint - 601))
     where user_id = $1`,
    [id],
  );
  expect(await deleteAccount(token)).toMatchObject({
    status: 403,
    body: { code: 'reauthentication_needed' },
  });
  expect(await exists(id)).toBe(true);
});

test('where a second factor is set up, it has to be given first', async () => {
  const person = await enrolledPerson(app);
  const { session } = await signInAgain(app, person);
  expect(await deleteAccount(session.access_token)).toMatchObject({
    status: 403,
    body: { code: 'insufficient_aal' },
  });
  const { id, token } = await idAndToken(person);
  expect((await deleteAccount(token)).status).toBe(200);
  expect(await exists(id)).toBe(false);
});
