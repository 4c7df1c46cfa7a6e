import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fragmentOf, newWalker } from '../../../../tests/support/auth/redirect-walk.ts';
import { newClient, newEmail } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let server: http.Server;
/**
 * The next reply of the stand-in's `/user/emails`; `undefined` refuses, as GitHub does without the scope for
 * it.
 */
let emails: { email: string; primary: boolean; verified: boolean }[] | undefined = [];
const challenges = new Map<string, string>();

/** Answers as GitHub does in its OAuth app flow and for the two calls of its API. */
async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://github.local');
  const json = (status: number, body: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body));
  if (url.pathname === '/login/oauth/authorize') {
    const code = `code-${challenges.size}`;
    challenges.set(code, url.searchParams.get('code_challenge') ?? '');
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.search = String(new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }));
    response.writeHead(302, { location: back.href }).end();
  } else if (url.pathname === '/login/oauth/access_token') {
    const form = new URLSearchParams(await text(request));
    const code = form.get('code') ?? '';
    const derived = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits = challenges.get(code) === derived && form.get('client_secret') === 'hub-secret';
    challenges.delete(code);
    // GitHub sends errors with status 200.
    json(
      200,
      fits
        ? { access_token: 'gho_test', scope: 'user:email', token_type: 'bearer' }
        : { error: 'bad_verification_code' },
    );
  } else if (request.headers.authorization !== 'Bearer gho_test') json(401, { message: 'Bad credentials' });
  else if (url.pathname === '/api/v3/user')
    json(200, { id: 583231, login: 'octocat', name: 'The Octocat', avatar_url: null, email: null });
  else if (url.pathname === '/api/v3/user/emails' && emails !== undefined) json(200, emails);
  else json(404, { message: 'Not Found' });
}

beforeAll(async () => {
  server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await startTestApp({
    settings: {
      AUTH_GITHUB_CLIENT_ID: 'hub-client',
      AUTH_GITHUB_SECRET: 'hub-secret',
      AUTH_GITHUB_URL: `http://${host}`,
      OUTBOUND_ALLOW_HOSTS: host,
    },
  });
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  server.close();
});

async function signIn(): Promise<Record<string, string>> {
  const { data } = await newClient(app).auth.signInWithOAuth({
    provider: 'github',
    options: { skipBrowserRedirect: true },
  });
  return fragmentOf(await newWalker().walk(data.url ?? '', `${app.url}/#`));
}

test('GitHub signs in by its API: the verified primary address is used', async () => {
  const email = newEmail();
  emails = [
    { email: newEmail(), primary: false, verified: true },
    { email, primary: true, verified: true },
  ];
  const fields = await signIn();
  expect(fields.provider_token).toBe('gho_test');
  const { data } = await newClient(app).auth.getUser(fields.access_token);
  expect(data.user).toMatchObject({
    email,
    app_metadata: { provider: 'github', providers: ['github'] },
    user_metadata: { user_name: 'octocat', full_name: 'The Octocat' },
    identities: [{ id: '583231', provider: 'github' }],
  });
});

test('without a primary address the first verified one is used, and without any the account has none', async () => {
  const email = newEmail();
  const kept = [
    { email: newEmail(), primary: false, verified: false },
    { email, primary: false, verified: true },
  ];
  await app.resources.database.run(
    "delete from auth.users where id in (select user_id from auth.identities where provider = 'github')",
  );
  for (const [said, expected] of [
    [kept, email],
    [[], ''],
  ] as const) {
    emails = [...said];
    const { data } = await newClient(app).auth.getUser((await signIn()).access_token);
    expect(data.user?.email).toBe(expected);
    await app.resources.database.run('delete from auth.users where id = $1', [data.user?.id]);
  }
});

test.each([
  ['refuses to tell', undefined],
  [
    'tells without end',
    Array.from({ length: 9000 }, () => ({ email: 'x'.repeat(60), primary: false, verified: false })),
  ],
])('addresses that GitHub %s sign nobody in', async (_name, said) => {
  emails = said;
  expect((await signIn()).error_code).toBe('bad_oauth_callback');
});

test('a code that GitHub does not know leads back with an error', async () => {
  const { data } = await newClient(app).auth.signInWithOAuth({
    provider: 'github',
    options: { skipBrowserRedirect: true },
  });
  const walker = newWalker();
  const back = await walker.walk(data.url ?? '', `${app.url}/auth/v1/callback`);
  back.searchParams.set('code', 'guessed');
  expect(fragmentOf(await walker.walk(back.href, `${app.url}/#`)).error_code).toBe('bad_oauth_callback');
});
