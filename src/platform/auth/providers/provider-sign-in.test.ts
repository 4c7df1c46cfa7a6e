import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareIssuer, startBareIssuer } from '../../../../tests/support/auth/bare-issuer.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type LocalOidcProvider,
  type ProviderPerson,
  startOidcProvider,
} from '../../../../tests/support/auth/oidc-provider-server.ts';
import { fragmentOf, newWalker, type Walker } from '../../../../tests/support/auth/redirect-walk.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let issuer: LocalOidcProvider;
/** Replies 503 until the test opens it. */
let late: LocalOidcProvider;
let bare: BareIssuer;
let keyless: BareIssuer;
let app: TestApp;
const SITE = 'https://shop.example/after';
beforeAll(async () => {
  [issuer, late, bare, keyless] = await Promise.all([
    startOidcProvider(),
    startOidcProvider(),
    startBareIssuer(CLIENT_ID),
    startBareIssuer(CLIENT_ID),
  ]);
  keyless.namesKeys = false;
  const client = { client_id: CLIENT_ID, secret: CLIENT_SECRET };
  app = await startTestApp({
    settings: {
      AUTH_OIDC_PROVIDERS: JSON.stringify([
        { name: 'acme', label: 'Acme', issuer: issuer.issuer, ...client },
        { name: 'late', label: 'Late', issuer: late.issuer, ...client },
        { name: 'bare', label: 'Bare', issuer: bare.issuer, ...client },
        { name: 'keyless', label: 'Keyless', issuer: keyless.issuer, ...client },
      ]),
      AUTH_REDIRECT_URLS: 'https://shop.example/**',
      OUTBOUND_ALLOW_HOSTS: [issuer, late, bare, keyless].map(({ host }) => host).join(),
    },
  });
  issuer.open(`${app.url}/auth/v1/callback`);
});
afterAll(async () => {
  await app.close();
  for (const server of [issuer, late, bare, keyless]) await server.close();
});

let people = 0;
const newPerson = (more: Partial<ProviderPerson> = {}): ProviderPerson => {
  const person = {
    sub: `person-${++people}`,
    email: newEmail(),
    email_verified: true,
    name: 'Ada Byron',
    ...more,
  };
  issuer.people.set(person.sub, person);
  return person;
};

/** The address that the client would send the browser to. */
async function departure(
  client: SupabaseClient,
  hint: string,
  redirectTo = SITE,
  provider = 'acme',
): Promise<string> {
  const { data, error } = await client.auth.signInWithOAuth({
    provider: provider as never,
    options: { redirectTo, queryParams: { login_hint: hint }, skipBrowserRedirect: true },
  });
  expect(error).toBeNull();
  return data.url ?? '';
}

/** A whole sign-in without PKCE; returns the fragment that the site gets. */
async function signInBy(
  person: ProviderPerson,
  walker: Walker = newWalker(),
): Promise<Record<string, string>> {
  const back = await walker.walk(await departure(newClient(app), person.sub), 'https://shop.example/');
  return fragmentOf(back);
}

test('a new person gets an account, and the tokens of both sides in the fragment', async () => {
  const person = newPerson();
  const fields = await signInBy(person);
  expect(fields).toMatchObject({ token_type: 'bearer', expires_in: '3600', sb: '' });
  expect(fields.provider_token).toBeTruthy();
  const client = newClient(app);
  const { data, error } = await client.auth.setSession({
    access_token: fields.access_token ?? '',
    refresh_token: fields.refresh_token ?? '',
  });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({
    email: person.email,
    app_metadata: { provider: 'acme', providers: ['acme'] },
    user_metadata: { full_name: 'Ada Byron', email_verified: true },
  });
  const { data: listed } = await client.auth.getUserIdentities();
  expect(listed?.identities).toMatchObject([
    {
      provider: 'acme',
      id: person.sub,
      identity_data: { sub: person.sub, email: person.email, iss: issuer.issuer },
    },
  ]);
  const claims = await client.auth.getClaims();
  expect(claims.data?.claims.amr).toMatchObject([{ method: 'oauth' }]);
  const again = await signInBy(person);
  const { data: same } = await newClient(app).auth.getUser(again.access_token);
  expect(same.user?.id).toBe(data.user?.id);
});

