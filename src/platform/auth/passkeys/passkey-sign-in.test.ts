import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Ceremony,
  newAuthenticator,
  type SoftwareAuthenticator,
} from '../../../../tests/support/auth/software-authenticator.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  callAuth,
  newClient,
  type Person,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { passkeysAreOn, relyingParty } from './relying-party.server.ts';

let app: TestApp;
let here: Ceremony;
beforeAll(async () => {
  app = await startTestApp();
  here = { origin: app.url.replace('127.0.0.1', 'localhost') };
});
afterAll(() => app.close());

async function register(
  client: SupabaseClient,
  device: SoftwareAuthenticator = newAuthenticator(),
  ceremony: Ceremony = here,
) {
  const { data, error } = await client.auth.passkey.startRegistration();
  if (error !== null) return { data: null, error };
  return client.auth.passkey.verifyRegistration({
    challengeId: data.challenge_id,
    credential: device.create(data.options, ceremony) as never,
  });
}

async function signIn(device: SoftwareAuthenticator, ceremony: Ceremony = here, client = newClient(app)) {
  const { data, error } = await client.auth.passkey.startAuthentication();
  if (error !== null) throw error;
  return client.auth.passkey.verifyAuthentication({
    challengeId: data.challenge_id,
    credential: device.get(data.options, ceremony) as never,
  });
}

/** A person with a key. */
async function personWithKey(): Promise<Person & { device: SoftwareAuthenticator; id: string }> {
  const person = await signUpPerson(app);
  const device = newAuthenticator();
  const { data, error } = await register(person.client, device);
  expect(error).toBeNull();
  return { ...person, device, id: data?.id ?? '' };
}

test('a key is registered, signs in without a name or a password, and can be used any number of times', async () => {
  claims(
    'Sign in with your fingerprint, face or screen lock.',
    'A passkey stays on your devices: there is nothing to remember, and nothing that could be stolen from us.',
  );
  const { session, device, client } = await personWithKey();
  for (let time = 1; time <= 2; time += 1) {
    const { data, error } = await signIn(device);
    expect(error).toBeNull();
    expect(data?.user?.id).toBe(session.user.id);
  }
  const fresh = newClient(app);
  await signIn(device, here, fresh);
  const own = await fresh.auth.getClaims();
  expect(own.data?.claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'passkey' }] });
  const { data: listed } = await client.auth.passkey.list();
  expect(listed).toMatchObject([{ id: expect.any(String), last_used_at: expect.any(String) }]);
});

test('the options ask for a key that the device finds by itself and for a person who proves their identity', async () => {
  const { client, session, email, device } = await personWithKey();
  const { data } = await client.auth.passkey.startRegistration();
  expect(data?.options).toMatchObject({
    rp: { id: 'localhost', name: 'Northline' },
    user: { name: email },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ id: device.credentialId }],
  });
  expect(Buffer.from(String(data?.options.user.id), 'base64url').toString('hex')).toBe(
    session.user.id.replaceAll('-', ''),
  );
  const asked = await newClient(app).auth.passkey.startAuthentication();
  expect(asked.data?.options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
  expect(asked.data?.options.allowCredentials ?? []).toEqual([]);
  expect(asked.data?.expires_at).toBeGreaterThan(Date.now() / 1000 + 200);
});

test('only their owner renames and removes keys', async () => {
  const { client, device, id } = await personWithKey();
  const other = await signUpPerson(app);
  const renamed = await client.auth.passkey.update({ passkeyId: id, friendlyName: 'Work laptop' });
  expect(renamed.data).toMatchObject({ id, friendly_name: 'Work laptop' });
  const foreign = await other.client.auth.passkey.update({ passkeyId: id, friendlyName: 'Mine' });
  expect([foreign.error?.status, foreign.error?.code]).toEqual([404, 'webauthn_credential_not_found']);
  expect((await other.client.auth.passkey.delete({ passkeyId: id })).error?.status).toBe(404);
  expect((await client.auth.passkey.delete({ passkeyId: id })).error).toBeNull();
  expect((await client.auth.passkey.list()).data).toEqual([]);
  expect((await signIn(device)).error?.code).toBe('webauthn_verification_failed');
});

