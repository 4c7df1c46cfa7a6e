import type { AuthContext } from './auth-context.server.ts';
import { namedProviders } from './providers/configured-providers.server.ts';

/**
 * The names that the original service lists (its settings.go), on or off; clients read a name without
 * checking that it exists.
 */
const LISTED =
  'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion slack slack_oidc spotify twitch twitter workos zoom';

/** `GET /settings`: the ways to sign in that are open; contains nothing secret. */
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
    // Our addition: the labels of the sign-in buttons.
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
