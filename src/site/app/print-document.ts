import { decimalMoney } from '@northline/vat/amounts';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { pageText } from '../../kernel/contract/page-texts.ts';
import { PAGES, type PageRoute, SERVICES } from '../../kernel/contract/routes.ts';
import { type ServicePage, servicePages } from '../../kernel/contract/service-pages.ts';
import type { InstalledContent } from '../../kernel/contract/site-content.ts';
import { CONTENT_ELEMENT, site, titleOf, withSite } from '../../ui/brand.ts';

/** Shown by `load-when-needed.ts` when the application cannot be fetched. */
const LOAD_FAILED =
  '<p class="load-failed" role="alert" hidden>Part of this page did not load. <a href="">Load it again</a></p>';

/** The files that a page of the build refers to; addresses are absolute paths. */
export interface PageFiles {
  readonly head: string;
  readonly loader: string;
  readonly app: string;
  /** Scripts that the page needs besides the application, fetched together with it. */
  readonly modules: readonly string[];
  /** The Supabase client, which the application fetches when it needs it. */
  readonly client: string;
  readonly styles: readonly string[];
  readonly font: string;
}

/** Pages that show nothing useful without the application fetch it at once. */
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
  'sample-report',
  'status',
]);

/** A page that was printed. */
export interface PrintedPage {
  readonly route: PageRoute;
  readonly body: string;
  /** The agency's own content, embedded for the browser; undefined when there is none. */
  readonly content: InstalledContent | undefined;
}

/** The agency's colours; a page links to the style sheet of exactly those it was printed with. */
function ownColours(): string[] {
  const { colours } = site.content;
  if (colours === undefined) return [];
  const words = Object.values(colours).join('').replaceAll('#', '');
  return [`<link rel="stylesheet" href="/site-colours.css?v=${words}">`];
}

/** Part of the addresses of the brand's pictures, so that a new name or colour is fetched at once. */
function pictureVersion(): string {
  const { brand, colours } = site.content;
  const logo = site.logo?.src.replace(/.*=/, '') ?? '';
  const words = [brand?.name ?? '', ...Object.values(colours ?? {}), logo].join('');
  return words === '' ? '' : `?v=${encodeURIComponent(words.replaceAll('#', ''))}`;
}

function embedded(content: InstalledContent | undefined): string[] {
  if (content === undefined) return [];
  const json = JSON.stringify(content).replaceAll('<', '\\u003c');
  return [`<script type="application/json" id="${CONTENT_ELEMENT}">${json}</script>`];
}

/**
 * The whole document around a printed page. When the server starts, it replaces `__BRAND__`,
 * `__PRICE_NOTE__`, `__FREE_NOTE__`, `__CONTACT_EMAIL__`, `https://__SOCIAL_URL__` and `__SITE_URL__` (in
 * JSON: `__JSON_…__`) (`src/kernel/http/site/placeholders.ts`).
 */
export function printDocument({ route, body, content }: PrintedPage, files: PageFiles): string {
  const title = escapeHtml(titleOf(route));
  const description = escapeHtml(
    withSite(route.path === '/' ? site.text('home.description') : route.description),
  );
  const lines = [
    `<!doctype html><html lang="en-GB" data-page="${route.page}" data-load="${AT_ONCE.has(route.page) ? 'now' : 'need'}" data-brand="__BRAND__" data-contact="__CONTACT_EMAIL__" data-social="https://__SOCIAL_URL__" data-price-note="__PRICE_NOTE__" data-free-note="__FREE_NOTE__"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${title}</title>`,
    `<meta name="description" content="${description}">`,
    ...(route.indexable
      ? [
          `<link rel="canonical" href="__SITE_URL__${route.path}">`,
          '<meta property="og:type" content="website"><meta property="og:site_name" content="__BRAND__">',
          `<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">`,
          `<meta property="og:url" content="__SITE_URL__${route.path}">`,
          `<meta property="og:image" content="__SITE_URL__/share.png${pictureVersion()}"><meta property="og:image:alt" content="__BRAND__">`,
          '<meta name="twitter:card" content="summary_large_image">',
        ]
      : ['<meta name="robots" content="noindex">']),
    `<meta name="theme-color" content="${site.content.colours?.paper ?? '#f3f7fa'}" media="(prefers-color-scheme: light)">`,
    '<meta name="theme-color" content="#0a1322" media="(prefers-color-scheme: dark)">',
    `<script src="${files.head}"></script>`,
    `<link rel="preload" href="${files.font}" as="font" type="font/woff2" crossorigin>`,
    // The application asks for it before anything else, but late: it has to be there first.
    ...(route.needsSession ? [`<link rel="preload" href="${SERVICES.config}" as="fetch" crossorigin>`] : []),
    ...files.styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...ownColours(),
    ...embedded(content),
    `<link rel="icon" href="/favicon.svg${pictureVersion()}" type="image/svg+xml"><link rel="apple-touch-icon" href="/touch-icon.png${pictureVersion()}">`,
    '<link rel="manifest" href="/site.webmanifest">',
    `<script type="module" src="${files.loader}" data-app="${files.app}" data-modules="${modulesOf(route, files).join(' ')}"></script>`,
    ...structuredData(route),
    `</head><body><div id="app">${body}</div>${LOAD_FAILED}</body></html>`,
  ];
  return lines.join('\n');
}

