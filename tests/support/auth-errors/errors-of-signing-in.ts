import { expect } from 'vitest';
import { newEmail, PASSWORD } from '../customers/auth-client.ts';
import { type Apps, type ErrorCase, errorCalls } from './error-calls.ts';

/** Errors of signing up, signing in, refreshing, and of tokens. */
export function errorsOfSigningIn(apps: Apps): ErrorCase[] {
  const { call, post, admin, sql, person, signInAfter, flow, rawPost } = errorCalls(apps);
  return [
    ['validation_failed', 400, () => post('app', '/signup', { email: 'no address', password: PASSWORD })],
    ['bad_json', 400, async () => rawPost('{"email":')],
    ['unsupported_media_type', 415, async () => rawPost('email=a', 'text/csv')],
    ['body_too_large', 413, async () => rawPost(JSON.stringify({ email: 'a'.repeat(70_000) }))],
    ['not_found', 404, () => call('app', 'GET', '/nothing')],
    ['weak_password', 422, () => post('app', '/signup', { email: newEmail(), password: 'short' })],
    [
      'user_already_exists',
      422,
      async () => post('app', '/signup', { email: (await person()).email, password: PASSWORD }),
    ],
    ['signup_disabled', 422, () => post('closed', '/signup', { email: newEmail(), password: PASSWORD })],
    [
      'email_provider_disabled',
      400,
      () => post('closed', '/token?grant_type=password', { email: newEmail(), password: 'x' }),
    ],
    ['phone_provider_disabled', 400, () => post('closed', '/otp', { phone: '+447700900101' })],
    ['anonymous_provider_disabled', 422, () => post('app', '/signup', {})],
    [
      'invalid_credentials',
      400,
      () => post('app', '/token?grant_type=password', { email: newEmail(), password: 'x' }),
    ],
    ['invalid_credentials', 400, () => post('app', '/token?grant_type=card', {})],
    ['email_not_confirmed', 400, () => signInAfter('email_confirmed_at = null')],
    [
      'phone_not_confirmed',
      400,
      async () => {
        const phone = '+447700900103';
        await post('app', '/signup', { phone, password: PASSWORD });
        await sql("update auth.users set phone_confirmed_at = null where phone = '447700900103'");
        return post('app', '/token?grant_type=password', { phone, password: PASSWORD });
      },
    ],
    ['user_banned', 400, () => signInAfter("banned_until = now() + interval '1 hour'")],
    [
      'refresh_token_not_found',
      400,
      () => post('app', '/token?grant_type=refresh_token', { refresh_token: 'none' }),
    ],
    [
      'refresh_token_already_used',
      400,
      async () => {
        const { refresh, bearer } = await person();
        const use = (token: unknown) =>
          post('app', '/token?grant_type=refresh_token', { refresh_token: token });
        const second = await use((await use(refresh)).body.refresh_token);
        await call('app', 'GET', '/user', { bearer: String(second.body.access_token) });
        expect((await call('app', 'GET', '/user', { bearer })).status).toBe(200);
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
        return post('app', '/token?grant_type=refresh_token', { refresh_token: refresh });
      },
    ],
    [
      'session_expired',
      400,
      async () => {
        const { refresh, id } = await person();
        await sql("update auth.sessions set updated_at = now() - interval '2 hours' where user_id = $1", [
          id,
        ]);
        return post('strict', '/token?grant_type=refresh_token', { refresh_token: refresh });
      },
    ],
    [
      'flow_state_not_found',
      404,
      () => post('app', '/token?grant_type=pkce', { auth_code: 'none', code_verifier: 'x' }),
    ],
    ['flow_state_expired', 422, () => flow('1 hour')],
    ['bad_code_verifier', 400, () => flow('1 second')],
    [
      'otp_expired',
      403,
      () => post('app', '/verify', { type: 'signup', email: newEmail(), token: '000000' }),
    ],
    ['no_authorization', 401, () => call('app', 'GET', '/user')],
    ['bad_jwt', 403, () => call('app', 'GET', '/user', { bearer: 'none' })],
    [
      'session_not_found',
      403,
      async () => {
        const { bearer, client } = await person();
        await client.auth.signOut();
        return call('app', 'GET', '/user', { bearer });
      },
    ],
    [
      'user_not_found',
      403,
      async () => {
        const { bearer, id } = await person();
        await admin('DELETE', `/users/${id}`);
        return call('app', 'GET', '/user', { bearer });
      },
    ],
    [
      'user_banned',
      403,
      async () => {
        const { bearer, id } = await person();
        await admin('PUT', `/users/${id}`, { ban_duration: '1h' });
        return call('app', 'GET', '/user', { bearer });
      },
    ],
    ['user_not_found', 404, () => admin('GET', `/users/${crypto.randomUUID()}`)],
    ['not_admin', 403, async () => call('app', 'GET', '/admin/users', { bearer: (await person()).bearer })],
  ];
}
