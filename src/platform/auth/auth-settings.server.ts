import type { AuthContext } from './auth-context.server.ts';
import { namedProviders } from './providers/configured-providers.server.ts';

const OFF = ['apple', 'azure', 'facebook', 'github', 'gitlab', 'google'];

/** `GET /settings`: which ways in are open; nothing secret. */
export function showSettings({ resources }: AuthContext): Record<string, unknown> {
  const { settings } = resources;
  const named = namedProviders(settings);
  return {
    external: {
      ...Object.fromEntries(OFF.map((name) => [name, false])),
      anonymous_users: settings.AUTH_ANONYMOUS,
      email: settings.AUTH_EMAIL,
      phone: settings.AUTH_PHONE,
      ...Object.fromEntries(named.map(({ name }) => [name, true])),
    },
    // Ours: what the sign-in buttons say.
    external_labels: Object.fromEntries(named.map(({ name, label }) => [name, label])),
    disable_signup: !settings.AUTH_SIGNUP,
    mailer_autoconfirm: settings.AUTH_AUTOCONFIRM,
    phone_autoconfirm: settings.AUTH_AUTOCONFIRM,
    sms_provider: resources.sms.provider,
    saml_enabled: settings.AUTH_SAML,
    passkeys_enabled: settings.AUTH_PASSKEYS,
    manual_linking_enabled: settings.AUTH_MANUAL_LINKING,
    grace_days: settings.AUTH_GRACE_DAYS,
    password_min_length: settings.AUTH_PASSWORD_MIN_LENGTH,
  };
}

/** `GET /health` */
export function showHealth(): Record<string, unknown> {
  return { name: 'auth', version: '2024-01-01', description: 'Accounts and sessions' };
}
