import { PASSWORD } from '../customers/auth-client.ts';
import { type Apps, type ErrorCase, errorCalls } from './error-calls.ts';

/** Errors of changing an account, its factors and sessions, and of limits. */
export function errorsOfChanges(apps: Apps): ErrorCase[] {
  const { call, post, admin, change, sql, person, withFactor, challenge, repeated, untilRefused } =
    errorCalls(apps);
  return [
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
        return call('app', 'GET', '/reauthenticate', { bearer });
      },
    ],
    ['insufficient_aal', 401, async () => change((await withFactor()).low, { password: `${PASSWORD} 2` })],
    [
      'insufficient_aal',
      403,
      async () => post('app', '/factors', { factor_type: 'totp' }, (await withFactor()).low),
    ],
    [
      'insufficient_aal',
      422,
      async () => {
        const { low, factorId } = await withFactor();
        return call('app', 'DELETE', `/factors/${factorId}`, { bearer: low });
      },
    ],
    [
      'too_many_enrolled_mfa_factors',
      422,
      async () => {
        const { bearer } = await person();
        return repeated(11, () => post('app', '/factors', { factor_type: 'totp' }, bearer));
      },
    ],
    [
      'mfa_factor_name_conflict',
      422,
      async () => {
        const { bearer } = await person();
        return repeated(2, () =>
          post('app', '/factors', { factor_type: 'totp', friendly_name: 'One' }, bearer),
        );
      },
    ],
    [
      'mfa_factor_not_found',
      404,
      async () => post('app', `/factors/${crypto.randomUUID()}/challenge`, {}, (await person()).bearer),
    ],
    ['mfa_verification_failed', 422, () => challenge()],
    [
      'mfa_challenge_expired',
      422,
      () =>
        challenge("update auth.mfa_challenges set expires_at = now() - interval '1 second' where id = $1"),
    ],
    ['mfa_factor_not_found', 422, () => challenge('delete from auth.mfa_challenges where id = $1')],
    [
      'mfa_webauthn_enroll_not_enabled',
      422,
      async () => post('closed', '/factors', { factor_type: 'webauthn' }, (await person()).bearer),
    ],
    [
      'mfa_phone_enroll_not_enabled',
      422,
      async () =>
        post('closed', '/factors', { factor_type: 'phone', phone: '+447700900105' }, (await person()).bearer),
    ],
    [
      'mfa_phone_verify_not_enabled',
      422,
      async () => {
        const { bearer } = await person();
        const made = await post('app', '/factors', { factor_type: 'phone', phone: '+447700900106' }, bearer);
        return post('closed', `/factors/${made.body.id}/challenge`, {}, bearer);
      },
    ],
    [
      'mfa_verified_factor_exists',
      422,
      async () => {
        const { bearer } = await withFactor();
        return repeated(2, () => post('app', '/factors/recovery-codes', {}, bearer));
      },
    ],
    [
      'mfa_recovery_codes_sole_factor',
      422,
      async () => post('app', '/factors/recovery-codes', {}, (await person()).bearer),
    ],
    [
      'mfa_recovery_codes_locked',
      429,
      async () => {
        const { bearer } = await withFactor();
        await post('app', '/factors/recovery-codes', {}, bearer);
        return repeated(6, () => post('app', '/factors/recovery-codes/verify', { code: 'wrong' }, bearer));
      },
    ],
    [
      'session_not_found',
      404,
      async () => call('app', 'DELETE', '/sessions/none', { bearer: (await person()).bearer }),
    ],
    ['sms_send_failed', 422, () => post('strict', '/otp', { phone: '+447700900107' })],
    [
      'over_sms_send_rate_limit',
      429,
      () => repeated(2, () => post('strict', '/otp', { phone: '+447700900108', create_user: false })),
    ],
    [
      'over_email_send_rate_limit',
      429,
      () => repeated(2, () => post('strict', '/recover', { email: 'twice@customers.example' })),
    ],
    [
      'over_request_rate_limit',
      429,
      // A burst of thirty, and one more every two seconds: the test does not wait for a clock.
      () => untilRefused(() => post('strict', '/token?grant_type=refresh_token', { refresh_token: 'none' })),
    ],
  ];
}
