import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { COURSE_PLANS, DOCUMENT_PLANS, PLANS } from '../../kernel/contract/plans.ts';
import type { PageRoute } from '../../kernel/contract/routes.ts';
import {
  type InstalledContent,
  shownServices,
  siteContent,
  siteText,
} from '../../kernel/contract/site-content.ts';
import { CONTENT_ELEMENT, titleOf, withSite } from '../../ui/brand.ts';

/** Shown by `load-when-needed.ts` when the application cannot be fetched. */
const LOAD_FAILED =
  '<p class="load-failed" role="alert" hidden>Part of this page did not load. <a href="">Load it again</a></p>';

/** What a page of the build refers to; addresses are absolute paths. */
export interface PageFiles {
  readonly head: string;
  readonly loader: string;
  readonly app: string;
  /** Scripts that the page needs with the application, fetched together with it. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
  readonly font: string;
}

/** Pages that are nothing without the application fetch it at once. */
const AT_ONCE = new Set([
  'enquire',
  'course-inquiry',
  'login',
  'signup',
  'reset-password',
  'dashboard',
  'success',
  'analysis',
  'shared-report',
  'operator',
  'news',
  'news-article',
]);

/** A page that was printed. */
export interface PrintedPage {
  readonly route: PageRoute;
  readonly body: string;
  /** The agency's own content, which the page carries for the browser; undefined while there is none. */
  readonly content: InstalledContent | undefined;
}

/** The agency's colours; a page asks for the sheet of exactly those that it was printed with. */
function ownColours(): string[] {
  const { colours } = siteContent();
  if (colours === undefined) return [];
  const words = Object.values(colours).join('').replaceAll('#', '');
  return [`<link rel="stylesheet" href="/site-colours.css?v=${words}">`];
}

function embedded(content: InstalledContent | undefined): string[] {
  if (content === undefined) return [];
  const json = JSON.stringify(content).replaceAll('<', '\\u003c');
  return [`<script type="application/json" id="${CONTENT_ELEMENT}">${json}</script>`];
}

/**
 * The whole document around a printed page. `__BRAND__`, `__PRICE_NOTE__`, `__CONTACT_EMAIL__`,
 * `https://__SOCIAL_URL__` and `__SITE_URL__` (in JSON: `__JSON_…__`) are
 * filled in by the server when it starts (`src/kernel/http/site/placeholders.ts`).
 */
export function printDocument({ route, body, content }: PrintedPage, files: PageFiles): string {
  const title = escapeHtml(titleOf(route));
  const description = escapeHtml(
    withSite(route.path === '/' ? siteText('home.description') : route.description),
  );
  const isNamed = !route.path.includes('*') && !route.path.includes(':');
  const lines = [
    `<!doctype html><html lang="en-GB" data-page="${route.page}" data-load="${AT_ONCE.has(route.page) ? 'now' : 'need'}" data-brand="__BRAND__" data-contact="__CONTACT_EMAIL__" data-social="https://__SOCIAL_URL__" data-price-note="__PRICE_NOTE__"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${title}</title>`,
    `<meta name="description" content="${description}">`,
    ...(route.indexable
      ? [
          `<link rel="canonical" href="__SITE_URL__${route.path}">`,
          '<meta property="og:type" content="website"><meta property="og:site_name" content="__BRAND__">',
          `<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">`,
          `<meta property="og:url" content="__SITE_URL__${route.path}">`,
          '<meta property="og:image" content="__SITE_URL__/share.png"><meta name="twitter:card" content="summary_large_image">',
        ]
      : ['<meta name="robots" content="noindex">']),
    `<meta name="theme-color" content="${siteContent().colours?.paper ?? '#f3f7fa'}" media="(prefers-color-scheme: light)">`,
    '<meta name="theme-color" content="#0a1322" media="(prefers-color-scheme: dark)">',
    `<script src="${files.head}"></script>`,
    `<link rel="preload" href="${files.font}" as="font" type="font/woff2" crossorigin>`,
    ...files.styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...ownColours(),
    ...embedded(content),
    '<link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="apple-touch-icon" href="/touch-icon.png">',
    '<link rel="manifest" href="/site.webmanifest">',
    `<script type="module" src="${files.loader}" data-app="${files.app}" data-modules="${files.modules.join(' ')}"></script>`,
    ...(isNamed && route.path === '/' ? [structuredData()] : []),
    `</head><body><div id="app">${body}</div>${LOAD_FAILED}</body></html>`,
  ];
  return lines.join('\n');
}

/** Organisation, services and plans for search engines; prices from the one catalogue. */
function structuredData(): string {
  const services = [
    ...shownServices().map(({ name }) => name),
    ...(COURSE_PLANS.length > 0 ? ['Personal Course Launcher'] : []),
    ...(DOCUMENT_PLANS.length > 0 ? ['Document Analysis'] : []),
  ];
  const provider = { '@id': '__JSON_SITE_URL__/#organisation' };
  const graph = [
    {
      '@type': 'Organization',
      '@id': '__JSON_SITE_URL__/#organisation',
      name: '__JSON_BRAND__',
      url: '__JSON_SITE_URL__/',
      email: '__JSON_CONTACT_EMAIL__',
      sameAs: ['__JSON_SOCIAL_URL__'],
    },
    ...services.map((name) => ({ '@type': 'Service', name, provider })),
    ...PLANS.map((plan) => ({
      '@type': 'Product',
      name: `${plan.line === 'documents' ? 'Document analysis' : 'Course creation'}: ${plan.name}`,
      description: plan.description,
      brand: { '@type': 'Brand', name: '__JSON_BRAND__' },
      offers: {
        '@type': 'Offer',
        price: (plan.pricePence / 100).toFixed(2),
        priceCurrency: 'GBP',
        url: `__JSON_SITE_URL__/#${plan.line}`,
        availability: 'https://schema.org/InStock',
      },
    })),
  ];
  const json = JSON.stringify({ '@context': 'https://schema.org', '@graph': graph }).replaceAll(
    '<',
    '\\u003c',
  );
  return `<script type="application/ld+json">${json}</script>`;
}