/** What a page loads together with the application: for somebody who signed in, the client too. */
function modulesOf({ needsSession }: PageRoute, { modules, client }: PageFiles): readonly string[] {
  return needsSession ? [...modules, client] : modules;
}

/** Describes the page to search engines. */
function structuredData(route: PageRoute): string[] {
  if (route === PAGES.home) return [scriptOf(offers())];
  if (route === PAGES.faq) return [scriptOf([questions()])];
  const service = servicePages(site.content).find(({ path }) => path === route.path);
  return service === undefined ? [] : [scriptOf(aboutService(service))];
}

function scriptOf(graph: readonly object[]): string {
  const json = JSON.stringify({ '@context': 'https://schema.org', '@graph': graph });
  return `<script type="application/ld+json">${json.replaceAll('<', '\\u003c')}</script>`;
}

const inJson = (text: string): string =>
  text.replaceAll('{brand}', '__JSON_BRAND__').replaceAll('{contactEmail}', '__JSON_CONTACT_EMAIL__');

/** Each heading is a question; the text below it is the answer. */
function questions(): object {
  const entries = pageText(site, 'faq')
    .split(/^## /m)
    .slice(1)
    .map((entry) => {
      const [name = '', ...answer] = entry.split('\n');
      const text = answer.join(' ').replace(/\s+/g, ' ').trim();
      return { '@type': 'Question', name, acceptedAnswer: { '@type': 'Answer', text: inJson(text) } };
    });
  return { '@type': 'FAQPage', mainEntity: entries };
}

function aboutService({ name, lead, path }: ServicePage): object[] {
  const url = `__JSON_SITE_URL__${path}`;
  return [
    {
      '@type': 'Service',
      name,
      description: lead,
      url,
      provider: { '@type': 'Organization', name: '__JSON_BRAND__' },
    },
    {
      '@type': 'BreadcrumbList',
      itemListElement: [
        { '@type': 'ListItem', position: 1, name: 'Services', item: '__JSON_SITE_URL__/#services' },
        { '@type': 'ListItem', position: 2, name, item: url },
      ],
    },
  ];
}

/** Organisation, services and plans; the prices come from the catalogue. */
function offers(): object[] {
  const services = [
    ...site.services.map(({ name }) => name),
    ...(site.plans.courses.length > 0 ? ['Personal Course Launcher'] : []),
    ...(site.plans.documents.length > 0 ? ['Document Analysis'] : []),
  ];
  const provider = { '@id': '__JSON_SITE_URL__/#organisation' };
  return [
    {
      '@type': 'Organization',
      '@id': '__JSON_SITE_URL__/#organisation',
      name: '__JSON_BRAND__',
      url: '__JSON_SITE_URL__/',
      email: '__JSON_CONTACT_EMAIL__',
      sameAs: ['__JSON_SOCIAL_URL__'],
    },
    ...services.map((name) => ({ '@type': 'Service', name, provider })),
    ...site.plans.sold.map((plan) => ({
      '@type': 'Product',
      name: `${plan.line === 'documents' ? 'Document analysis' : 'Course creation'}: ${plan.name}`,
      description: plan.description,
      brand: { '@type': 'Brand', name: '__JSON_BRAND__' },
      offers: {
        '@type': 'Offer',
        price: decimalMoney(plan.pricePence, plan.currency),
        priceCurrency: plan.currency,
        url: `__JSON_SITE_URL__/#${plan.line}`,
        availability: 'https://schema.org/InStock',
      },
    })),
  ];
}
