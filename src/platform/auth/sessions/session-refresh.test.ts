import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newClient, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ask } from '../../../../tests/support/test-database.ts';
import { createRefreshTokens } from './refresh-token-format.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const refresh = (token: string) =>
  callAuth(app, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } });
const tokenOf = (reply: { body: object }) => (reply.body as { refresh_token: string }).refresh_token;
const accessOf = (reply: { body: object }) => (reply.body as { access_token: string }).access_token;

/** Makes the reuse window of every session expire. */
const letTimePass = () =>
  app.resources.database.run("update auth.sessions set refreshed_at = refreshed_at - interval '11 seconds'");

test('the client refreshes and continues with the successor', async () => {
  const { client, session } = await signUpPerson(app);
  const first = await client.auth.refreshSession();
  expect(first.error).toBeNull();
  expect(first.data.session?.refresh_token).not.toBe(session.refresh_token);
  const second = await client.auth.refreshSession();
  expect(second.data.session?.refresh_token).not.toBe(first.data.session?.refresh_token);
  expect((await client.auth.getUser()).data.user?.id).toBe(session.user.id);
});

test('twenty refreshes at once with one token all get the same successor', async () => {
  const { session } = await signUpPerson(app);
  const replies = await Promise.all(Array.from({ length: 20 }, () => refresh(session.refresh_token)));
  expect(replies.map((reply) => reply.status)).toEqual(Array(20).fill(200));
  expect(new Set(replies.map(tokenOf)).size).toBe(1);
  expect((await refresh(tokenOf(replies[0] ?? { body: {} }))).status).toBe(200);
  const { count } = await app.resources.database.one(
    "select count(*) from auth.audit_log_entries where action = 'token_refreshed' and actor_id = $1",
    [session.user.id],
  );
  expect(count).toBe('2');
});

test('two processes on one database agree on the successor', async () => {
  const other = await startTestApp({ beside: app });
  const { session } = await signUpPerson(app);
  const replies = await Promise.all(
    [app, other, app, other, app, other].map((process) =>
      callAuth(process, 'POST', '/token?grant_type=refresh_token', {
        body: { refresh_token: session.refresh_token },
      }),
    ),
  );
  await other.close();
  expect(new Set(replies.map(tokenOf)).size).toBe(1);
});

test('a client that never saw the successor may come back after the window', async () => {
  const { session } = await signUpPerson(app);
  const lost = await refresh(session.refresh_token);
  await letTimePass();
  const again = await refresh(session.refresh_token);
  expect(again.status).toBe(200);
  expect(tokenOf(again)).toBe(tokenOf(lost));
});

test('a replay after the successor was used ends the session for everybody and is logged', async () => {
  const { session } = await signUpPerson(app);
  const next = await refresh(session.refresh_token);
  expect((await callAuth(app, 'GET', '/user', { bearer: accessOf(next) })).status).toBe(200);
  await letTimePass();
  const replay = await refresh(session.refresh_token);
  expect(replay).toMatchObject({
    status: 400,
    body: { code: 'refresh_token_already_used', message: 'Invalid Refresh Token: Already Used' },
  });
  expect(await refresh(tokenOf(next))).toMatchObject({ status: 400, body: { code: 'session_not_found' } });
  const user = await callAuth(app, 'GET', '/user', { bearer: accessOf(next) });
  expect(user).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
  const entry = await app.resources.database.maybe(
    "select payload from auth.audit_log_entries where action = 'token_revoked' and actor_id = $1",
    [session.user.id],
  );
  expect(entry?.payload.cause).toBe('refresh token replayed');
});

test('a token two steps behind is a replay after the window', async () => {
  const { session } = await signUpPerson(app);
  const second = await refresh(session.refresh_token);
  const third = await refresh(tokenOf(second));
  expect((await refresh(session.refresh_token)).status).toBe(200);
  await letTimePass();
  expect((await refresh(session.refresh_token)).body).toMatchObject({ code: 'refresh_token_already_used' });
  expect((await refresh(tokenOf(third))).body).toMatchObject({ code: 'session_not_found' });
});

