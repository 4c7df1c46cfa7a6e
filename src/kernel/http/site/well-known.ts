import { PAGES } from '../../contract/routes.ts';
import type { Resources } from '../../resources/resources.ts';
import type { HttpContext } from '../http-context.ts';

const SECURITY_DAYS = 180;

/**
 * Addresses that browsers and people try by convention: the old name of the icon, the page to change a
 * password (W3C well-known URL), and the contact for reports of weaknesses (RFC 9116).
 */
export function mountWellKnown(
  { server }: Pick<HttpContext, 'server'>,
  { settings, siteUrl }: Resources,
): void {
  server.get('/favicon.ico', (_request, reply) => reply.redirect('/favicon.svg', 301));
  server.get('/.well-known/change-password', (_request, reply) =>
    reply.redirect(`${PAGES.account.path}#password`, 302),
  );
  server.get('/.well-known/security.txt', (_request, reply) => {
    const expires = new Date(Date.now() + SECURITY_DAYS * 24 * 3600 * 1000);
    expires.setUTCHours(0, 0, 0, 0);
    const lines = [
      `Contact: mailto:${settings.CONTACT_EMAIL}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${siteUrl}/.well-known/security.txt`,
    ];
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  });
}
