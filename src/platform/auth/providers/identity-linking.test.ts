import type { SupabaseClient } from '@supabase/supabase-js';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type LocalOidcProvider,
  startOidcProvider,
} from '../../../../tests/support/auth/oidc-provider-server.ts';
import { fragmentOf, newWalker, type Walker } from '../../../../tests/support/auth/redirect-walk.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';

let issuer: LocalOidcProvider;
let app: TestApp;
beforeAll(async () => {
  issuer = await startOidcProvider();
  app = await startTestApp({
    settings: {
      AUTH_GOOGLE_CLIENT_ID: CLIENT_ID,
      AUTH_GOOGLE_SECRET: CLIENT_SECRET,
      AUTH_GOOGLE_ISSUER: issuer.issuer,
      AUTH_MANUAL_LINKING: 'true',
      AUTH_AUTOCONFIRM: 'false',
      OUTBOUND_ALLOW_HOSTS: issuer.host,
    },
  });
  issuer.open(`${app.url}/auth/v1/callback`);
});
afterAll(async () => {
  await app.close();
  await issuer.close();
});

/** A client whose requests carry the cookies of a browser, as on the site itself. */
const clientOf = (walker: Walker): SupabaseClient =>
  createClient(app.url, app.anonKey, {
    auth: { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false },
    global: { fetch: walker.fetch },
  });

async function signedIn(client: SupabaseClient): Promise<string> {
  const email = newEmail();
  const admin = createClient(app.url, app.serviceKey, { auth: { persistSession: false } });
  await admin.auth.admin.createUser({ email, password: PASSWORD, email_confirm: true });
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  expect(error).toBeNull();
  return email;
}

async function departure(client: SupabaseClient, hint: string): Promise<string> {
  const { data, error } = await client.auth.linkIdentity({
    provider: 'google',
    options: { queryParams: { login_hint: hint } },
  });
  expect(error).toBeNull();
  return data.url ?? '';
}

test('a signed-in user adds an identity, signs in by it, and removes it again', async () => {
  const walker = newWalker();
  const client = clientOf(walker);
  const email = await signedIn(client);
  issuer.people.set('adds', { sub: 'adds', email: newEmail(), email_verified: true });
  const back = fragmentOf(await walker.walk(await departure(client, 'adds'), `${app.url}/#`));
  expect(back.access_token).toBeTruthy();
  const { data: listed } = await client.auth.getUserIdentities();
  expect(listed?.identities.map(({ provider }) => provider)).toEqual(['email', 'google']);
  const { data } = await client.auth.getUser();
  expect(data.user).toMatchObject({
    email,
    app_metadata: { provider: 'email', providers: ['email', 'google'] },
  });

  const google = listed?.identities.find(({ provider }) => provider === 'google');
  if (google === undefined) throw new Error('no identity');
  const someone = clientOf(newWalker());
  await signedIn(someone);
  expect((await someone.auth.unlinkIdentity(google)).error?.code).toBe('single_identity_not_deletable');
  expect((await client.auth.unlinkIdentity(google)).error).toBeNull();
  expect((await client.auth.getUser()).data.user?.app_metadata.providers).toEqual(['email']);
  expect((await client.auth.unlinkIdentity(google)).error?.code).toBe('single_identity_not_deletable');
});

test('without the e-mail identity the password is gone, and an unknown identity is reported', async () => {
  claims('Your password will no longer open this account.');
  const walker = newWalker();
  const client = clientOf(walker);
  const email = await signedIn(client);
  const second = newEmail();
  issuer.people.set('stays', { sub: 'stays', email: second, email_verified: true });
  await walker.walk(await departure(client, 'stays'), `${app.url}/#`);
  const { data: listed } = await client.auth.getUserIdentities();
  const mail = listed?.identities.find(({ provider }) => provider === 'email');
  if (mail === undefined) throw new Error('no identity');
  const foreign = { ...mail, identity_id: crypto.randomUUID() };
  expect((await client.auth.unlinkIdentity(foreign)).error?.code).toBe('identity_not_found');
  expect((await client.auth.unlinkIdentity(mail)).error).toBeNull();
  expect((await client.auth.getUser()).data.user?.email).toBe(second);
  for (const address of [email, second]) {
    const again = await newClient(app).auth.signInWithPassword({ email: address, password: PASSWORD });
    expect(again.error?.code).toBe('invalid_credentials');
  }
});

test('without the phone identity the number is free for somebody else', async () => {
  const client = clientOf(newWalker());
  await signedIn(client);
  const { data: own } = await client.auth.getUser();
  const admin = createClient(app.url, app.serviceKey, { auth: { persistSession: false } });
  const phone = '+447700900777';
  await admin.auth.admin.updateUserById(own.user?.id ?? '', { phone, phone_confirm: true });
  const { data: listed } = await client.auth.getUserIdentities();
  const number = listed?.identities.find(({ provider }) => provider === 'phone');
  if (number === undefined) throw new Error('no identity');
  expect((await client.auth.unlinkIdentity(number)).error).toBeNull();
  expect((await client.auth.getUser()).data.user).toMatchObject({
    phone: '',
    app_metadata: { providers: ['email'] },
  });
  const other = await admin.auth.admin.createUser({ phone, phone_confirm: true });
  expect(other.data.user?.phone).toBe(phone.slice(1));
});

