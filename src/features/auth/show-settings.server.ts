import type { AuthContext } from './auth-context.server.ts';

const OFF = ['apple', 'azure', 'facebook', 'github', 'gitlab', 'google'];

/** `GET /settings`: which ways in are open; nothing secret. */
export function showSettings({ resources }: AuthContext): Record<string, unknown> {
  const { settings } = resources;
  return {
    external: {
      ...Object.fromEntries(OFF.map((name) => [name, false])),
      anonymous_users: settings.AUTH_ANONYMOUS,
      email: true,
      phone: settings.AUTH_PHONE,
    },
    disable_signup: !settings.AUTH_SIGNUP,
    mailer_autoconfirm: settings.AUTH_AUTOCONFIRM,
    phone_autoconfirm: settings.AUTH_AUTOCONFIRM,
    sms_provider: resources.sms.provider,
    saml_enabled: false,
    passkeys_enabled: false,
    password_min_length: settings.AUTH_PASSWORD_MIN_LENGTH,
  };
}

/** `GET /health` */
export function showHealth(): Record<string, unknown> {
  return { name: 'auth', version: '2024-01-01', description: 'Accounts and sessions' };
}
