import { escapeHtml } from '../../contract/html-escape.ts';

/** The settings that pages show, and the public address of the site. */
export interface PageValues {
  readonly brand: string;
  readonly contactEmail: string;
  readonly socialUrl: string;
  readonly siteUrl: string;
  /** Text under prices; may be empty. */
  readonly priceNote: string;
  /** What comes with a new account; may be empty. */
  readonly freeNote: string;
}

/** Escapes text for the inside of a JSON string in a script element. */
function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('<', '\\u003c');
}

/** Puts the settings into a printed page. An address that is not http(s) becomes `#`. */
export function fillPlaceholders(html: string, values: PageValues): string {
  const protocol = URL.parse(values.socialUrl)?.protocol ?? '';
  const socialUrl = /^https?:$/.test(protocol) ? values.socialUrl : '#';
  const fills: Record<string, string> = {
    'https://__SOCIAL_URL__': escapeHtml(socialUrl),
    __BRAND__: escapeHtml(values.brand),
    __CONTACT_EMAIL__: escapeHtml(values.contactEmail),
    __SITE_URL__: escapeHtml(values.siteUrl),
    __PRICE_NOTE__: escapeHtml(values.priceNote),
    __FREE_NOTE__: escapeHtml(values.freeNote),
    __JSON_BRAND__: escapeJson(values.brand),
    __JSON_CONTACT_EMAIL__: escapeJson(values.contactEmail),
    __JSON_SOCIAL_URL__: escapeJson(socialUrl),
    __JSON_SITE_URL__: escapeJson(values.siteUrl),
  };
  // Replaced in one pass, so that a value that looks like a placeholder is not replaced itself.
  return html.replace(
    /https:\/\/__SOCIAL_URL__|__(?:JSON_)?(?:BRAND|CONTACT_EMAIL|FREE_NOTE|PRICE_NOTE|SOCIAL_URL|SITE_URL)__/g,
    (placeholder) => fills[placeholder] ?? placeholder,
  );
}
