import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkIn, pressButton, readMail } from '../../../../tests/support/auth/mail-read.ts';
import {
  callAuth,
  newClient,
  newEmail,
  PASSWORD,
  signUpPerson,
} from '../../../../tests/support/customers/auth-client.ts';
import { overtake } from '../../../../tests/support/held-lock.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let service: SupabaseClient;
beforeAll(async () => {
  app = await startTestApp();
  service = createClient(app.url, app.serviceKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
});
afterAll(() => app.close());

test('an administrator’s change of metadata does not undo the account’s own simultaneous change', async () => {
  const { session } = await signUpPerson(app, { full_name: 'Ada' });
  const { data } = await overtake(
    app,
    () =>
      service.auth.admin.updateUserById(session.user.id, {
        user_metadata: { city: 'London' },
        app_metadata: { tier: 'gold' },
      }),
    [
      `update auth.users set raw_user_meta_data = raw_user_meta_data || '{"phone": "1"}',
              raw_app_meta_data = raw_app_meta_data || '{"seats": 3}' where id = $1`,
      [session.user.id],
    ],
  );
  expect(data.user?.user_metadata).toEqual({ full_name: 'Ada', city: 'London', phone: '1' });
  expect(data.user?.app_metadata).toMatchObject({ tier: 'gold', seats: 3 });
});

test('an administrator makes, reads, changes and deletes an account', async () => {
  const email = newEmail();
  const { data: made, error } = await service.auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { full_name: 'Ada' },
    app_metadata: { tier: 'gold' },
  });
  expect(error).toBeNull();
  const id = made.user?.id ?? '';
  expect(made.user?.app_metadata).toEqual({ provider: 'email', providers: ['email'], tier: 'gold' });
  const client = newClient(app);
  expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  expect((await service.auth.admin.getUserById(id)).data.user?.email).toBe(email);

  const moved = newEmail();
  const changed = await service.auth.admin.updateUserById(id, {
    email: moved,
    password: 'set by an administrator',
    user_metadata: { full_name: null, city: { part: null } },
  });
  expect(changed.data.user).toMatchObject({ email: moved, user_metadata: { city: { part: null } } });
  expect((await client.auth.getUser()).error).not.toBeNull();
  const signIn = () => client.auth.signInWithPassword({ email: moved, password: 'set by an administrator' });
  expect((await signIn()).error).toBeNull();
  await service.auth.admin.updateUserById(id, { ban_duration: '1h30m' });
  expect((await client.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_banned' });
  await service.auth.admin.updateUserById(id, { ban_duration: 'none' });
  expect((await signIn()).error).toBeNull();
  expect((await service.auth.admin.deleteUser(id)).error).toBeNull();
  expect((await client.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_not_found' });
  expect((await service.auth.admin.getUserById(id)).error).toMatchObject({
    status: 404,
    code: 'user_not_found',
  });
});

test('an administrator confirms an address by a field, and an id belongs to one account', async () => {
  const email = newEmail();
  const { data } = await service.auth.admin.createUser({ email, password: PASSWORD });
  const signIn = () => newClient(app).auth.signInWithPassword({ email, password: PASSWORD });
  expect((await signIn()).error?.code).toBe('email_not_confirmed');
  const id = data.user?.id ?? '';
  expect((await service.auth.admin.updateUserById(id, { email_confirm: true })).error).toBeNull();
  expect((await signIn()).error).toBeNull();
  const twice = await service.auth.admin.createUser({ id, email: newEmail(), password: PASSWORD });
  expect(twice.error).toMatchObject({ status: 422, code: 'user_already_exists' });
});

test('a link leads where the client says, if that is allowed, and nowhere else', async () => {
  const linkTo = async (redirectTo: string) => {
    const email = newEmail();
    const { data } = await service.auth.admin.generateLink({
      type: 'magiclink',
      email,
      options: { redirectTo },
    });
    const { redirect_to: to, action_link: link = '' } = data.properties ?? {};
    expect(new URL(link).searchParams.get('redirect_to')).toBe(to);
    return { to, landed: await pressButton(new URL(link)) };
  };
  const welcome = await linkTo(`${app.url}/welcome?from=mail`);
  expect(welcome.to).toBe(`${app.url}/welcome?from=mail`);
  expect([welcome.landed.pathname, welcome.landed.search]).toEqual(['/welcome', '?from=mail']);
  expect((await linkTo('https://elsewhere.example/')).to).toBe(app.url);
  const told = await callAuth(app, 'POST', '/admin/generate_link', {
    bearer: app.serviceKey,
    body: { type: 'magiclink', email: newEmail(), redirect_to: `${app.url}/by-body` },
  });
  expect(told.body.redirect_to).toBe(`${app.url}/by-body`);
});

test('nobody gets a role of the database: a request that would have no effect is refused', async () => {
  const create = (role: string) => service.auth.admin.createUser({ email: newEmail(), role });
  expect((await create('authenticated')).data.user?.role).toBe('authenticated');
  for (const role of ['editor', 'service_role']) {
    expect((await create(role)).error).toMatchObject({ status: 400, code: 'validation_failed' });
  }
});

test('a soft deletion keeps the row and frees the address', async () => {
  const { email, session } = await signUpPerson(app);
  expect((await service.auth.admin.deleteUser(session.user.id, true)).error).toBeNull();
  const row = await app.resources.database.maybe('select email, deleted_at from auth.users where id = $1', [
    session.user.id,
  ]);
  expect(row).toMatchObject({ email: null, deleted_at: expect.any(Date) });
  expect((await newClient(app).auth.signUp({ email, password: PASSWORD })).error).toBeNull();
});

test('the list has pages, a total and links that the client reads', async () => {
  for (let count = 0; count < 3; count += 1) await signUpPerson(app);
  const first = await service.auth.admin.listUsers({ page: 1, perPage: 2 });
  expect(first.error).toBeNull();
  if (first.error !== null) return;
  expect(first.data.users).toHaveLength(2);
  expect(first.data).toMatchObject({ aud: 'authenticated', nextPage: 2 });
  expect(first.data.total).toBeGreaterThanOrEqual(3);
  const second = await service.auth.admin.listUsers({ page: 2, perPage: 2 });
  expect(second.data.users[0]?.id).not.toBe(first.data.users[0]?.id);
  const { email } = await signUpPerson(app);
  const found = await callAuth(app, 'GET', `/admin/users?filter=${email}`, { bearer: app.serviceKey });
  expect((found.body as unknown as { users: object[] }).users).toHaveLength(1);
});

test('an invitation by mail opens an account, whose owner then chooses a password', async () => {
  const email = newEmail();
  const { data, error } = await service.auth.admin.inviteUserByEmail(email, { data: { full_name: 'Ada' } });
  expect(error).toBeNull();
  expect(data.user?.invited_at).toBeTruthy();
  const target = await pressButton(linkIn(await readMail(app.url, email, /invited/)));
  const fragment = new URLSearchParams(target.hash.slice(1));
  const client = newClient(app);
  await client.auth.setSession({
    access_token: fragment.get('access_token') ?? '',
    refresh_token: fragment.get('refresh_token') ?? '',
  });
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
  expect((await service.auth.admin.inviteUserByEmail(email)).error).toMatchObject({
    status: 422,
    code: 'email_exists',
  });
});

test('links can be made for an administrator to send', async () => {
  const { email, session } = await signUpPerson(app);
  const recovery = await service.auth.admin.generateLink({ type: 'recovery', email });
  expect(recovery.error).toBeNull();
  expect(recovery.data.properties).toMatchObject({ verification_type: 'recovery', redirect_to: app.url });
  expect(recovery.data.properties?.action_link.startsWith(`${app.url}/auth/v1/verify?`)).toBe(true);
  const opened = await newClient(app).auth.verifyOtp({
    type: 'recovery',
    token_hash: recovery.data.properties?.hashed_token ?? '',
  });
  expect(opened.data.user?.id).toBe(session.user.id);

  const unknown = await service.auth.admin.generateLink({ type: 'recovery', email: newEmail() });
  expect(unknown.error).toMatchObject({ status: 404, code: 'user_not_found' });
  const fresh = newEmail();
  const link = await service.auth.admin.generateLink({ type: 'magiclink', email: fresh });
  expect(link.data.properties?.verification_type).toBe('signup');
  const entered = await newClient(app).auth.verifyOtp({
    email: fresh,
    token: link.data.properties?.email_otp ?? '',
    type: 'signup',
  });
  expect(entered.data.user?.email).toBe(fresh);
});

test.each([
  ['email_change_current', 'email_change_new'],
  ['email_change_new', 'email_change_current'],
] as const)(
  'attack: the link of type %s alone changes no address, also when an earlier wish was open',
  async (first, second) => {
    const { email, session, client } = await signUpPerson(app);
    const emailNow = async () => (await client.auth.getUser()).data.user?.email;
    const wanted = newEmail();
    const { admin } = service.auth;
    const use = async (type: typeof first | typeof second, to: string) => {
      const { data } = await admin.generateLink({ type, email, newEmail: to });
      expect(data.properties?.verification_type).toBe(type);
      return callAuth(app, 'POST', '/verify', {
        body: { type: 'email_change', token_hash: data.properties?.hashed_token },
      });
    };
    // A confirmation of another change does not count for this one.
    expect((await use(second, newEmail())).body).toMatchObject({ code: '200' });
    expect((await use(first, wanted)).body).toMatchObject({
      code: '200',
      msg: expect.stringContaining('other email'),
    });
    expect(await emailNow()).toBe(email);
    const changed = await use(second, wanted);
    expect(changed.body).toMatchObject({ user: { id: session.user.id, email: wanted } });
  },
);

test.each([
  ['signup', 'email_exists'],
  ['invite', 'email_exists'],
  ['email_change_new', 'email_exists'],
  ['email_change_current', 'validation_failed'],
] as const)('a link of type %s that can lead nowhere is refused with %s', async (type, code) => {
  const [known, taken] = [await signUpPerson(app), await signUpPerson(app)];
  const body = {
    type,
    email: known.email,
    password: PASSWORD,
    ...(type === 'email_change_new' ? { new_email: taken.email } : {}),
  };
  const reply = await callAuth(app, 'POST', '/admin/generate_link', { body, bearer: app.serviceKey });
  expect(reply.body.code).toBe(code);
  const { data } = await known.client.auth.getUser();
  expect(data.user).toMatchObject({ email: known.email });
  expect(data.user?.new_email).toBeUndefined();
});

test.each([
  ['POST', '/invite', { email: 'x' }, 400],
  ['POST', '/admin/users', {}, 400],
  ['POST', '/admin/users', { email: 'a@b.example', password: 'short' }, 422],
  ['POST', '/admin/users', { email: 'a@b.example', password_hash: 'plain' }, 400],
  ['POST', '/admin/generate_link', { type: 'guess', email: 'a@b.example' }, 400],
  ['POST', '/admin/generate_link', { type: 'signup', email: 'a@b.example' }, 400],
  ['GET', '/admin/users?page=0', undefined, 400],
  ['GET', '/admin/users/nobody', undefined, 404],
  ['PUT', '/admin/users/00000000-0000-4000-8000-000000000000', {}, 404],
  ['DELETE', '/admin/users/00000000-0000-4000-8000-000000000000', {}, 404],
])('%s %s with %j answers %i', async (method, path, body, status) => {
  expect(
    (
      await callAuth(app, method, path, {
        body: body ?? (method === 'GET' ? undefined : {}),
        bearer: app.serviceKey,
      })
    ).status,
  ).toBe(status);
});

test('a taken address is refused when creating and when changing an account', async () => {
  const taken = await signUpPerson(app);
  const other = await signUpPerson(app);
  const expected = { status: 422, code: 'email_exists' };
  expect((await service.auth.admin.createUser({ email: taken.email })).error).toMatchObject(expected);
  const change = await service.auth.admin.updateUserById(other.session.user.id, { email: taken.email });
  expect(change.error).toMatchObject(expected);
  const ban = await service.auth.admin.updateUserById(other.session.user.id, { ban_duration: 'for ever' });
  expect(ban.error).toMatchObject({ status: 400, code: 'validation_failed' });
});

test('nobody but the service key gets in', async () => {
  const { session } = await signUpPerson(app);
  const routes: [string, string][] = [
    ['POST', '/invite'],
    ['POST', '/admin/generate_link'],
    ['GET', '/admin/users'],
    ['POST', '/admin/users'],
    ['GET', `/admin/users/${session.user.id}`],
    ['PUT', `/admin/users/${session.user.id}`],
    ['DELETE', `/admin/users/${session.user.id}`],
    ['GET', '/admin/audit'],
  ];
  for (const [method, path] of routes) {
    const body = method === 'GET' ? undefined : {};
    expect((await callAuth(app, method, path, { body })).status).toBe(401);
    expect((await callAuth(app, method, path, { body, bearer: 'nonsense' })).status).toBe(401);
    expect((await callAuth(app, method, path, { body, bearer: app.anonKey })).status).toBe(403);
    expect((await callAuth(app, method, path, { body, bearer: session.access_token })).status).toBe(403);
  }
  const audit = await callAuth(app, 'GET', '/admin/audit', { bearer: app.serviceKey });
  expect((audit.body as unknown as { payload: { action: string } }[])[0]?.payload.action).toBe('login');
});

test.each(['signup', 'invite'] as const)(
  'a link of type %s for an address that somebody takes at that moment is refused',
  async (type) => {
    const email = newEmail();
    const reply = await overtake(
      app,
      () =>
        callAuth(app, 'POST', '/admin/generate_link', {
          body: { type, email, password: PASSWORD },
          bearer: app.serviceKey,
        }),
      ['insert into auth.users (email, email_confirmed_at) values ($1, now())', [email]],
    );
    expect(reply).toMatchObject({ status: 422, body: { code: 'email_exists' } });
    const { id } = await app.resources.database.one('select id from auth.users where email = $1', [email]);
    const tokens = await app.resources.database.many(
      'select 1 from auth.one_time_tokens where user_id = $1',
      [id],
    );
    expect(tokens).toEqual([]);
  },
);

test.each([null, ''])(
  'an administrator takes a number away with %j, unless the account has nothing else',
  async (none) => {
    const phone = `4917${String(Math.random()).slice(2, 11)}`;
    const email = newEmail();
    const { data: made } = await service.auth.admin.createUser({
      email,
      phone,
      email_confirm: true,
      phone_confirm: true,
    });
    const id = made.user?.id ?? '';
    await service.auth.admin.updateUserById(id, { phone: `${phone}1` });
    const put = async (user: string, body: object) => {
      const reply = await fetch(`${app.url}/auth/v1/admin/users/${user}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${app.serviceKey}`,
          apikey: app.serviceKey,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
    };
    expect((await put(id, { user_metadata: { a: 1 } })).body.phone).toBe(`${phone}1`);
    const removed = await put(id, { phone: none });
    expect([removed.status, removed.body]).toMatchObject([
      200,
      { phone: '', email, app_metadata: { provider: 'email', providers: ['email'] } },
    ]);
    expect(removed.body.identities).toHaveLength(1);
    expect((await readMail(app.url, email, /removed/)).text).toContain(`+${phone}1`);
    const { data: only } = await service.auth.admin.createUser({ phone: `${phone}2` });
    expect(await put(only.user?.id ?? '', { phone: none })).toMatchObject({
      status: 400,
      body: { error_code: 'validation_failed' },
    });
  },
);

test('an administrator renames a factor, and no two of an account have one name', async () => {
  const { client, session } = await signUpPerson(app, { full_name: 'Ada' });
  const enrol = (friendlyName: string) => client.auth.mfa.enroll({ factorType: 'totp', friendlyName });
  const [one] = [await enrol('One'), await enrol('Two')];
  const put = async (body: object) => {
    const reply = await fetch(`${app.url}/auth/v1/admin/users/${session.user.id}/factors/${one.data?.id}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${app.serviceKey}`,
        apikey: app.serviceKey,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    return [reply.status, await reply.json()];
  };
  expect(await put({ friendly_name: 'Main' })).toMatchObject([
    200,
    { id: one.data?.id, friendly_name: 'Main', factor_type: 'totp', status: 'unverified' },
  ]);
  expect(await put({ friendly_name: 'Two' })).toMatchObject([
    422,
    { error_code: 'mfa_factor_name_conflict' },
  ]);
  // A factor without text messages has no number.
  expect(await put({ phone: '+49170123456' })).toMatchObject([200, { friendly_name: 'Main', phone: '' }]);
});

test('the audit log has a text for the address and the actor of each entry', async () => {
  const reply = await fetch(`${app.url}/auth/v1/admin/audit`, {
    headers: { authorization: `Bearer ${app.serviceKey}`, apikey: app.serviceKey },
  });
  const entries = (await reply.json()) as { ip_address: unknown; payload: { actor_id: unknown } }[];
  expect(entries.length).toBeGreaterThan(0);
  for (const { ip_address: address, payload } of entries) {
    expect([typeof address, typeof payload.actor_id]).toEqual(['string', 'string']);
  }
});
