import type { Settings } from '../../../kernel/config/settings.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { SignInProvider } from './external-account.server.ts';
import { githubProvider } from './github-provider.server.ts';
import { type OpenidSetting, openidProvider } from './openid-provider.server.ts';

/** Every sign-in provider in the settings, by its name. */
export type Providers = ReadonlyMap<string, SignInProvider>;

/** The one address to which providers send people back. */
export function callbackAddress(siteUrl: string): string {
  return `${siteUrl}${SERVICES.auth}/callback`;
}

/** Creates the providers; nothing is fetched before somebody wants to sign in. */
export function createProviders(resources: Resources): Providers {
  const { settings, siteUrl } = resources;
  const back = callbackAddress(siteUrl);
  const found = openidSettings(settings).map((setting) => openidProvider(setting, back, resources));
  const clientIds = split(settings.AUTH_GITHUB_CLIENT_ID, ',');
  if (clientIds.length > 0) {
    const { AUTH_GITHUB_SECRET: secret, AUTH_GITHUB_URL: url } = settings;
    found.push(githubProvider({ clientIds, secret, url }, back, resources));
  }
  return new Map(found.map((provider) => [provider.name, provider]));
}

/** Name and label of each configured provider, for the settings endpoint and the buttons. */
export function namedProviders(settings: Settings): { name: string; label: string }[] {
  const named = openidSettings(settings).map(({ name, label }) => ({ name, label }));
  return settings.AUTH_GITHUB_CLIENT_ID === '' ? named : [...named, { name: 'github', label: 'GitHub' }];
}

function openidSettings(settings: Settings): OpenidSetting[] {
  const google = split(settings.AUTH_GOOGLE_CLIENT_ID, ',');
  const own = settings.AUTH_OIDC_PROVIDERS.map((provider) => ({
    name: provider.name,
    label: provider.label,
    issuer: provider.issuer,
    clientIds: split(provider.client_id, ','),
    secret: provider.secret,
    scopes: split(provider.scopes, /\s+/),
  }));
  if (google.length === 0) return own;
  const { AUTH_GOOGLE_ISSUER: issuer, AUTH_GOOGLE_SECRET: secret } = settings;
  return [{ name: 'google', label: 'Google', issuer, clientIds: google, secret, scopes: [] }, ...own];
}

function split(text: string, by: string | RegExp): string[] {
  return text
    .split(by)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
