import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, enrolledPerson, signInAgain } from '../../../../tests/support/auth/authenticator.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  callAuth,
  newClient,
  PASSWORD,
  type Person,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { overtake } from '../../../../tests/support/held-lock.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { totpCode, totpStep } from './totp.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { RATE_LIMITS: 'false' } });
});
afterAll(() => app.close());

const enrolled = () => enrolledPerson(app);
const again = (person: Person) => signInAgain(app, person);

test('the published values of RFC 6238 are reproduced', () => {
  claims('An authenticator app on your phone shows a code that changes every half minute.');
  const secret = Buffer.from('12345678901234567890');
  expect([59, 1111111109, 20000000000].map((seconds) => totpCode(secret, totpStep(seconds * 1000)))).toEqual([
    '287082',
    '081804',
    '353130',
  ]);
});

test('an authenticator is enrolled with a picture, and raises the session', async () => {
  claims('Scan this with your authenticator app, or type the key, then enter the code that the app shows.');
  const { client } = await signUpPerson(app);
  const { data } = await client.auth.mfa.enroll({
    factorType: 'totp',
    friendlyName: 'Phone',
    issuer: 'Ours',
  });
  expect(data).toMatchObject({ type: 'totp', friendly_name: 'Phone' });
  expect(data?.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /);
  expect(data?.totp.uri).toContain(`secret=${data?.totp.secret}&issuer=Ours`);
  const levels = () => client.auth.mfa.getAuthenticatorAssuranceLevel();
  expect((await levels()).data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' });
  const code = codeOf(data?.totp.secret ?? '');
  const { data: session } = await client.auth.mfa.challengeAndVerify({ factorId: data?.id ?? '', code });
  expect(session).toMatchObject({ token_type: 'bearer', user: { factors: [{ status: 'verified' }] } });
  expect((await levels()).data).toMatchObject({
    currentLevel: 'aal2',
    nextLevel: 'aal2',
    currentAuthenticationMethods: [{ method: 'totp' }, { method: 'password' }],
  });
  expect((await client.auth.refreshSession()).error).toBeNull();
  expect((await levels()).data?.currentLevel).toBe('aal2');
  const { data: factors } = await client.auth.mfa.listFactors();
  expect(factors?.totp).toMatchObject([{ id: data?.id, friendly_name: 'Phone', factor_type: 'totp' }]);
  expect(JSON.stringify(factors)).not.toContain('secret');
});

test('a code works once, also in parallel, and no code of an earlier step after it', async () => {
  const person = await enrolled();
  const other = await again(person);
  const { factorId, secret } = person;
  const challenges = await Promise.all([1, 2, 3].map(() => other.client.auth.mfa.challenge({ factorId })));
  const code = codeOf(secret, 1);
  const replies = await Promise.all(
    challenges.map(({ data }) =>
      callAuth(app, 'POST', `/factors/${factorId}/verify`, {
        bearer: other.session.access_token,
        body: { challenge_id: data?.id, code },
      }),
    ),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  const earlier = await person.client.auth.mfa.challengeAndVerify({ factorId, code: codeOf(secret) });
  expect(earlier.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
});

test('after five wrong codes the factor is locked, also for the right one', async () => {
  const person = await enrolled();
  const { client } = await again(person);
  const { factorId } = person;
  for (let guess = 0; guess < 5; guess += 1) {
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code: 'wrong' });
    expect(error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
  }
  const right = await client.auth.mfa.challengeAndVerify({ factorId, code: codeOf(person.secret) });
  expect(right.error).toMatchObject({ status: 429, code: 'over_request_rate_limit' });
});

test('an aal1 refresh token does not lead to aal2', async () => {
  const person = await enrolled();
  const { client, session } = await again(person);
  const { factorId, secret } = person;
  expect((await client.auth.mfa.challengeAndVerify({ factorId, code: codeOf(secret) })).error).toBeNull();
  const { error } = await newClient(app).auth.refreshSession({ refresh_token: session.refresh_token });
  expect(error).toMatchObject({ status: 400, code: 'refresh_token_already_used' });
});

test('password, address and factors of an account with a factor need it, also with an older token of a raised session', async () => {
  const person = await enrolled();
  const { factorId, secret } = person;
  const { client, session } = await again(person);
  const change = { password: 'a longer walk to the quay', current_password: PASSWORD };
  const refused = { status: 401, code: 'insufficient_aal' };
  expect((await client.auth.updateUser(change)).error).toMatchObject(refused);
  expect((await client.auth.updateUser({ email: 'new@customers.example' })).error).toMatchObject(refused);
  expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
    status: 403,
    code: 'insufficient_aal',
  });
  expect((await client.auth.mfa.unenroll({ factorId })).error).toMatchObject({
    status: 422,
    code: 'insufficient_aal',
  });
  expect((await client.auth.mfa.challengeAndVerify({ factorId, code: codeOf(secret) })).error).toBeNull();
  const older = await callAuth(app, 'PUT', '/user', { bearer: session.access_token, body: change });
  expect(older).toMatchObject({ status: 401, body: { code: 'insufficient_aal' } });
  expect((await client.auth.updateUser(change)).error).toBeNull();
});