test('an old token is a replay even within the window of a later refresh', async () => {
  const { session } = await signUpPerson(app);
  const second = await refresh(session.refresh_token);
  await letTimePass();
  await refresh(tokenOf(second));
  expect((await refresh(session.refresh_token)).body).toMatchObject({ code: 'refresh_token_already_used' });
});

test('a token with any changed byte is unknown, without asking the database', async () => {
  const { session } = await signUpPerson(app);
  const bytes = Buffer.from(session.refresh_token, 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    const reply = await refresh(changed.toString('base64url'));
    expect(reply).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } });
  }
  expect((await refresh('')).body).toMatchObject({ code: 'refresh_token_not_found' });
  expect((await refresh(session.refresh_token)).status).toBe(200);
});

test('a session that another refresh holds for too long is a 409', async () => {
  const { session } = await signUpPerson(app);
  const reply = await app.resources.database.transaction(async (queries) => {
    await queries.run('select 1 from auth.sessions where user_id = $1 for update', [session.user.id]);
    return refresh(session.refresh_token);
  });
  expect(reply).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect((await refresh(session.refresh_token)).status).toBe(200);
});

test('a banned user is not refreshed, a session past its end neither', async () => {
  const banned = await signUpPerson(app);
  await app.resources.database.run(
    "update auth.users set banned_until = now() + interval '1 hour' where id = $1",
    [banned.session.user.id],
  );
  expect((await refresh(banned.session.refresh_token)).status).toBe(400);
  const expired = await signUpPerson(app);
  await app.resources.database.run('update auth.sessions set not_after = now() where user_id = $1', [
    expired.session.user.id,
  ]);
  expect((await refresh(expired.session.refresh_token)).body).toMatchObject({ code: 'session_expired' });
});

test('a session that a sign-in gave to an account while it was being banned is not refreshed', async () => {
  const [banned, late] = [await signUpPerson(app), await signUpPerson(app)];
  const { database } = app.resources;
  await database.run("update auth.users set banned_until = now() + interval '1 hour' where id = $1", [
    banned.session.user.id,
  ]);
  await database.run('update auth.sessions set user_id = $2 where user_id = $1', [
    late.session.user.id,
    banned.session.user.id,
  ]);
  expect(await refresh(late.session.refresh_token)).toMatchObject({
    status: 400,
    body: { code: 'user_banned' },
  });
});

test('a token of ours that is ahead of its session, as after a restored backup, ends the session', async () => {
  const { session } = await signUpPerson(app);
  const tokens = createRefreshTokens(app.resources.keys);
  const content = tokens.read(session.refresh_token);
  if (content === undefined) throw new Error('no refresh token of ours');
  const ahead = tokens.create({ ...content, counter: content.counter + 1 });
  expect((await refresh(ahead)).body).toMatchObject({ code: 'refresh_token_already_used' });
  expect((await refresh(session.refresh_token)).body).toMatchObject({ code: 'session_not_found' });
});

test('the unmodified client loses its session only by its own rules', async () => {
  const { client } = await signUpPerson(app);
  const stranger = newClient(app);
  const { error } = await stranger.auth.refreshSession({ refresh_token: 'nonsense' });
  expect(error).toMatchObject({ status: 400, code: 'refresh_token_not_found' });
  expect((await client.auth.getSession()).data.session).not.toBeNull();
});

test('a refresh that the database refuses for another reason is no conflict, and the token stays valid', async () => {
  const { session } = await signUpPerson(app);
  await ask(
    app.databaseUrl,
    `create function public.broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
     create trigger broken before update on auth.sessions for each row
       when (new.user_id = '${session.user.id}') execute function public.broken()`,
  );
  const reply = await refresh(session.refresh_token);
  await ask(app.databaseUrl, 'drop function public.broken cascade');
  expect(reply).toMatchObject({ status: 500, body: { code: 'unexpected_failure' } });
  expect((await refresh(session.refresh_token)).status).toBe(200);
});