test('the operator sees and removes a user’s keys', async () => {
  const { session, device, id } = await personWithKey();
  const { auth } = createClient(app.url, app.serviceKey, { auth: { persistSession: false } });
  const listed = await auth.admin.passkey.listPasskeys({ userId: session.user.id });
  expect(listed.data).toMatchObject([{ id }]);
  expect(
    (await auth.admin.passkey.deletePasskey({ userId: session.user.id, passkeyId: id })).error,
  ).toBeNull();
  expect((await signIn(device)).error?.code).toBe('webauthn_verification_failed');
});

test.each<[string, Partial<Ceremony>]>([
  ['made on another origin', { origin: 'https://evil.example' }],
  ['for another relying party', { rpId: 'evil.example' }],
  ['without the person proving it', { unverified: true }],
  ['that names another user', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ['whose counter went back', { counter: 0 }],
])('attack: a signature %s is refused', async (_name, wrong) => {
  const { device } = await personWithKey();
  expect((await signIn(device)).error).toBeNull();
  const { error } = await signIn(device, { ...here, ...wrong });
  expect(error).toMatchObject({ status: 400, code: 'webauthn_verification_failed' });
});

test.each<[string, Partial<Ceremony>]>([
  ['another origin', { origin: 'https://evil.example' }],
  ['another relying party', { rpId: 'evil.example' }],
  ['nobody proving it', { unverified: true }],
])('attack: a registration with %s is refused', async (_name, wrong) => {
  const { client } = await signUpPerson(app);
  const { error } = await register(client, newAuthenticator(), { ...here, ...wrong });
  expect((error as { code?: string } | null)?.code).toBe('webauthn_verification_failed');
});

test('attack: a challenge works once, for its own purpose and person, and for five minutes', async () => {
  const { client, device } = await personWithKey();
  const visitor = newClient(app);
  const { data: asked } = await visitor.auth.passkey.startAuthentication();
  if (asked === null) throw new Error('no challenge');
  const answer = { challengeId: asked.challenge_id, credential: device.get(asked.options, here) as never };
  expect((await visitor.auth.passkey.verifyAuthentication(answer)).error).toBeNull();
  expect((await visitor.auth.passkey.verifyAuthentication(answer)).error?.code).toBe(
    'webauthn_challenge_not_found',
  );

  const { data: registration } = await client.auth.passkey.startRegistration();
  if (registration === null) throw new Error('no challenge');
  const other = await signUpPerson(app);
  const credential = newAuthenticator().create(registration.options, here) as never;
  const stolen = { challengeId: registration.challenge_id, credential };
  expect((await other.client.auth.passkey.verifyRegistration(stolen)).error?.code).toBe(
    'webauthn_challenge_not_found',
  );
  const mixed = {
    challengeId: registration.challenge_id,
    credential: device.get(registration.options, here) as never,
  };
  expect((await visitor.auth.passkey.verifyAuthentication(mixed)).error?.code).toBe(
    'webauthn_challenge_not_found',
  );

  await app.resources.database.run(
    "update auth.webauthn_challenges set expires_at = now() - interval '1 second'",
  );
  expect((await client.auth.passkey.verifyRegistration(stolen)).error?.code).toBe(
    'webauthn_challenge_expired',
  );
});

test('attack: somebody else’s key cannot be registered again, and a key is worth nothing without its signature', async () => {
  const { device } = await personWithKey();
  const thief = await signUpPerson(app);
  expect((await register(thief.client, device)).error).toMatchObject({ code: 'webauthn_credential_exists' });
  const { data } = await newClient(app).auth.passkey.startAuthentication();
  const forger = newAuthenticator();
  forger.create({ challenge: '', user: { id: 'x' } }, here);
  const forged = {
    ...forger.get(data?.options as never, here),
    id: device.credentialId,
    rawId: device.credentialId,
  };
  const reply = await callAuth(app, 'POST', '/passkeys/authentication/verify', {
    body: { challenge_id: data?.challenge_id, credential: forged },
  });
  expect(reply.body.code).toBe('webauthn_verification_failed');
});

test('an account has ten keys at most', async () => {
  const { client } = await signUpPerson(app);
  for (let count = 0; count < 10; count += 1) expect((await register(client)).error).toBeNull();
  expect((await register(client)).error).toMatchObject({ code: 'too_many_passkeys', status: 422 });
});

test('with a second factor a key is added and removed only after using it', async () => {
  const { client, session, id } = await personWithKey();
  await app.resources.database.run(
    "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified')",
    [session.user.id],
  );
  expect((await register(client)).error).toMatchObject({ code: 'insufficient_aal' });
  expect((await client.auth.passkey.delete({ passkeyId: id })).error?.code).toBe('insufficient_aal');
});

test('an account that a company manages gets no key', async () => {
  const { client, session } = await signUpPerson(app);
  await app.resources.database.run('update auth.users set is_sso_user = true where id = $1', [
    session.user.id,
  ]);
  expect((await register(client)).error).toMatchObject({ status: 422, code: 'user_sso_managed' });
});

test('attack: a key whose maker’s signature is wrong is not registered', async () => {
  const { client } = await signUpPerson(app);
  const { data, error } = await register(client, newAuthenticator({ badlySigned: true }));
  expect(data).toBeNull();
  expect(error).toMatchObject({ status: 400, code: 'webauthn_verification_failed' });
  expect((await register(client, newAuthenticator({ badlySigned: false }))).error).toBeNull();
});

test('keys belong to the site’s name, on this machine to localhost, and never to an IP address', () => {
  const partyOf = (siteUrl: string) => {
    const resources = { ...app.resources, siteUrl };
    return { ...relyingParty({ resources }), on: passkeysAreOn({ resources } as AuthContext) };
  };
  expect(partyOf('https://www.example.com')).toMatchObject({
    id: 'www.example.com',
    origins: ['https://www.example.com'],
    on: true,
  });
  expect(partyOf('http://127.0.0.1:4000')).toMatchObject({
    id: 'localhost',
    origins: ['http://localhost:4000'],
    on: true,
  });
  expect(partyOf('https://192.0.2.7')).toMatchObject({ id: '192.0.2.7', on: false });
});

test('a banned person stays out', async () => {
  const { device, session } = await personWithKey();
  await app.resources.database.run(
    "update auth.users set banned_until = now() + interval '1 hour' where id = $1",
    [session.user.id],
  );
  expect((await signIn(device)).error?.code).toBe('user_banned');
});

test('a key does not open an account whose address is unconfirmed, and malformed answers open none', async () => {
  const { device, session } = await personWithKey();
  const named = await callAuth(app, 'DELETE', '/passkeys/nonsense', { bearer: session.access_token });
  expect(named).toMatchObject({ status: 404, body: { code: 'webauthn_credential_not_found' } });
  await app.resources.database.run('update auth.users set email_confirmed_at = null where id = $1', [
    session.user.id,
  ]);
  expect((await signIn(device)).error?.code).toBe('email_not_confirmed');
});

test('where the operator has switched passkeys off there are none', async () => {
  claims('Passkeys are switched off at the moment.');
  const plain = await startTestApp({ settings: { AUTH_PASSKEYS: 'false' } });
  try {
    const { error } = await newClient(plain).auth.passkey.startAuthentication();
    expect([error?.status, error?.code]).toEqual([404, 'passkey_disabled']);
  } finally {
    await plain.close();
  }
});