test('with PKCE the site gets a code, which gives a session once, for the verifier only', async () => {
  const person = newPerson();
  const client = newClient(app, 'pkce');
  const back = await newWalker().walk(await departure(client, person.sub), 'https://shop.example/');
  expect(back.hash).toBe('');
  const code = back.searchParams.get('code') ?? '';
  const stolen = await newClient(app, 'pkce')
    .auth.exchangeCodeForSession(code)
    .catch((error) => ({ error }));
  expect(stolen.error).not.toBeNull();
  const { data, error } = await client.auth.exchangeCodeForSession(code);
  expect(error).toBeNull();
  expect(data.session?.user.email).toBe(person.email);
  expect(data.session?.provider_token).toBeTruthy();
  const kept = await app.resources.database.many(
    'select 1 from auth.flow_state where provider_tokens is not null',
  );
  expect(kept).toEqual([]);
});

test('the provider gets state, nonce and PKCE, and the client’s parameters but not forged ones', async () => {
  const url = new URL(await departure(newClient(app), 'nobody'));
  url.searchParams.set('scopes', 'calendar');
  for (const name of ['client_id', 'redirect_uri', 'state', 'nonce', 'response_type']) {
    url.searchParams.set(name, 'forged');
  }
  const reply = await fetch(url, { redirect: 'manual' });
  expect(reply.status).toBe(302);
  const asked = new URL(reply.headers.get('location') ?? '').searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    client_id: CLIENT_ID,
    redirect_uri: `${app.url}/auth/v1/callback`,
    response_type: 'code',
    scope: 'openid email profile calendar',
    code_challenge_method: 'S256',
    login_hint: 'nobody',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
  const cookie = reply.headers.getSetCookie().join();
  expect(cookie).toMatch(/^sb-flow=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly$/);
});

test('a provider that is not configured, and half a challenge, are 400 validation_failed', async () => {
  for (const query of [
    'provider=nothing',
    '',
    'provider=acme&code_challenge=short&code_challenge_method=s256',
    `provider=acme&code_challenge=${'a'.repeat(43)}`,
    `provider=acme&code_challenge=${'a'.repeat(43)}&code_challenge_method=s512`,
  ]) {
    const reply = await callAuth(app, 'GET', `/authorize?${query}`);
    expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed']);
  }
});

test('a person who refuses at the provider comes back with its words', async () => {
  const client = newClient(app, 'pkce');
  const back = await newWalker().walk(await departure(client, 'refuse'), 'https://shop.example/');
  const fields = {
    error: 'access_denied',
    error_code: 'bad_oauth_callback',
    error_description: 'The person said no',
  };
  expect(fragmentOf(back)).toEqual({ ...fields, sb: '' });
  expect(Object.fromEntries(back.searchParams)).toEqual(fields);
});

test('attack: a state that is foreign, missing, used, or begun in another browser gives nobody a session', async () => {
  const person = newPerson();
  const walker = newWalker();
  const callback = `${app.url}/auth/v1/callback`;
  const back = await walker.walk(await departure(newClient(app), person.sub), callback);
  const other = await newWalker().walk(back.href, SITE);
  expect(fragmentOf(other)).toMatchObject({ error: 'invalid_request', error_code: 'bad_oauth_state' });
  const used = await walker.walk(back.href, `${app.url}/#`);
  expect(fragmentOf(used)).toMatchObject({ error_code: 'bad_oauth_state' });
  const foreign = new URL(back);
  foreign.searchParams.set('state', 'A'.repeat(43));
  expect(fragmentOf(await walker.walk(foreign.href, `${app.url}/#`)).error_code).toBe('bad_oauth_state');
  foreign.searchParams.delete('state');
  expect(fragmentOf(await walker.walk(foreign.href, `${app.url}/#`)).error_code).toBe('bad_oauth_callback');
  const made = await app.resources.database.many('select 1 from auth.users where email = $1', [person.email]);
  expect(made).toEqual([]);
});

