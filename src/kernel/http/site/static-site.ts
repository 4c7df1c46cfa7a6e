import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { PROJECT_ROOT } from '../config/project-root.ts';
import { NOT_FOUND_PAGE, PAGES, type PageRoute, SERVICES } from '../contract/routes.ts';
import type { Resources } from '../resources/resources.ts';
import { fillPlaceholders } from './fill-placeholders.ts';
import { pageHeaders } from './page-headers.ts';
import { llmsText, robots, siteConfig, sitemap, webManifest } from './site-files.ts';
import { type Representation, represent, send } from './static-representation.ts';

/** The site's files and pages, held in memory and answered before any routing. */
export interface StaticSite {
  /** Answers a GET or HEAD for a file or page of the site; false when the address is not one of them. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** Whether `path` is a page or file of the site. */
  has(path: string): boolean;
  /** Sends the page "no such stop" with status 404; false when the site is not built. */
  answerNotFound(request: IncomingMessage, response: ServerResponse): boolean;
}

const DIST = path.join(PROJECT_ROOT, 'dist');
const YEAR = 'public, max-age=31536000, immutable';
const HOUR = 'public, max-age=3600';
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Reads `dist` once, fills the settings into the pages and keeps everything
 * ready to send: bytes per encoding, complete header lines, entity tags.
 */
export async function loadStaticSite(
  resources: Pick<Resources, 'settings' | 'siteUrl' | 'keys' | 'log'>,
): Promise<StaticSite> {
  const exact = new Map<string, Representation>();
  const patterns: { match: RegExp; representation: Representation }[] = [];
  let notFound: Representation | undefined;
  const common = transportHeaders(resources.siteUrl);
  if (!existsSync(path.join(DIST, 'pages'))) {
    resources.log.warn('the site is not built: run npm run build');
  } else {
    for (const [address, representation] of await readFiles(common)) exact.set(address, representation);
    for (const { route, representation } of await readPages(resources, common)) {
      if (route === NOT_FOUND_PAGE) notFound = representation;
      else if (route.path.includes(':')) {
        patterns.push({
          match: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
          representation,
        });
      } else exact.set(route.path, representation);
    }
  }
  const { settings, siteUrl, keys } = resources;
  const made: [string, string, string, string][] = [
    [SERVICES.config, TYPES['.json'] ?? '', 'no-cache', siteConfig(siteUrl, keys, settings.BRAND)],
    ['/site.webmanifest', 'application/manifest+json', HOUR, webManifest(settings.BRAND)],
    ['/robots.txt', TYPES['.txt'] ?? '', HOUR, robots(siteUrl)],
    ['/llms.txt', TYPES['.txt'] ?? '', HOUR, llmsText(siteUrl, settings.BRAND)],
    ['/sitemap.xml', 'application/xml; charset=utf-8', HOUR, sitemap(siteUrl)],
  ];
  for (const [address, type, cache, text] of made) {
    const headers = { ...common, 'content-type': type, 'cache-control': cache };
    exact.set(address, await represent(Buffer.from(text), headers));
  }

  function find(url: string): Representation | undefined {
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
      if (notFound === undefined) return false;
      send(request, response, notFound, 404);
      return true;
    },
  };
}

/** What every reply of the site carries. */
function transportHeaders(siteUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(siteUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  };
}

async function readFiles(common: Record<string, string>): Promise<[string, Representation][]> {
  const folder = path.join(DIST, 'client');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file): Promise<[string, Representation]> => {
      const address = `/${path.relative(folder, file).split(path.sep).join('/')}`;
      const headers = {
        ...common,
        'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
        'cache-control': address.startsWith('/assets/') ? YEAR : HOUR,
      };
      return [
        address,
        await represent(readFileSync(file), headers, { br: read(`${file}.br`), gzip: read(`${file}.gz`) }),
      ];
    }),
  );
}

const read = (file: string): Buffer | undefined => (existsSync(file) ? readFileSync(file) : undefined);

async function readPages(
  { settings, siteUrl }: Pick<Resources, 'settings' | 'siteUrl'>,
  common: Record<string, string>,
): Promise<{ route: PageRoute; representation: Representation }[]> {
  const values = {
    brand: settings.BRAND,
    contactEmail: settings.CONTACT_EMAIL,
    socialUrl: settings.SOCIAL_URL,
    siteUrl,
  };
  const routes = Object.entries<PageRoute>({ ...PAGES, notFound: NOT_FOUND_PAGE });
  const printed = routes.filter(([name]) => existsSync(path.join(DIST, 'pages', `${name}.html`)));
  return Promise.all(
    printed.map(async ([name, route]) => {
      const html = fillPlaceholders(readFileSync(path.join(DIST, 'pages', `${name}.html`), 'utf8'), values);
      const headers = { ...common, ...pageHeaders(siteUrl, route) };
      return { route, representation: await represent(Buffer.from(html), headers) };
    }),
  );
}
