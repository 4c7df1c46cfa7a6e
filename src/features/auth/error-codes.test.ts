import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newClient, newEmail, PASSWORD, signUpPerson } from '../../../tests/support/auth-client.ts';
import { codeOf, enrolledPerson, signInAgain } from '../../../tests/support/authenticator.ts';
import { startTestApp, type TestApp } from '../../../tests/support/start-test-app.ts';

/** Accounts confirm themselves, everything is open. */
let app: TestApp;
/** The same installation where addresses are confirmed, limits count and no text message can be sent. */
let strict: TestApp;
/** The same with every way in closed. */
let closed: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_MFA_PHONE: 'true' } });
  strict = await startTestApp({
    beside: app,
    settings: {
      AUTH_AUTOCONFIRM: 'false',
      RATE_LIMITS: 'on',
      AUTH_SESSION_IDLE_HOURS: '1',
      SMS_URL: 'http://AC1:token@127.0.0.1:9?from=+15550100',
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1:9',
    },
  });
  closed = await startTestApp({
    beside: app,
    settings: { AUTH_SIGNUP: 'false', AUTH_EMAIL: 'false', AUTH_PHONE: 'false', AUTH_PASSKEYS: 'false' },
  });
});
afterAll(async () => {
  await closed.close();
  await strict.close();
  await app.close();
});

type Reply = Awaited<ReturnType<typeof callAuth>>;
type Body = Record<string, unknown>;

const post = (at: TestApp, to: string, body: Body, bearer?: string) =>
  callAuth(at, 'POST', to, { body, ...(bearer === undefined ? {} : { bearer }) });
const admin = (method: string, to: string, body?: Body) =>
  callAuth(app, method, `/admin${to}`, { bearer: app.serviceKey, ...(body === undefined ? {} : { body }) });
const change = (bearer: string, body: Body) => callAuth(app, 'PUT', '/user', { bearer, body });
const sql = (text: string, values: unknown[] = []) => app.resources.database.run(text, values);

/** A new person's token and id. */
async function person() {
  const { session, email, client } = await signUpPerson(app);
  return { bearer: session.access_token, refresh: session.refresh_token, id: session.user.id, email, client };
}

/** A person with an authenticator: `bearer` is at aal2, `low` another device's at aal1. */
async function withFactor() {
  const enrolled = await enrolledPerson(app);
  const { data } = await enrolled.client.auth.getSession();
  const other = await signInAgain(app, enrolled);
  return { ...enrolled, bearer: data.session?.access_token ?? '', low: other.session.access_token };
}

/** A confirmed account that then was changed in the table. */
async function signInAfter(statement: string): Promise<Reply> {
  const { email, id } = await person();
  await sql(`update auth.users set ${statement} where id = $1`, [id]);
  return post(app, '/token?grant_type=password', { email, password: PASSWORD });
}

async function flow(age: string): Promise<Reply> {
  const { id } = await person();
  const secret = `code-${id}`;
  const { createSecretHashes } = await import('./hash-secret.server.ts');
  await sql(
    `insert into auth.flow_state (user_id, authentication_method, code_challenge, code_challenge_method, auth_code_hash, auth_code_issued_at)
     values ($1, 'magiclink', 'x', 'plain', $2, now() - $3::interval)`,
    [id, createSecretHashes(app.resources.keys).link(secret), age],
  );
  return post(app, '/token?grant_type=pkce', { auth_code: secret, code_verifier: 'y' });
}

async function challenge(after?: string): Promise<Reply> {
  const { bearer, factorId, secret } = await withFactor();
  const made = await post(app, `/factors/${factorId}/challenge`, {}, bearer);
  if (after !== undefined) await sql(after, [made.body.id]);
  const code = after === undefined ? 'wrong' : codeOf(secret, 1);
  return post(app, `/factors/${factorId}/verify`, { challenge_id: made.body.id, code }, bearer);
}

async function repeated(times: number, make: () => Promise<Reply>): Promise<Reply> {
  let reply = await make();
  for (let n = 1; n < times; n += 1) reply = await make();
  return reply;
}

