import { formatMoney } from '@northline/vat/money';
import { BOOK_PATH, PAGES, type PageRoute } from '../../contract/routes.ts';
import { sitePages } from '../../contract/service-pages.ts';
import type { PublishedSite } from '../../contract/site-content.ts';
import type { Keys } from '../../resources/crypto/keys.ts';

/** `/config.json`: settings that browsers may see (docs/contracts/platform.md §1). */
export function siteConfig(siteUrl: string, keys: Keys, brand: string): string {
  return JSON.stringify({
    siteUrl,
    publicKey: keys.anon_key,
    brand,
    voicePublicKey: keys.voice_public_key,
    voiceAssistantId: keys.voice_assistant_id,
  });
}

/** Search engines may read everything public; private pages and services are of no use to them. */
export function robots(siteUrl: string): string {
  const closed = ['/dashboard', '/success', '/cancel', '/functions/', '/auth/', '/rest/', '/storage/'];
  return [
    'User-agent: *',
    ...closed.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${siteUrl}/sitemap.xml`,
    '',
  ].join('\n');
}

/** Lists the indexable pages of the contract. */
export function sitemap(siteUrl: string, { content }: PublishedSite): string {
  const escaped = siteUrl.replaceAll('&', '&amp;');
  const paths = Object.values(sitePages(content))
    .filter((route) => route.indexable)
    .map((route) => route.path);
  const urls = [...paths, BOOK_PATH].map((path) => `<url><loc>${escaped}${path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`;
}

/** `/llms.txt`: describes the site to programs that read it on a person's behalf. */
export function llmsText(siteUrl: string, brand: string, site: PublishedSite): string {
  const pages = Object.values(sitePages(site.content)).filter((route) => route.indexable);
  const lineOf = (route: PageRoute): string => {
    const isHome = route === PAGES.home;
    const title = isHome ? site.text('home.title') : route.title;
    const description = (isHome ? site.text('home.description') : route.description).replaceAll(
      '{brand}',
      brand,
    );
    return `- [${title.replaceAll('{brand}', brand)}](${siteUrl}${route.path}): ${description}`;
  };
  return [
    `# ${brand}`,
    '',
    `> ${site.services.map(({ name }) => name).join(', ')}.`,
    '',
    '## Pages',
    ...pages.map(lineOf),
    '',
    '## Plans, per month',
    ...site.plans.sold.map(
      (plan) =>
        `- ${plan.line}: ${plan.name}, ${formatMoney(plan.pricePence, plan.currency)}. ${plan.description}`,
    ),
    '',
  ].join('\n');
}

/** The web application manifest. */
export function webManifest(brand: string): string {
  return JSON.stringify({
    name: brand,
    short_name: brand,
    start_url: '/',
    display: 'browser',
    lang: 'en-GB',
    background_color: '#f3f7fa',
    theme_color: '#f3f7fa',
    icons: [
      { src: '/favicon.svg', type: 'image/svg+xml', sizes: 'any' },
      { src: '/touch-icon.png', type: 'image/png', sizes: '180x180' },
    ],
  });
}
