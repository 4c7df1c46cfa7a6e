/** What the operator decides about the site and the browser shows. */
export interface Site {
  readonly brand: string;
  readonly contactEmail: string;
  readonly socialUrl: string;
}

/** Stand in prerendered pages for the settings; the server puts the values in when it starts. */
export const PLACEHOLDERS: Site = {
  brand: '__BRAND__',
  contactEmail: '__CONTACT_EMAIL__',
  socialUrl: 'https://__SOCIAL_URL__',
};

function readSite(): Site {
  if (typeof document === 'undefined') return PLACEHOLDERS;
  const { dataset } = document.documentElement;
  return {
    brand: dataset.brand ?? '',
    contactEmail: dataset.contact ?? '',
    socialUrl: dataset.social ?? '',
  };
}

/** The settings of this page: placeholders while it is printed, the true values in the browser. */
export const site: Site = readSite();
