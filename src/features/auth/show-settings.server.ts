import type { AuthContext } from './auth-context.server.ts';

const OFF = ['anonymous_users', 'apple', 'azure', 'facebook', 'github', 'gitlab', 'google', 'phone'];

/** `GET /settings`: which ways in are open; nothing secret. */
export function showSettings({ resources }: AuthContext): Record<string, unknown> {
  const { settings } = resources;
  return {
    external: { ...Object.fromEntries(OFF.map((name) => [name, false])), email: true },
    disable_signup: !settings.AUTH_SIGNUP,
    mailer_autoconfirm: settings.AUTH_AUTOCONFIRM,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    passkeys_enabled: false,
    password_min_length: settings.AUTH_PASSWORD_MIN_LENGTH,
  };
}

/** `GET /health` */
export function showHealth(): Record<string, unknown> {
  return { name: 'auth', version: '2024-01-01', description: 'Accounts and sessions' };
}
