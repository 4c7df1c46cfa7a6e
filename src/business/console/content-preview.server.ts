import type { FastifyReply, FastifyRequest } from 'fastify';
import { coloursSheet } from '../../kernel/contract/colour-mixing.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { servicePages } from '../../kernel/contract/service-pages.ts';
import type { InstalledContent, SiteContent } from '../../kernel/contract/site-content.ts';
import { isUuid } from '../../kernel/contract/uuid.ts';
import type { RateLimit } from '../../kernel/http/rate-limit.ts';
import { pageHeaders } from '../../kernel/http/site/page-headers.ts';
import { printPages } from '../../kernel/http/site/page-printing.ts';
import { fillPlaceholders } from '../../kernel/http/site/placeholders.ts';
import { LOGO_TYPES, logoBytes, ONLY_DRAWN, pageValues } from '../../kernel/http/site/static-site.ts';
import { PREVIEWED_PAGES } from '../content/content.contract.ts';
import { versionPlans } from '../content/plan-versions.server.ts';
import type { ContentScope } from './content-routes.server.ts';

/** Each look prints a page. */
const LIMIT: RateLimit = { name: 'site preview', count: 60, seconds: 60 };
const SCRIPTS = /<script\b[^>]*\bsrc=[^>]*><\/script>/g;

/**
 * `GET /site-preview/{token}/…`: a page as it would be published, without its scripts: nothing in it can be pressed by
 * mistake. The token is the proof, and lasts an hour.
 */
export function mountPreview({ http, resources }: ContentScope): void {
  const { settings, site, siteUrl, database } = resources;

  async function contentOf(request: FastifyRequest): Promise<InstalledContent> {
    await http.rateLimiter.take(LIMIT, http.addressOf(request));
    const { token } = request.params as { token: string };
    const row = isUuid(token)
      ? await database.maybe(
          'select content from private.site_previews where token = $1 and expires_at > now()',
          [token],
        )
      : undefined;
    if (row === undefined)
      throw new ServiceError(404, 'not_found', 'There is no such preview. One lasts an hour: make another.');
    const content = row.content as SiteContent;
    const plans = versionPlans(content, site.installed.plans);
    return { content, ...(plans && { plans }) };
  }

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const installed = await contentOf(request);
    const { token, ...place } = request.params as PreviewedPlace & { token: string };
    const name = nameOf(place, installed.content);
    if (name === undefined) throw new ServiceError(404, 'not_found', 'A preview has no such page.');
    const { brand } = installed.content;
    const { [name]: printed = '' } = await printPages(installed, [name]);
    const html = fillPlaceholders(printed, {
      ...pageValues(settings, siteUrl),
      brand: brand?.name ?? settings.BRAND,
      contactEmail: brand?.contactEmail ?? settings.CONTACT_EMAIL,
      socialUrl: brand?.socialUrl ?? settings.SOCIAL_URL,
    });
    return reply
      .headers({
        ...pageHeaders(siteUrl, PAGES.home),
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      })
      .send(
        html
          .replaceAll(SCRIPTS, '')
          .replace('<html ', '<html data-seen="" ')
          .replace('/site-colours.css', `/site-preview/${token}/colours.css`)
          .replaceAll(/\/logo\.(?:svg|png)(?=\?v=)/g, `/site-preview/${token}/logo`),
      );
  }

  http.server.get('/site-preview/:token/', show);
  http.server.get('/site-preview/:token/services/:service', show);
  http.server.get('/site-preview/:token/:page', async (request, reply) => {
    const { page } = request.params as { page: string };
    if (page === 'logo') {
      const { logo } = (await contentOf(request)).content;
      if (logo === undefined) throw new ServiceError(404, 'not_found', 'This preview has no logo.');
      return reply
        .headers({ ...ONLY_DRAWN, 'cache-control': 'no-store' })
        .type(LOGO_TYPES[logo.type])
        .send(logoBytes(logo));
    }
    if (page !== 'colours.css') return show(request, reply);
    const { colours } = (await contentOf(request)).content;
    return reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(colours === undefined ? '' : coloursSheet(colours));
  });
}

/** What follows the token in a preview's address. */
interface PreviewedPlace {
  readonly page?: string;
  /** The end of the address of a service's page. */
  readonly service?: string;
}

/** The name of a page as it is printed; undefined for one that the previewed content does not have. */
function nameOf({ page = '', service }: PreviewedPlace, content: SiteContent): string | undefined {
  if (service === undefined)
    return Object.hasOwn(PREVIEWED_PAGES, page)
      ? PREVIEWED_PAGES[page as keyof typeof PREVIEWED_PAGES]
      : undefined;
  return servicePages(content).some(({ slug }) => slug === service) ? `service.${service}` : undefined;
}
