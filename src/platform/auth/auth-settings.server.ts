import type { AuthContext } from './auth-context.server.ts';
import { namedProviders } from './providers/configured-providers.server.ts';

/** What the original service lists, on or off (its settings.go); clients look a name up without asking whether it is there. */
const LISTED =
  'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion slack slack_oidc spotify twitch twitter workos zoom';

/** `GET /settings`: which ways in are open; nothing secret. */
export function showSettings({ resources }: AuthContext): Record<string, unknown> {
  const { settings } = resources;
  const named = namedProviders(settings);
  return {
    external: {
      ...Object.fromEntries(LISTED.split(' ').map((name) => [name, false])),
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
