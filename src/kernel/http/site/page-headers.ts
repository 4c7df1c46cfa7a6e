import type { PageRoute } from '../../contract/routes.ts';

/**
 * The headers of a page. The content security policy allows scripts and styles only from the site's own
 * files: no inline script, no style attribute.
 *
 * @param livekit the LiveKit server to which pages with calls connect; empty = none
 */
export function pageHeaders(siteUrl: string, route: PageRoute, livekit = ''): Record<string, string> {
  const socket = siteUrl.replace(/^http/, 'ws');
  const calls =
    livekit === '' ? '' : ` ${new URL(livekit).origin} ${new URL(livekit).origin.replace(/^ws/, 'http')}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      `connect-src 'self' ${socket}${calls}`,
      "media-src 'self' blob:",
      "manifest-src 'self'",
      "worker-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'microphone=(self), camera=(), geolocation=(), payment=()',
    'referrer-policy': 'strict-origin',
    ...(route.indexable ? {} : { 'x-robots-tag': 'noindex' }),
  };
}
