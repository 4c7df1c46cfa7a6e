import { isLoopback, type Settings } from '../../kernel/config/settings.ts';
import type { Log } from '../../kernel/resources/log/log.ts';

/**
 * Returns the address when a mail link may lead there: the site itself, or an address on the operator's list
 * (docs/contracts/platform.md §6 "Redirects"; docs/security-attacks.md, attack 11). For anything else it
 * returns the site's address and logs a warning.
 */
export function allowedRedirect(
  wanted: string | null | undefined,
  options: { settings: Pick<Settings, 'AUTH_REDIRECT_URLS'>; siteUrl: string; log: Log },
): string {
  if (wanted === undefined || wanted === null || wanted === '') return options.siteUrl;
  const target = parseStrictly(wanted);
  if (target !== undefined) {
    if (isSameSite(target, new URL(options.siteUrl))) return target.href;
    if (!isForeignAddress(target) && options.settings.AUTH_REDIRECT_URLS.some((glob) => fits(glob, target))) {
      return target.href;
    }
  }
  options.log.warn({ refused: wanted.slice(0, 200) }, 'a redirect address is not on the list');
  return options.siteUrl;
}

/**
 * An absolute address without user, control characters, blanks or backslashes, because browsers read those in
 * their own ways.
 */
function parseStrictly(text: string): URL | undefined {
  if (text.length > 2048 || /[\s\p{Cc}\\]/u.test(text)) return undefined;
  const target = URL.parse(text);
  if (target === null || target.username !== '' || target.password !== '') return undefined;
  if (['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:'].includes(target.protocol)) {
    return undefined;
  }
  // The host as written must be the host after parsing: no punycode look-alike in another spelling.
  if (target.host !== '' && !text.toLowerCase().startsWith(`${target.protocol}//${target.host}`))
    return undefined;
  return target;
}

/** The same origin, or another name of this machine at the same port in development. */
function isSameSite(target: URL, site: URL): boolean {
  if (target.origin === site.origin && target.origin !== 'null') return true;
  return (
    isLoopback(target.hostname) &&
    isLoopback(site.hostname) &&
    target.port === site.port &&
    target.protocol === site.protocol
  );
}

function isForeignAddress(target: URL): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  return (/^[\d.]+$/.test(host) || host.includes(':')) && !isLoopback(host);
}

/** `*` stands for anything but `.` and `/`, `**` for anything, `?` for one character other than those. */
function fits(glob: string, target: URL): boolean {
  const pattern = glob
    .split(/(\*\*|\*|\?)/)
    .map((piece) => {
      if (piece === '**') return '.*';
      if (piece === '*') return '[^./]*';
      if (piece === '?') return '[^./]';
      return RegExp.escape(piece);
    })
    .join('');
  const address = `${target.href.replace(/#.*$/, '')}`;
  const expression = new RegExp(`^${pattern}/?$`, 'u');
  return expression.test(address) || expression.test(address.replace(/\?.*$/, ''));
}