test('an address that now belongs to somebody else is not taken, and nothing is unlinked', async () => {
  claims('It cannot be unlinked: the address that would remain belongs to another account.');
  const walker = newWalker();
  const client = clientOf(walker);
  await signedIn(client);
  const stranger = clientOf(newWalker());
  issuer.people.set('taken-later', { sub: 'taken-later', email: newEmail(), email_verified: true });
  await walker.walk(await departure(client, 'taken-later'), `${app.url}/#`);
  const taken = await signedIn(stranger);
  await app.resources.database.run(
    "update auth.identities set identity_data = identity_data || jsonb_build_object('email', $1::text) where provider_id = 'taken-later'",
    [taken],
  );
  const { data } = await client.auth.getUserIdentities();
  const mail = data?.identities.find(({ provider }) => provider === 'email');
  if (mail === undefined) throw new Error('no identity');
  expect((await client.auth.unlinkIdentity(mail)).error?.code).toBe('email_conflict_identity_not_deletable');
  expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(2);
});

test('the last identity that can still sign in here stays, whatever others are listed', async () => {
  claims('This is the last way into your account, so it stays.');
  const client = clientOf(newWalker());
  await signedIn(client);
  const { data } = await client.auth.getUser();
  const [mail] = data.user?.identities ?? [];
  if (mail === undefined) throw new Error('no identity');
  // An identity whose provider the operator has removed from the settings.
  await app.resources.database.run(
    `insert into auth.identities (user_id, provider, provider_id, identity_data)
     values ($1, 'github', 'left-over', '{"sub": "left-over"}')`,
    [data.user?.id],
  );
  expect((await client.auth.unlinkIdentity(mail)).error?.code).toBe('single_identity_not_deletable');
});

test('an identity that belongs to somebody else is refused in the fragment', async () => {
  issuer.people.set('taken', { sub: 'taken', email: newEmail(), email_verified: true });
  const first = newWalker();
  const owner = clientOf(first);
  await signedIn(owner);
  await first.walk(await departure(owner, 'taken'), `${app.url}/#`);
  const second = newWalker();
  const other = clientOf(second);
  await signedIn(other);
  const back = fragmentOf(await second.walk(await departure(other, 'taken'), `${app.url}/#`));
  expect(back).toMatchObject({ error_code: 'identity_already_exists' });
});

test('attack: a link of an attacker does not tie the victim’s identity to the attacker’s account', async () => {
  const attacker = clientOf(newWalker());
  await signedIn(attacker);
  issuer.people.set('victim', { sub: 'victim', email: newEmail(), email_verified: true });
  const victim = newWalker();
  const back = fragmentOf(await victim.walk(await departure(attacker, 'victim'), `${app.url}/#`));
  expect(back.error_code).toBe('bad_oauth_state');
  const { data } = await attacker.auth.getUserIdentities();
  expect(data?.identities.map(({ provider }) => provider)).toEqual(['email']);
});

test('an unverified address has to be confirmed by mail before the account opens', async () => {
  issuer.people.set('unsure', { sub: 'unsure', email: newEmail(), email_verified: false });
  const { data } = await newClient(app).auth.signInWithOAuth({
    provider: 'google',
    options: { queryParams: { login_hint: 'unsure' }, skipBrowserRedirect: true },
  });
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const walker = newWalker();
    const back = fragmentOf(await walker.walk(data.url ?? '', `${app.url}/#`));
    expect(back).toMatchObject({ error: 'access_denied', error_code: 'provider_email_needs_verification' });
  }
  // A proof of the address by the provider counts as much as our own mail.
  const email = issuer.people.get('unsure')?.email ?? '';
  issuer.people.set('unsure', { sub: 'unsure', email, email_verified: true });
  const opened = fragmentOf(await newWalker().walk(data.url ?? '', `${app.url}/#`));
  const { data: signedIn } = await newClient(app).auth.getUser(opened.access_token);
  expect(signedIn.user).toMatchObject({ email, email_confirmed_at: expect.any(String) });
});

test.each([
  [
    'of an account with a second factor, without using it',
    "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified')",
    403,
    'insufficient_aal',
  ],
  [
    'of an account that a company manages',
    'update auth.users set is_sso_user = true where id = $1',
    422,
    'user_sso_managed',
  ],
])('an identity %s is not removed', async (_name, change, status, code) => {
  const client = clientOf(newWalker());
  await signedIn(client);
  const { data } = await client.auth.getUserIdentities();
  const [mail] = data?.identities ?? [];
  if (mail === undefined) throw new Error('no identity');
  await app.resources.database.run(uncheckedSql(change, 'composed'), [mail.user_id]);
  expect((await client.auth.unlinkIdentity(mail)).error).toMatchObject({ status, code });
  const left = await app.resources.database.many('select 1 from auth.identities where user_id = $1', [
    mail.user_id,
  ]);
  expect(left).toHaveLength(1);
});

test('manual linking is off unless the operator wants it', async () => {
  claims('Sign-ins cannot be linked or unlinked here at the moment.');
  const plain = await startTestApp();
  try {
    const { session } = await signUpPerson(plain);
    for (const [method, path] of [
      ['GET', '/user/identities/authorize?provider=google&skip_http_redirect=true'],
      ['DELETE', `/user/identities/${crypto.randomUUID()}`],
    ] as const) {
      const reply = await callAuth(plain, method, path, { bearer: session.access_token });
      expect([reply.status, reply.body.code]).toEqual([404, 'manual_linking_disabled']);
    }
    const settings = await callAuth(plain, 'GET', '/settings');
    expect(settings.body).toMatchObject({ external: { google: false, github: false }, external_labels: {} });
  } finally {
    await plain.close();
  }
  const settings = await callAuth(app, 'GET', '/settings');
  expect(settings.body).toMatchObject({ external: { google: true }, external_labels: { google: 'Google' } });
});