test('raising a session ends those below; removing the factor takes the level back', async () => {
  const person = await enrolled();
  const below = await again(person);
  const { client } = await again(person);
  const { factorId, secret } = person;
  expect((await client.auth.mfa.challengeAndVerify({ factorId, code: codeOf(secret) })).error).toBeNull();
  const ended = await callAuth(app, 'GET', '/user', { bearer: below.session.access_token });
  expect(ended).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
  expect((await client.auth.mfa.unenroll({ factorId })).data).toEqual({ id: factorId });
  await client.auth.refreshSession();
  const { data } = await client.auth.mfa.getAuthenticatorAssuranceLevel();
  expect(data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' });
});

test('nobody sees or uses another user’s factor; names are unique; other kinds are switched off', async () => {
  const person = await enrolled();
  const other = await signUpPerson(app);
  const { factorId } = person;
  expect((await other.client.auth.mfa.challenge({ factorId })).error).toMatchObject({
    status: 404,
    code: 'mfa_factor_not_found',
  });
  expect((await other.client.auth.mfa.unenroll({ factorId })).error).toMatchObject({ status: 404 });
  const same = await person.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
  expect(same.error).toMatchObject({ status: 422, code: 'mfa_factor_name_conflict' });
  const phone = await other.client.auth.mfa.enroll({ factorType: 'phone', phone: '+15550100' });
  expect(phone.error).toMatchObject({ status: 422, code: 'mfa_phone_enroll_not_enabled' });
});

test('the operator lists and removes factors', async () => {
  const { session, factorId, client } = await enrolled();
  const admin = (method: string, path: string) =>
    callAuth(app, method, `/admin/users/${session.user.id}/factors${path}`, { bearer: app.serviceKey });
  expect((await admin('GET', '')).body).toMatchObject([{ id: factorId, status: 'verified' }]);
  expect(await admin('DELETE', `/${factorId}`)).toMatchObject({ status: 200, body: { id: factorId } });
  expect((await client.auth.mfa.listFactors()).data?.all).toEqual([]);
});

test('a session that ends while its code is being checked is not raised', async () => {
  const person = await enrolled();
  const { session, client } = await again(person);
  const { factorId, secret } = person;
  const { data: challenge } = await client.auth.mfa.challenge({ factorId });
  const reply = await overtake(
    app,
    () =>
      callAuth(app, 'POST', `/factors/${factorId}/verify`, {
        bearer: session.access_token,
        body: { challenge_id: challenge?.id, code: codeOf(secret) },
      }),
    [
      `delete from auth.sessions where id = $1`,
      [JSON.parse(Buffer.from(session.access_token.split('.')[1] ?? '', 'base64url').toString()).session_id],
    ],
  );
  expect(reply).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
});

test('attack: a factor without a secret accepts no code', async () => {
  const { client, session } = await signUpPerson(app);
  const { id: factorId } = await app.resources.database.one(
    "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified') returning id",
    [session.user.id],
  );
  const { data: challenge } = await client.auth.mfa.challenge({ factorId });
  const { error } = await client.auth.mfa.verify({
    factorId,
    challengeId: challenge?.id ?? '',
    code: totpCode(Buffer.alloc(0), totpStep(Date.now())),
  });
  expect(error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
});
