import { createHash, randomBytes } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  CLIENT_ID,
  type LocalOidcProvider,
  startOidcProvider,
} from '../../../../tests/support/auth/oidc-provider-server.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import type { ExternalAccount } from './external-account.server.ts';
import { lockIdentity } from './identity-store.server.ts';

let issuer: LocalOidcProvider;
let app: TestApp;
const settings = () => ({
  AUTH_GOOGLE_CLIENT_ID: `web-client, ${CLIENT_ID}`,
  AUTH_GOOGLE_ISSUER: issuer.issuer,
  AUTH_MANUAL_LINKING: 'true',
  OUTBOUND_ALLOW_HOSTS: issuer.host,
  AUTH_ANONYMOUS: 'true',
  TRUST_PROXY: '127.0.0.1',
});
beforeAll(async () => {
  issuer = await startOidcProvider();
  app = await startTestApp({
    settings: settings(),
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

test('an ID token for one of our apps gives a session, with the nonce hashed in the token', async () => {
  const nonce = randomBytes(16).toString('hex');
  const person = newPerson();
  const token = await issuer.sign({ ...person, nonce: sha256(nonce, 'hex') });
  const { data, error } = await newClient(app).auth.signInWithIdToken({ provider: 'google', token, nonce });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email: person.email, app_metadata: { provider: 'google' } });
  const again = await newClient(app).auth.signInWithIdToken({ provider: 'google', token, nonce });
  expect(again.error?.message).toBe('The nonce was used before');
});

test('a person who comes by a provider gets a new account’s credits, also without an address, and once', async () => {
  const giving = await startTestApp({
    beside: app,
    settings: { ...settings(), FREE_CREDITS: '2', AUTH_AUTOCONFIRM: 'false' },
  });
  const from = { 'x-forwarded-for': `2001:db8:${randomBytes(2).toString('hex')}::1` };
  const comeAs = async (person: object, bearer?: string): Promise<number | undefined> => {
    const { status, body } = await callAuth(giving, 'POST', '/token?grant_type=id_token', {
      body: {
        provider: 'google',
        id_token: await issuer.sign({ ...person }),
        link_identity: bearer !== undefined,
      },
      headers: from,
      ...(bearer === undefined ? {} : { bearer }),
    });
    expect(status).toBe(200);
    const { user } = body as unknown as { user: { id: string } };
    const row = await app.resources.database.maybe(
      'select credits from public.customers where user_id = $1',
      [user.id],
    );
    return row?.credits;
  };
  const person = newPerson();
  expect(await comeAs(person)).toBe(2);
  expect(await comeAs(person)).toBe(2);
  const { data } = await newClient(app).auth.signInAnonymously();
  expect(await comeAs(newPerson(), data.session?.access_token)).toBe(2);
  // Nobody had proven this address, so the account goes to the person who has.
  const unproven = newPerson();
  await app.resources.database.run('insert into auth.users (email) values ($1)', [unproven.email]);
  expect(await comeAs(unproven)).toBe(2);
  await giving.close();
});

test('a token with at_hash needs the access token that it was issued with', async () => {
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

test('with a second factor an identity is linked only after using it', async () => {
  const { client, session } = await signUpPerson(app);
  await app.resources.database.run(
    "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified')",
    [session.user.id],
  );
  const token = await issuer.sign(newPerson());
  const { error } = await client.auth.linkIdentity({ provider: 'google', token });
  expect(error).toMatchObject({ status: 403, code: 'insufficient_aal' });
});

const grant = (token: string) => newClient(app).auth.signInWithIdToken({ provider: 'google', token });

test.each([
  ['banned', "banned_until = now() + interval '1 hour'"],
  ['softly deleted', 'deleted_at = now()'],
])('an identity whose account is %s signs nobody in', async (_name, change) => {
  const person = newPerson();
  const { data } = await grant(await issuer.sign(person));
  await app.resources.database.run(
    uncheckedSql(`update auth.users set ${change} where id = $1`, 'composed'),
    [data.user?.id],
  );
  const { error } = await grant(await issuer.sign(person));
  expect(error).toMatchObject({ status: 403, code: 'user_banned' });
});

test('attack: a verified address neither opens nor joins the account that has it and is banned for good', async () => {
  const { email, session } = await signUpPerson(app);
  await app.resources.database.run("update auth.users set banned_until = 'infinity' where id = $1", [
    session.user.id,
  ]);
  const { error } = await grant(await issuer.sign({ ...newPerson(), email }));
  expect(error).toMatchObject({ status: 403, code: 'user_banned' });
  const seen = await callAuth(app, 'GET', `/admin/users/${session.user.id}`, { bearer: app.serviceKey });
  expect(seen.body).toMatchObject({ banned_until: 'infinity' });
  const identities = await app.resources.database.many(
    'select provider from auth.identities where user_id = $1',
    [session.user.id],
  );
  expect(identities).toEqual([{ provider: 'email' }]);
});

test('where sign-up is closed a provider creates no accounts, and existing ones sign in', async () => {
  const closed = await startTestApp({
    beside: app,
    settings: {
      AUTH_GOOGLE_CLIENT_ID: CLIENT_ID,
      AUTH_GOOGLE_ISSUER: issuer.issuer,
      AUTH_SIGNUP: 'false',
      OUTBOUND_ALLOW_HOSTS: issuer.host,
    },
  });
  onTestFinished(() => closed.close());
  const [known, stranger] = [newPerson(), newPerson()];
  await grant(await issuer.sign(known));
  const signIn = async (person: typeof known) =>
    newClient(closed).auth.signInWithIdToken({ provider: 'google', token: await issuer.sign(person) });
  expect((await signIn(stranger)).error).toMatchObject({ status: 422, code: 'signup_disabled' });
  expect((await signIn(known)).data.user?.email).toBe(known.email);
});

test('an account without an address gets the verified one of its new identity, unless it is taken', async () => {
  const taken = await signUpPerson(app);
  const fresh = newPerson();
  const cases = [
    { person: { ...newPerson(), email: taken.email }, email: '' },
    { person: { ...newPerson(), email_verified: false }, email: '' },
    { person: fresh, email: fresh.email },
  ];
  for (const [index, { person, email }] of cases.entries()) {
    const phone = `+44770090015${index}`;
    const client = newClient(app);
    expect((await client.auth.signUp({ phone, password: PASSWORD })).error).toBeNull();
    const token = await issuer.sign(person);
    const { data, error } = await client.auth.linkIdentity({ provider: 'google', token });
    expect(error).toBeNull();
    expect(data?.user).toMatchObject({ email, app_metadata: { providers: ['phone', 'google'] } });
    const again = await client.auth.linkIdentity({ provider: 'google', token });
    expect(again.error).toMatchObject({ status: 422, code: 'identity_already_exists' });
  }
});

test('an account that a company manages gets no other identity', async () => {
  const { client, session } = await signUpPerson(app);
  await app.resources.database.run('update auth.users set is_sso_user = true where id = $1', [
    session.user.id,
  ]);
  const token = await issuer.sign(newPerson());
  const { error } = await client.auth.linkIdentity({ provider: 'google', token });
  expect(error).toMatchObject({ status: 422, code: 'user_sso_managed' });
});

test('an account that is deleted while its new identity waits gets no identity', async () => {
  const { client, session } = await signUpPerson(app);
  const person = newPerson();
  const token = await issuer.sign(person);
  const { database } = app.resources;
  const linked = await database.transaction(async (queries) => {
    await lockIdentity(queries, { provider: 'google', providerId: person.sub } as ExternalAccount);
    const link = client.auth.linkIdentity({ provider: 'google', token });
    await expect
      .poll(() =>
        database.maybe(
          `select 1 from pg_locks where locktype = 'advisory' and not granted
             and ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`,
          [`auth identity google ${person.sub}`],
        ),
      )
      .toBeDefined();
    await database.run('delete from auth.users where id = $1', [session.user.id]);
    return { link };
  });
  expect((await linked.link).error).toMatchObject({ status: 404, code: 'user_not_found' });
  const identities = await database.many('select 1 from auth.identities where provider_id = $1', [
    person.sub,
  ]);
  expect(identities).toEqual([]);
});

test('a call without a token, or without a provider, says what it needs', async () => {
  for (const [body, error_description] of [
    [{ provider: 'google' }, 'id_token required'],
    [{ id_token: 'x' }, 'provider or client_id and issuer required'],
  ] as const) {
    const reply = await callAuth(app, 'POST', '/token?grant_type=id_token', { body });
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_request', error_description } });
  }
});