/** Every code that the service's own part produces: its status, and a request that meets it. */
const CODES: readonly [code: string, status: number, make: () => Promise<Reply>][] = [
  ['validation_failed', 400, () => post(app, '/signup', { email: 'no address', password: PASSWORD })],
  ['bad_json', 400, async () => rawPost('{"email":')],
  ['unsupported_media_type', 415, async () => rawPost('email=a', 'text/csv')],
  ['body_too_large', 413, async () => rawPost(JSON.stringify({ email: 'a'.repeat(70_000) }))],
  ['not_found', 404, () => callAuth(app, 'GET', '/nothing')],
  ['weak_password', 422, () => post(app, '/signup', { email: newEmail(), password: 'short' })],
  [
    'user_already_exists',
    422,
    async () => post(app, '/signup', { email: (await person()).email, password: PASSWORD }),
  ],
  ['signup_disabled', 422, () => post(closed, '/signup', { email: newEmail(), password: PASSWORD })],
  [
    'email_provider_disabled',
    400,
    () => post(closed, '/token?grant_type=password', { email: newEmail(), password: 'x' }),
  ],
  ['phone_provider_disabled', 400, () => post(closed, '/otp', { phone: '+447700900101' })],
  ['anonymous_provider_disabled', 422, () => post(app, '/signup', {})],
  [
    'invalid_credentials',
    400,
    () => post(app, '/token?grant_type=password', { email: newEmail(), password: 'x' }),
  ],
  ['invalid_credentials', 400, () => post(app, '/token?grant_type=card', {})],
  ['email_not_confirmed', 400, () => signInAfter('email_confirmed_at = null')],
  [
    'phone_not_confirmed',
    400,
    async () => {
      const phone = '+447700900103';
      await post(app, '/signup', { phone, password: PASSWORD });
      await sql("update auth.users set phone_confirmed_at = null where phone = '447700900103'");
      return post(app, '/token?grant_type=password', { phone, password: PASSWORD });
    },
  ],
  ['user_banned', 400, () => signInAfter("banned_until = now() + interval '1 hour'")],
  [
    'refresh_token_not_found',
    400,
    () => post(app, '/token?grant_type=refresh_token', { refresh_token: 'none' }),
  ],
  [
    'refresh_token_already_used',
    400,
    async () => {
      const { refresh, bearer } = await person();
      const use = (token: unknown) => post(app, '/token?grant_type=refresh_token', { refresh_token: token });
      const second = await use((await use(refresh)).body.refresh_token);
      await callAuth(app, 'GET', '/user', { bearer: String(second.body.access_token) });
      expect((await callAuth(app, 'GET', '/user', { bearer })).status).toBe(200);
      await sql("update auth.sessions set refreshed_at = now() - interval '1 minute'");
      return use(refresh);
    },
  ],
  [
    'session_not_found',
    400,
    async () => {
      const { refresh, client } = await person();
      await client.auth.signOut();
      return post(app, '/token?grant_type=refresh_token', { refresh_token: refresh });
    },
  ],
  [
    'session_expired',
    400,
    async () => {
      const { refresh, id } = await person();
      await sql("update auth.sessions set updated_at = now() - interval '2 hours' where user_id = $1", [id]);
      return post(strict, '/token?grant_type=refresh_token', { refresh_token: refresh });
    },
  ],
  [
    'flow_state_not_found',
    404,
    () => post(app, '/token?grant_type=pkce', { auth_code: 'none', code_verifier: 'x' }),
  ],
  ['flow_state_expired', 422, () => flow('1 hour')],
  ['bad_code_verifier', 400, () => flow('1 second')],
  ['otp_expired', 403, () => post(app, '/verify', { type: 'signup', email: newEmail(), token: '000000' })],
  ['no_authorization', 401, () => callAuth(app, 'GET', '/user')],
  ['bad_jwt', 403, () => callAuth(app, 'GET', '/user', { bearer: 'none' })],
  [
    'session_not_found',
    403,
    async () => {
      const { bearer, client } = await person();
      await client.auth.signOut();
      return callAuth(app, 'GET', '/user', { bearer });
    },
  ],
  [
    'user_not_found',
    403,
    async () => {
      const { bearer, id } = await person();
      await admin('DELETE', `/users/${id}`);
      return callAuth(app, 'GET', '/user', { bearer });
    },
  ],
  [
    'user_banned',
    403,
    async () => {
      const { bearer, id } = await person();
      await admin('PUT', `/users/${id}`, { ban_duration: '1h' });
      return callAuth(app, 'GET', '/user', { bearer });
    },
  ],
  ['user_not_found', 404, () => admin('GET', `/users/${crypto.randomUUID()}`)],
  ['not_admin', 403, async () => callAuth(app, 'GET', '/admin/users', { bearer: (await person()).bearer })],
  ['same_password', 422, async () => change((await person()).bearer, { password: PASSWORD })],
  [
    'current_password_required',
    400,
    async () => change((await person()).bearer, { password: `${PASSWORD} 2` }),
  ],
  [
    'current_password_invalid',
    400,
    async () => change((await person()).bearer, { password: `${PASSWORD} 2`, current_password: 'wrong' }),
  ],
  [
    'reauthentication_not_valid',
    422,
    async () => change((await person()).bearer, { password: `${PASSWORD} 2`, nonce: '000000' }),
  ],
  ['email_exists', 422, async () => change((await person()).bearer, { email: (await person()).email })],
  [
    'phone_exists',
    422,
    async () => {
      await admin('POST', '/users', { phone: '+447700900104' });
      return change((await person()).bearer, { phone: '+447700900104' });
    },
  ],
  [
    'user_sso_managed',
    422,
    async () => {
      const { bearer, id } = await person();
      await sql('update auth.users set is_sso_user = true where id = $1', [id]);
      return change(bearer, { password: `${PASSWORD} 2` });
    },
  ],
  [
    'email_not_confirmed',
    422,
    async () => {
      const { bearer, id } = await person();
      await sql('update auth.users set email_confirmed_at = null where id = $1', [id]);
      return callAuth(app, 'GET', '/reauthenticate', { bearer });
    },
  ],
  ['insufficient_aal', 401, async () => change((await withFactor()).low, { password: `${PASSWORD} 2` })],
  [
    'insufficient_aal',
    403,
    async () => post(app, '/factors', { factor_type: 'totp' }, (await withFactor()).low),
  ],
  [
    'insufficient_aal',
    422,
    async () => {
      const { low, factorId } = await withFactor();
      return callAuth(app, 'DELETE', `/factors/${factorId}`, { bearer: low });
    },
  ],
  [
    'too_many_enrolled_mfa_factors',
    422,
    async () => {
      const { bearer } = await person();
      return repeated(11, () => post(app, '/factors', { factor_type: 'totp' }, bearer));
    },
  ],
  [
    'mfa_factor_name_conflict',
    422,
    async () => {
      const { bearer } = await person();
      return repeated(2, () => post(app, '/factors', { factor_type: 'totp', friendly_name: 'One' }, bearer));
    },
  ],
  [
    'mfa_factor_not_found',
    404,
    async () => post(app, `/factors/${crypto.randomUUID()}/challenge`, {}, (await person()).bearer),
  ],
  ['mfa_verification_failed', 422, () => challenge()],
  [
    'mfa_challenge_expired',
    422,
    () => challenge("update auth.mfa_challenges set expires_at = now() - interval '1 second' where id = $1"),
  ],
  ['mfa_factor_not_found', 422, () => challenge('delete from auth.mfa_challenges where id = $1')],
  [
    'mfa_webauthn_enroll_not_enabled',
    422,
    async () => post(closed, '/factors', { factor_type: 'webauthn' }, (await person()).bearer),
  ],
  [
    'mfa_phone_enroll_not_enabled',
    422,
    async () =>
      post(closed, '/factors', { factor_type: 'phone', phone: '+447700900105' }, (await person()).bearer),
  ],
  [
    'mfa_phone_verify_not_enabled',
    422,
    async () => {
      const { bearer } = await person();
      const made = await post(app, '/factors', { factor_type: 'phone', phone: '+447700900106' }, bearer);
      return post(closed, `/factors/${made.body.id}/challenge`, {}, bearer);
    },
  ],
  [
    'mfa_verified_factor_exists',
    422,
    async () => {
      const { bearer } = await withFactor();
      return repeated(2, () => post(app, '/factors/recovery-codes', {}, bearer));
    },
  ],
  [
    'mfa_recovery_codes_sole_factor',
    422,
    async () => post(app, '/factors/recovery-codes', {}, (await person()).bearer),
  ],
  [
    'mfa_recovery_codes_locked',
    429,
    async () => {
      const { bearer } = await withFactor();
      await post(app, '/factors/recovery-codes', {}, bearer);
      return repeated(6, () => post(app, '/factors/recovery-codes/verify', { code: 'wrong' }, bearer));
    },
  ],
  [
    'session_not_found',
    404,
    async () => callAuth(app, 'DELETE', '/sessions/none', { bearer: (await person()).bearer }),
  ],
  ['sms_send_failed', 422, () => post(strict, '/otp', { phone: '+447700900107' })],
  [
    'over_sms_send_rate_limit',
    429,
    () => repeated(2, () => post(strict, '/otp', { phone: '+447700900108', create_user: false })),
  ],
  [
    'over_email_send_rate_limit',
    429,
    () => repeated(2, () => post(strict, '/recover', { email: 'twice@customers.example' })),
  ],
  [
    'over_request_rate_limit',
    429,
    () => repeated(31, () => post(strict, '/token?grant_type=refresh_token', { refresh_token: 'none' })),
  ],
];