test('attack: a used code of the provider, or one with the nonce of another flow, is refused', async () => {
  const [victim, attacker] = [newPerson(), newPerson()];
  const callback = `${app.url}/auth/v1/callback`;
  const walker = newWalker();
  const first = await walker.walk(await departure(newClient(app), attacker.sub), callback);
  const second = await newWalker().walk(await departure(newClient(app), victim.sub), callback);
  // The victim's code with the attacker's state: nonce and verifier do not match.
  const mixed = new URL(first);
  mixed.searchParams.set('code', second.searchParams.get('code') ?? '');
  const refused = fragmentOf(await walker.walk(mixed.href, SITE));
  expect(refused).toMatchObject({ error: 'invalid_request', error_code: 'bad_oauth_callback' });
  // A used code with a fresh state.
  const again = newWalker();
  const fresh = await again.walk(await departure(newClient(app), attacker.sub), callback);
  const code = fresh.searchParams.get('code') ?? '';
  expect(fragmentOf(await again.walk(fresh.href, SITE)).access_token).toBeTruthy();
  const third = await again.walk(await departure(newClient(app), attacker.sub), callback);
  third.searchParams.set('code', code);
  expect(fragmentOf(await again.walk(third.href, SITE)).error_code).toBe('bad_oauth_callback');
});

test.each([
  '//evil.example',
  'https://evil.example',
  'https://shop.example@evil.example/',
  'https://shop.example.evil.example/',
  'javascript:alert(1)',
  'https://shop.example\\@evil.example',
])('attack: redirect_to=%s leads to the site instead', async (wanted) => {
  const person = newPerson();
  const back = await newWalker().walk(await departure(newClient(app), person.sub, wanted), `${app.url}/#`);
  expect(fragmentOf(back).access_token).toBeTruthy();
});

test('attack: an unverified address of a provider never opens the account that has it', async () => {
  const victim = await signUpPerson(app);
  const thief = newPerson({ email: victim.email, email_verified: false });
  const fields = await signInBy(thief);
  const { data } = await newClient(app).auth.getUser(fields.access_token);
  expect(data.user?.id).not.toBe(victim.session.user.id);
  expect(data.user?.email).toBe('');
});

test('attack: an account prepared for somebody else loses every way to sign in when its owner arrives', async () => {
  const email = newEmail();
  const prepared = newClient(app);
  const made = await prepared.auth.signUp({ email, password: PASSWORD });
  expect(made.data.session).not.toBeNull();
  const fields = await signInBy(newPerson({ email }));
  const { data } = await newClient(app).auth.getUser(fields.access_token);
  expect(data.user).toMatchObject({ id: made.data.user?.id, app_metadata: { providers: ['acme'] } });
  const old = await callAuth(app, 'GET', '/user', { bearer: made.data.session?.access_token ?? '' });
  expect(old.body.code).toBe('session_not_found');
  const again = await newClient(app).auth.signInWithPassword({ email, password: PASSWORD });
  expect(again.error?.code).toBe('invalid_credentials');
});

test('a verified address joins the account whose owner has proven it, and keeps its password', async () => {
  const person = await signUpPerson(app);
  await app.resources.database.run('update auth.users set email_proven_at = now() where email = $1', [
    person.email,
  ]);
  const fields = await signInBy(newPerson({ email: person.email.toUpperCase() }));
  const { data } = await newClient(app).auth.getUser(fields.access_token);
  expect(data.user).toMatchObject({
    id: person.session.user.id,
    app_metadata: { providers: ['email', 'acme'] },
  });
  const again = await newClient(app).auth.signInWithPassword({ email: person.email, password: PASSWORD });
  expect(again.error).toBeNull();
});

