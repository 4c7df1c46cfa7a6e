import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolledPerson, signInAgain } from '../../../../tests/support/auth/authenticator.ts';
import { readMail } from '../../../../tests/support/auth/mail-read.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { callAuth, newClient, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const call = (bearer: string | undefined, method: string, path = '', body?: object) =>
  callAuth(app, method, `/factors/recovery-codes${path}`, {
    ...(bearer === undefined ? {} : { bearer }),
    ...(body === undefined ? {} : { body }),
  });

/** A person with an authenticator and recovery codes; `token` is at aal2. */
async function withCodes() {
  const person = await enrolledPerson(app);
  const { data } = await person.client.auth.getSession();
  const token = data.session?.access_token ?? '';
  const made = await call(token, 'POST', '', { friendly_name: 'Backup codes' });
  return { ...person, token, made: made.body as unknown as { id: string; codes: string[] } };
}

test('ten codes are shown once, and only counted afterwards', async () => {
  claims('These codes are shown only now.');
  const { token, made, email } = await withCodes();
  expect(made).toMatchObject({ type: 'recovery_code', friendly_name: 'Backup codes', total: 10 });
  expect(new Set(made.codes).size).toBe(10);
  for (const code of made.codes) expect(code).toMatch(/^[2-9a-z]{16}$/);
  expect((await call(token, 'GET')).body).toEqual({
    id: made.id,
    type: 'recovery_code',
    total: 10,
    remaining: 10,
  });
  const stored = await app.resources.database.many(
    'select c::text as row from auth.mfa_recovery_codes c where factor_id = $1',
    [made.id],
  );
  expect(stored).toHaveLength(10);
  for (const code of made.codes) expect(JSON.stringify(stored)).not.toContain(code);
  expect(await call(token, 'POST')).toMatchObject({
    status: 422,
    body: { code: 'mfa_verified_factor_exists' },
  });
  await readMail(app.url, email, /New recovery codes/);
});

test('a code raises a session once, however it is typed, and the owner is informed', async () => {
  claims('Each code signs you in once when your phone is lost.', 'Recovery codes of … Each works once.');
  const person = await withCodes();
  const [code = ''] = person.made.codes;
  const typed = (code.match(/.{4}/g) ?? []).join('-').toUpperCase();
  const device = await signInAgain(app, person);
  const used = await call(device.session.access_token, 'POST', '/verify', { code: ` ${typed} ` });
  expect(used.status).toBe(200);
  const payload = decodeJwt(String(used.body.access_token));
  expect(payload).toMatchObject({
    aal: 'aal2',
    amr: [{ method: 'mfa/recovery_code' }, { method: 'password' }],
  });
  const next = await signInAgain(app, person);
  expect(await call(next.session.access_token, 'POST', '/verify', { code })).toMatchObject({
    status: 422,
    body: { code: 'mfa_verification_failed' },
  });
  expect((await call(next.session.access_token, 'GET')).body).toMatchObject({ total: 10, remaining: 9 });
  expect((await readMail(app.url, person.email, /recovery code .* was used/)).text).toContain(
    'Recovery codes left: 9',
  );
});

test('one code works once, also in parallel', async () => {
  const person = await withCodes();
  const devices = await Promise.all([1, 2, 3].map(() => signInAgain(app, person)));
  const replies = await Promise.all(
    devices.map(({ session }) =>
      call(session.access_token, 'POST', '/verify', { code: person.made.codes[0] ?? '' }),
    ),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('after five wrong codes the set is locked, also for a right one', async () => {
  const person = await withCodes();
  const { session } = await signInAgain(app, person);
  for (let guess = 0; guess < 5; guess += 1) {
    await call(session.access_token, 'POST', '/verify', { code: `wrong ${guess}` });
  }
  const right = await call(session.access_token, 'POST', '/verify', { code: person.made.codes[0] ?? '' });
  expect(right).toMatchObject({ status: 429, body: { code: 'mfa_recovery_codes_locked' } });
  expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('new codes replace all earlier ones; creating, replacing and removing them needs the second level', async () => {
  claims('New ones replace all of them.');
  const person = await withCodes();
  const { session } = await signInAgain(app, person);
  for (const [method, path] of [
    ['POST', '/regenerate'],
    ['DELETE', ''],
    ['POST', ''],
  ] as const) {
    expect(await call(session.access_token, method, path), `${method} ${path}`).toMatchObject({
      status: 403,
      body: { code: 'insufficient_aal' },
    });
  }
  const fresh = await call(person.token, 'POST', '/regenerate');
  expect(fresh.body).toMatchObject({ id: person.made.id, total: 10, codes: expect.any(Array) });
  const old = await call(session.access_token, 'POST', '/verify', { code: person.made.codes[1] ?? '' });
  expect(old.body.code).toBe('mfa_verification_failed');
  expect((await call(person.token, 'DELETE')).body).toEqual({ id: person.made.id });
  expect(await call(person.token, 'GET')).toMatchObject({
    status: 404,
    body: { code: 'mfa_factor_not_found' },
  });
});

test('recovery codes are never the only factor, and no path for other factors reaches them', async () => {
  claims('This account has no authenticator.');
  const { session } = await signUpPerson(app);
  expect(await call(session.access_token, 'POST')).toMatchObject({
    status: 422,
    body: { code: 'mfa_recovery_codes_sole_factor' },
  });
  const person = await withCodes();
  const direct = await callAuth(app, 'POST', `/factors/${person.made.id}/challenge`, {
    bearer: person.token,
  });
  expect(direct).toMatchObject({ status: 404, body: { code: 'mfa_factor_not_found' } });
  const device = await signInAgain(app, person);
  const raised = await call(device.session.access_token, 'POST', '/verify', {
    code: person.made.codes[0] ?? '',
  });
  await callAuth(app, 'DELETE', `/factors/${person.factorId}`, { bearer: String(raised.body.access_token) });
  await readMail(app.url, person.email, /second factor was removed/);
  const { data } = await newClient(app).auth.refreshSession({
    refresh_token: String(raised.body.refresh_token),
  });
  expect(decodeJwt(data.session?.access_token ?? '')).toMatchObject({
    aal: 'aal1',
    amr: [{ method: 'password' }],
  });
  expect(data.user?.factors ?? []).toEqual([]);
});

test('a user of another account cannot use them', async () => {
  const person = await withCodes();
  const other = await enrolledPerson(app);
  const { session } = await signInAgain(app, other);
  expect(
    await call(session.access_token, 'POST', '/verify', { code: person.made.codes[0] ?? '' }),
  ).toMatchObject({ status: 404 });
});

test('codes cannot have the name of another factor', async () => {
  const person = await enrolledPerson(app);
  const { data } = await person.client.auth.getSession();
  await app.resources.database.run(
    "update auth.mfa_factors set friendly_name = 'My phone' where user_id = $1",
    [data.session?.user.id],
  );
  const refused = await call(data.session?.access_token, 'POST', '', { friendly_name: 'My phone' });
  expect(refused).toMatchObject({ status: 422, body: { code: 'mfa_factor_name_conflict' } });
});