async function rawPost(body: string, type = 'application/json'): Promise<Reply> {
  const reply = await fetch(`${app.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: app.anonKey, 'content-type': type, 'x-supabase-api-version': '2024-01-01' },
    body,
  });
  return { status: reply.status, body: await reply.json(), headers: reply.headers };
}

test.each(CODES)('%s is answered with %i, in every shape that clients read', async (code, status, make) => {
  const reply = await make();
  expect({ status: reply.status, ...reply.body }).toMatchObject({
    status,
    code,
    error_code: code,
    message: expect.any(String),
    msg: reply.body.message,
  });
  expect(reply.headers.get('x-sb-error-code')).toBe(code);
  expect(reply.headers.get('x-supabase-api-version')).toBe('2024-01-01');
  expect(reply.headers.has('retry-after')).toBe(status === 429);
});

/** Codes whose test takes a set-up of its own, and where it is. */
const ELSEWHERE = new Set([
  // A lock held for five seconds: refresh-session.test.ts.
  'conflict',
]);

test('the table names every code that the sources of the service produce', () => {
  const folder = import.meta.dirname;
  const sources = readdirSync(folder).filter((name) => name.endsWith('.server.ts'));
  const found = sources.flatMap((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const thrown = text.matchAll(/(?:ServiceError\(\s*\d+,|refused\(|'over_)\s*'?([a-z_]+)'/g);
    return [...thrown].map(([all, code = '']) => (all.startsWith("'over_") ? `over_${code}` : code));
  });
  const named = new Set([...CODES.map(([code]) => code), ...ELSEWHERE]);
  expect(found.length).toBeGreaterThan(60);
  expect([...new Set(found)].filter((code) => !named.has(code)).sort()).toEqual([]);
});

test('an older client gets the number as the code, and the word beside it', async () => {
  const reply = await callAuth(app, 'POST', '/signup', {
    body: {},
    headers: { 'x-supabase-api-version': '' },
  });
  expect(reply.body).toMatchObject({ code: 422, error_code: 'anonymous_provider_disabled' });
  const { error } = await newClient(app).auth.signInAnonymously();
  expect(error).toMatchObject({ status: 422, code: 'anonymous_provider_disabled' });
});
