import type { PublishedSite } from '../contract/site-content.ts';
import type { Settings } from './settings.ts';

/**
 * The settings, with the name, address and social link that the agency published at the console in place of
 * those from the environment. Each use reads them again, so a change takes effect at once.
 */
export function withSiteContent(settings: Settings, site: PublishedSite): Settings {
  const own = { ...settings };
  const define = (name: keyof Settings, get: () => string): void => {
    Object.defineProperty(own, name, { get, enumerable: true });
  };
  define('BRAND', () => site.content.brand?.name ?? settings.BRAND);
  define('CONTACT_EMAIL', () => site.content.brand?.contactEmail ?? settings.CONTACT_EMAIL);
  define('SOCIAL_URL', () => site.content.brand?.socialUrl ?? settings.SOCIAL_URL);
  return own;
}
