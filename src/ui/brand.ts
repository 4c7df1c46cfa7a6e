import type { PageRoute } from '../kernel/contract/routes.ts';
import { type InstalledContent, PublishedSite } from '../kernel/contract/site-content.ts';
import type { SiteTextPlace } from '../kernel/contract/site-texts.ts';

/** What the operator sets about the site and the browser shows. */
export interface SiteSettings {
  readonly brand: string;
  readonly contactEmail: string;
  readonly socialUrl: string;
  /** Text under prices; may be empty. */
  readonly priceNote: string;
  /** What comes with a new account; may be empty. */
  readonly freeNote: string;
}

/** Placeholders for the settings in prerendered pages; the server replaces them when it starts. */
export const PLACEHOLDERS: SiteSettings = {
  brand: '__BRAND__',
  contactEmail: '__CONTACT_EMAIL__',
  socialUrl: 'https://__SOCIAL_URL__',
  priceNote: '__PRICE_NOTE__',
  freeNote: '__FREE_NOTE__',
};

/**
 * The id of the element with the agency's own content, as JSON; missing while everything is the
 * specification's.
 */
export const CONTENT_ELEMENT = 'site-content';

function readSettings(): SiteSettings {
  if (typeof document === 'undefined') return PLACEHOLDERS;
  const { dataset } = document.documentElement;
  return {
    brand: dataset.brand ?? '',
    contactEmail: dataset.contact ?? '',
    socialUrl: dataset.social ?? '',
    priceNote: dataset.priceNote ?? '',
    freeNote: dataset.freeNote ?? '',
  };
}

function readContent(): InstalledContent | undefined {
  const { northlineContent } = globalThis as { northlineContent?: InstalledContent };
  if (typeof document === 'undefined') return northlineContent;
  const text = document.getElementById(CONTENT_ELEMENT)?.textContent;
  return text ? JSON.parse(text) : undefined;
}

/**
 * The agency as this page shows it: its content, and the settings, which are placeholders while the page is printed. It
 * is the page's data and never changes.
 */
export const site = Object.assign(new PublishedSite(readContent()), readSettings());

/** The agency's sentence at a place of the site. */
export const words = (place: SiteTextPlace): string => withSite(site.text(place));

/** Puts the name and the address of the agency into a text. */
export const withSite = (text: string): string =>
  text.replaceAll('{brand}', site.brand).replaceAll('{contactEmail}', site.contactEmail);

/** The title of a page; the agency may set that of the home page. */
export const titleOf = (route: PageRoute): string =>
  withSite(route.path === '/' ? site.text('home.title') : route.title);