test('two simultaneous sign-ins of one new person make one account', async () => {
  const person = newPerson();
  const callback = `${app.url}/auth/v1/callback`;
  const walkers = [newWalker(), newWalker()];
  const backs = await Promise.all(
    walkers.map(async (walker) => walker.walk(await departure(newClient(app), person.sub), callback)),
  );
  const ends = await Promise.all(backs.map((back, index) => walkers[index]?.walk(back.href, SITE)));
  expect(ends.every((end) => end !== undefined && fragmentOf(end).access_token)).toBe(true);
  const rows = await app.resources.database.many('select 1 from auth.users where email = $1', [person.email]);
  expect(rows).toHaveLength(1);
});

test('an issuer that does not answer is a 503, for a sign-in and for its token, and is asked again the next time', async () => {
  const leave = () => callAuth(app, 'GET', '/authorize?provider=late');
  expect(await leave()).toMatchObject({
    status: 503,
    body: { message: 'The provider Late does not answer. Please try again.' },
  });
  const token = await late.sign({ sub: 'early' });
  const { error } = await newClient(app).auth.signInWithIdToken({ provider: 'late', token });
  expect(error).toMatchObject({
    status: 503,
    message: 'The provider Late does not answer. Please try again.',
  });
  late.open(`${app.url}/auth/v1/callback`);
  expect((await leave()).headers.get('location')).toContain(late.issuer);
});

test('the ID token is enough: an issuer without a userinfo endpoint signs in, and one that names nobody does not', async () => {
  const signInAt = async (claims: object) => {
    bare.claims = { ...claims };
    return fragmentOf(await newWalker().walk(await departure(newClient(app), '', SITE, 'bare'), SITE));
  };
  const email = newEmail();
  const whole = await signInAt({ sub: 'bare-1', email, email_verified: true });
  expect((await newClient(app).auth.getUser(whole.access_token)).data.user).toMatchObject({ email });
  const shy = await signInAt({ sub: 'bare-2' });
  expect((await newClient(app).auth.getUser(shy.access_token)).data.user).toMatchObject({ email: '' });
  expect(await signInAt({ sub: '', email: newEmail(), email_verified: true })).toMatchObject({
    error_code: 'bad_oauth_callback',
    error_description: 'The provider does not say who this is',
  });
});

test('attack: an ID token of an issuer that names no keys is refused', async () => {
  const token = await issuer.sign({ iss: keyless.issuer, sub: 'anybody' });
  const { error } = await newClient(app).auth.signInWithIdToken({ provider: 'keyless', token });
  expect(error).toMatchObject({ status: 400, message: 'Bad ID token' });
});

test('a provider’s claims that no database can store end in a message for people, and create no account', async () => {
  const email = newEmail();
  bare.claims = { sub: 'nul', email, email_verified: true, name: 'Ada\0Byron' };
  const back = await newWalker().walk(await departure(newClient(app), '', SITE, 'bare'), SITE);
  expect(fragmentOf(back)).toMatchObject({
    error: 'server_error',
    error_code: 'unexpected_failure',
    error_description: 'Something went wrong on our side. Please try again.',
  });
  const made = await app.resources.database.many('select 1 from auth.users where email = $1', [email]);
  expect(made).toEqual([]);
});

test('a person who comes back from a removed provider gets a message about that', async () => {
  const walker = newWalker();
  const person = newPerson();
  const back = await walker.walk(await departure(newClient(app), person.sub), `${app.url}/auth/v1/callback`);
  await app.resources.database.run("update auth.provider_flows set provider = 'gone'");
  expect(fragmentOf(await walker.walk(back.href, SITE)).error_code).toBe('provider_disabled');
});
