import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { PROJECT_ROOT } from '../../config/project-root.ts';
import { coloursSheet, SPECIFIED_COLOURS } from '../../contract/colour-mixing.ts';
import { MESSAGES } from '../../contract/messages.ts';
import { NOT_FOUND_PAGE, type PageRoute, SERVICES } from '../../contract/routes.ts';
import { sitePages } from '../../contract/service-pages.ts';
import type { SiteLogo } from '../../contract/site-content.ts';
import { SITE_TEXTS } from '../../contract/site-texts.ts';
import type { Resources } from '../../resources/resources.ts';
import { drawBrand } from './brand-pictures.ts';
import { llmsText, robots, siteConfig, sitemap, webManifest } from './generated-files.ts';
import { pageHeaders } from './page-headers.ts';
import { type PrintedPages, printPages } from './page-printing.ts';
import { fillPlaceholders, type PageValues } from './placeholders.ts';
import { PLAIN_FONT } from './plain-page.ts';
import { type Representation, represent, send } from './static-representation.ts';

/** The site's files and pages, in memory and served before any routing. */
export interface StaticSite {
  /** Answers a GET or HEAD for a file or page of the site; false when the address is not one of them. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** Whether `path` is a page or file of the site. */
  has(path: string): boolean;
  /** Sends the page "no such stop" with status 404; false when the site is not built. */
  answerNotFound(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * Prints the pages with the content in force and serves them from then on. @throws Error, in which case the former
   * pages stay
   */
  renew(): Promise<void>;
}

const DIST = path.join(PROJECT_ROOT, 'dist');
/** The name on the build's own pictures. */
const DRAWN_NAME = 'Northline';
const YEAR = 'public, max-age=31536000, immutable';
const HOUR = 'public, max-age=3600';
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Reads the build's folder `dist` once, fills the settings into the pages, and stores everything ready to
 * send: bytes by encoding, complete header lines, entity tags.
 */
export async function loadStaticSite(
  resources: Pick<Resources, 'settings' | 'site' | 'siteUrl' | 'keys' | 'log'>,
  dist = DIST,
): Promise<StaticSite> {
  const common = transportHeaders(resources.siteUrl);
  const files = existsSync(path.join(dist, 'pages')) ? readFiles(common, dist) : undefined;
  if (files === undefined) resources.log.warn('the site is not built: run npm run build');
  let build: SiteBuild = { exact: new Map(), patterns: [], notFound: undefined };
  await renew();

  async function renew(): Promise<void> {
    const printed = files === undefined ? {} : await printPages(resources.site.installed);
    const pages = representPages(resources, common, printed);
    const pictures = await renderBrand(resources, common);
    build = arrange(files ?? [], pages);
    for (const [address, representation] of pictures) build.exact.set(address, representation);
    for (const [address, representation] of renderGenerated(resources, common))
      build.exact.set(address, representation);
  }

  function find(url: string): Representation | undefined {
    const { exact, patterns } = build;
    const hit = exact.get(url);
    if (hit !== undefined) return hit;
    const query = url.indexOf('?');
    const address = query === -1 ? url : url.slice(0, query);
    return exact.get(address) ?? patterns.find(({ match }) => match.test(address))?.representation;
  }

  return {
    has: (address) => find(address) !== undefined,
    answer(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false;
      const representation = find(request.url ?? '/');
      if (representation === undefined) return false;
      send(request, response, representation, 200);
      return true;
    },
    answerNotFound(request, response) {
      if (build.notFound === undefined) return false;
      send(request, response, build.notFound, 404);
      return true;
    },
    renew,
  };
}

/** Everything that is served, by address. */
interface SiteBuild {
  readonly exact: Map<string, Representation>;
  readonly patterns: readonly { readonly match: RegExp; readonly representation: Representation }[];
  readonly notFound: Representation | undefined;
}

function arrange(
  files: readonly [string, Representation][],
  pages: readonly { route: PageRoute; representation: Representation }[],
): SiteBuild {
  const hasParameters = (route: PageRoute): boolean => route.path.includes(':');
  const fixed = pages.filter(({ route }) => route !== NOT_FOUND_PAGE && !hasParameters(route));
  return {
    exact: new Map([
      ...files,
      ...fixed.map(({ route, representation }): [string, Representation] => [route.path, representation]),
    ]),
    patterns: pages
      .filter(({ route }) => hasParameters(route))
      .map(({ route, representation }) => ({
        match: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
        representation,
      })),
    notFound: pages.find(({ route }) => route === NOT_FOUND_PAGE)?.representation,
  };
}

/** The files whose content depends on the settings and on what the agency wrote. */
function renderGenerated(
  { settings, site, siteUrl, keys }: Pick<Resources, 'settings' | 'site' | 'siteUrl' | 'keys'>,
  common: Record<string, string>,
): [string, Representation][] {
  const { colours } = site.content;
  const files = [
    ...(colours === undefined
      ? []
      : [
          {
            address: '/site-colours.css',
            type: TYPES['.css'] ?? '',
            cache: HOUR,
            text: coloursSheet(colours),
          },
        ]),
    {
      address: SERVICES.config,
      type: TYPES['.json'] ?? '',
      cache: 'no-cache',
      text: siteConfig(siteUrl, keys, settings.BRAND),
    },
    {
      address: '/site.webmanifest',
      type: 'application/manifest+json',
      cache: HOUR,
      text: webManifest(settings.BRAND),
    },
    { address: '/robots.txt', type: TYPES['.txt'] ?? '', cache: HOUR, text: robots(siteUrl) },
    {
      address: '/llms.txt',
      type: TYPES['.txt'] ?? '',
      cache: HOUR,
      text: llmsText(siteUrl, settings.BRAND, site),
    },
    {
      address: '/sitemap.xml',
      type: 'application/xml; charset=utf-8',
      cache: HOUR,
      text: sitemap(siteUrl, site),
    },
  ];
  return files.map(({ address, type, cache, text }) => {
    const headers = { ...common, 'content-type': type, 'cache-control': cache };
    return [address, represent(Buffer.from(text), headers)];
  });
}

/** Icons and the image of shared links, in the agency's name and colours; none while the build's are right. */
async function renderBrand(
  { settings, site }: Pick<Resources, 'settings' | 'site'>,
  common: Record<string, string>,
): Promise<[string, Representation][]> {
  const { colours, texts, logo } = site.content;
  site.drawnLogo = undefined;
  const name = settings.BRAND;
  const description = texts?.['home.description'];
  if (name === DRAWN_NAME && colours === undefined && description === undefined && logo === undefined)
    return [];
  const drawn = await drawBrand({
    name,
    sentence: (description ?? SITE_TEXTS['home.description']).replaceAll('{brand}', name),
    colours: colours ?? SPECIFIED_COLOURS,
    ...(logo && { logo }),
  });
  const { favicon, touchIcon, share } = drawn;
  site.drawnLogo = drawn.logo;
  const headers = (type: string) => ({ ...common, 'content-type': type, 'cache-control': HOUR });
  const svg = headers(TYPES['.svg'] ?? '');
  const png = headers(TYPES['.png'] ?? '');
  return [
    ['/favicon.svg', represent(Buffer.from(favicon), svg)],
    ['/touch-icon.png', represent(Buffer.from(touchIcon), png)],
    ['/share.png', represent(Buffer.from(share), png)],
    ...(logo === undefined
      ? []
      : [
          [
            `/logo.${logo.type}`,
            represent(logoBytes(logo), { ...headers(LOGO_TYPES[logo.type]), ...ONLY_DRAWN }),
          ] satisfies [string, Representation],
        ]),
  ];
}

/** What a browser may do with a logo that is opened by itself: draw it. */
export const ONLY_DRAWN = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

export const LOGO_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;
export const logoBytes = ({ type, data }: SiteLogo): Buffer =>
  Buffer.from(data, type === 'svg' ? 'utf8' : 'base64');

/** Scripts for pages of other sites: the call library's bundle, and the assistant with what it loads. */
const VOICE_SCRIPTS = '/voice/';
const FOR_ANY_SITE = { 'cross-origin-resource-policy': 'cross-origin', 'access-control-allow-origin': '*' };

/** Headers of every reply of the site. */
function transportHeaders(siteUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(siteUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  };
}

function readFiles(common: Record<string, string>, dist: string): [string, Representation][] {
  const folder = path.join(dist, 'client');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  return files.flatMap((file) => {
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    const headers = {
      ...common,
      ...(address.startsWith(VOICE_SCRIPTS) ? FOR_ANY_SITE : {}),
      'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      'cache-control': address.startsWith('/assets/') ? YEAR : HOUR,
    };
    const built = { br: read(`${file}.br`), gzip: read(`${file}.gz`) };
    const representation = represent(readFileSync(file), headers, built);
    const found: [string, Representation][] = [[address, representation]];
    if (/^\/assets\/archivo-latin-(?!ext-)[^/]*\.woff2$/.test(address))
      found.push([PLAIN_FONT, represent(readFileSync(file), { ...headers, 'cache-control': HOUR })]);
    return found;
  });
}

const read = (file: string): Buffer | undefined => (existsSync(file) ? readFileSync(file) : undefined);

function representPages(
  { settings, site, siteUrl }: Pick<Resources, 'settings' | 'site' | 'siteUrl'>,
  common: Record<string, string>,
  printed: PrintedPages,
): { route: PageRoute; representation: Representation }[] {
  const values = pageValues(settings, siteUrl);
  const routes = sitePages(site.content);
  return Object.entries(printed).map(([name, html]) => {
    const route = routes[name] ?? NOT_FOUND_PAGE;
    const headers = { ...common, ...pageHeaders(siteUrl, route, settings.LIVEKIT_URL) };
    return { route, representation: represent(Buffer.from(fillPlaceholders(html, values)), headers) };
  });
}

/** The settings that a page shows. */
export function pageValues(settings: Resources['settings'], siteUrl: string): PageValues {
  return {
    brand: settings.BRAND,
    contactEmail: settings.CONTACT_EMAIL,
    socialUrl: settings.SOCIAL_URL,
    priceNote: settings.VAT_COUNTRY === '' ? '' : MESSAGES.checkout.vatNote,
    freeNote: settings.FREE_CREDITS === 0 ? '' : MESSAGES.signup.free(settings.FREE_CREDITS),
    siteUrl,
  };
}
