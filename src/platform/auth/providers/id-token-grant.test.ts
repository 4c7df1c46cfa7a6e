import { createHash, randomBytes } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CLIENT_ID,
  type LocalOidcProvider,
  startOidcProvider,
} from '../../../../tests/support/auth/oidc-provider-server.ts';
import {
  callAuth,
  newClient,
  newEmail,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let issuer: LocalOidcProvider;
let app: TestApp;
beforeAll(async () => {
  issuer = await startOidcProvider();
  app = await startTestApp({
    settings: {
      AUTH_GOOGLE_CLIENT_ID: `web-client, ${CLIENT_ID}`,
      AUTH_GOOGLE_ISSUER: issuer.issuer,
      AUTH_MANUAL_LINKING: 'true',
      OUTBOUND_ALLOW_HOSTS: issuer.host,
    },
  });
  issuer.open(`${app.url}/auth/v1/callback`);
});
afterAll(async () => {
  await app.close();
  await issuer.close();
});

const sha256 = (text: string, encoding: 'hex' | 'base64url') =>
  createHash('sha256').update(text).digest(encoding);
const newPerson = () => ({ sub: randomBytes(8).toString('hex'), email: newEmail(), email_verified: true });

test('an ID token for one of our apps is a session, with the nonce hashed in the token', async () => {
  const nonce = randomBytes(16).toString('hex');
  const person = newPerson();
  const token = await issuer.sign({ ...person, nonce: sha256(nonce, 'hex') });
  const { data, error } = await newClient(app).auth.signInWithIdToken({ provider: 'google', token, nonce });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email: person.email, app_metadata: { provider: 'google' } });
  const again = await newClient(app).auth.signInWithIdToken({ provider: 'google', token, nonce });
  expect(again.error?.message).toBe('The nonce was used before');
});

test('a token with at_hash needs the access token that it was made with', async () => {
  const accessToken = 'the access token';
  const digest = createHash('sha256').update(accessToken).digest();
  const token = await issuer.sign({ ...newPerson(), at_hash: digest.subarray(0, 16).toString('base64url') });
  const signIn = (access_token?: string) =>
    newClient(app).auth.signInWithIdToken({
      provider: 'google',
      token,
      ...(access_token === undefined ? {} : { access_token }),
    });
  expect((await signIn()).error?.status).toBe(400);
  expect((await signIn('another')).error?.status).toBe(400);
  expect((await signIn(accessToken)).error).toBeNull();
});

test('attack: a token of another issuer, audience, key, algorithm or time, or with a wrong nonce, is refused', async () => {
  const person = newPerson();
  const { privateKey } = await generateKeyPair('ES256');
  const forged = (alg: 'ES256' | 'HS256', key: Parameters<SignJWT['sign']>[0]) =>
    new SignJWT({ ...person, iss: issuer.issuer, aud: CLIENT_ID })
      .setProtectedHeader({ alg, kid: 'test-key' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key);
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
    JSON.stringify({ ...person, iss: issuer.issuer, aud: CLIENT_ID, iat: 1, exp: 9_999_999_999 }),
  ).toString('base64url')}.`;
  const bad: [name: string, token: string, nonce?: string][] = [
    ['issuer', await issuer.sign({ ...person, iss: 'https://evil.example' })],
    ['audience', await issuer.sign({ ...person, aud: 'another-app' })],
    ['key', await forged('ES256', privateKey)],
    ['algorithm', await forged('HS256', Buffer.from(CLIENT_ID.padEnd(32, '.')))],
    ['no signature', none],
    ['not a token', 'nonsense'],
    ['nonce wrong', await issuer.sign({ ...person, nonce: sha256('right', 'hex') }), 'wrong'],
    ['nonce missing in the call', await issuer.sign({ ...person, nonce: sha256('right', 'hex') })],
    ['nonce missing in the token', await issuer.sign(person), 'given'],
  ];
  for (const [name, id_token, nonce] of bad) {
    const reply = await callAuth(app, 'POST', '/token?grant_type=id_token', {
      body: { provider: 'google', id_token, ...(nonce === undefined ? {} : { nonce }) },
    });
    expect(reply.status, name).toBe(400);
    expect(reply.body, name).toMatchObject({
      error: 'invalid_request',
      error_description: expect.any(String),
    });
  }
  const made = await app.resources.database.many('select 1 from auth.users where email = $1', [person.email]);
  expect(made).toEqual([]);
});

test('attack: one of our own access tokens is not an ID token', async () => {
  const { session } = await signUpPerson(app);
  const { error } = await newClient(app).auth.signInWithIdToken({
    provider: 'google',
    token: session.access_token,
  });
  expect(error?.status).toBe(400);
});

test('a provider that is not configured is provider_disabled', async () => {
  const { error } = await newClient(app).auth.signInWithIdToken({ provider: 'apple', token: 'x' });
  expect([error?.status, error?.code]).toEqual([400, 'provider_disabled']);
});

test('a signed-in user links the person of an ID token', async () => {
  const { client, session } = await signUpPerson(app);
  const token = await issuer.sign(newPerson());
  const { data, error } = await client.auth.linkIdentity({ provider: 'google', token });
  expect(error).toBeNull();
  expect(data?.user?.id).toBe(session.user.id);
  expect(data?.user?.app_metadata.providers).toEqual(['email', 'google']);
});

test('with a second factor an identity is linked only by who has used it', async () => {
  const { client, session } = await signUpPerson(app);
  await app.resources.database.run(
    "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified')",
    [session.user.id],
  );
  const token = await issuer.sign(newPerson());
  const { error } = await client.auth.linkIdentity({ provider: 'google', token });
  expect(error).toMatchObject({ status: 403, code: 'insufficient_aal' });
});
