import { createHash } from 'node:crypto';
import { escapeHtml } from '../../contract/html-escape.ts';
import { holdsName } from '../../contract/site-content.ts';
import type { Agency } from '../../resources/resources.ts';

/** The site's typeface at an address without a hash; without the build, pages show the system's. */
export const PLAIN_FONT = '/archivo.woff2';
/** The rule for the picture of `brandMark`: on white where the page is dark, as a logo may be dark itself. */
export const LOGO_STYLE =
  '.logo{width:auto;max-width:min(11rem,42vw);height:2.25rem;object-fit:contain;padding:.2rem;border-radius:.4rem;background:light-dark(transparent,#fff)}';
/** A short style sheet in the site's colours and shapes. The page needs no file, so it works without the build. */
const STYLE = `@font-face{font-family:Archivo;src:url(${PLAIN_FONT}) format("woff2");font-weight:400 800;font-display:swap}
:root{color-scheme:light dark;--paper:oklch(.972 .006 230);--surface:oklch(.995 .003 230);--line:oklch(.87 .014 235);--edge:oklch(.6 .03 245);--ink:oklch(.24 .045 255);--muted:oklch(.46 .035 250);--signal:oklch(.74 .17 50);--on:oklch(.2 .045 255)}
@media(prefers-color-scheme:dark){:root{--paper:oklch(.19 .035 255);--surface:oklch(.235 .042 255);--line:oklch(.36 .04 255);--edge:oklch(.58 .03 245);--ink:oklch(.95 .012 230);--muted:oklch(.76 .025 240);--signal:oklch(.77 .14 52)}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.55 Archivo,system-ui,sans-serif}
${LOGO_STYLE}
main{max-width:38rem;margin:0 auto;padding:2rem 1.1rem 4rem}.brand{margin:0 0 2.5rem}.brand a{display:inline-flex;align-items:center;gap:.6rem;font-weight:650;font-size:1.2rem;letter-spacing:-.02em;text-decoration:none}
.short{display:grid;min-height:100vh;place-items:center}.short main{max-width:30rem;padding:2rem}.wide main{max-width:48rem}
svg{width:2rem;height:2rem;fill:none;stroke-width:5;stroke-linecap:round;stroke-linejoin:round;stroke:var(--signal)}circle{fill:var(--paper);stroke:currentColor;stroke-width:3.6}
h1{margin:0 0 1rem;font-size:clamp(2rem,6vw,3rem);line-height:1.05;letter-spacing:-.032em}h2{margin:0 0 .4rem;font-size:1.25rem;letter-spacing:-.02em}p{margin:.4rem 0}h2,p,pre{overflow-wrap:anywhere}.muted,article p,article summary{color:var(--muted)}
article{margin-top:1.5rem;padding:1.25rem;border:1px solid var(--line);border-radius:16px;background:var(--surface)}
summary{cursor:pointer;min-height:2.75rem;line-height:2.75rem;font-weight:600}form{margin-top:1rem}
button{font:inherit;min-height:3rem;border-radius:8px;padding:.5rem 1.35rem;border:0;font-weight:600;background:var(--signal);color:var(--on);cursor:pointer}
pre{margin:.9rem 0;font:inherit;white-space:pre-wrap}iframe{width:100%;height:24rem;border:1px solid var(--edge);border-radius:8px;background:#fff}
a{color:inherit}:focus-visible{outline:3px solid var(--ink);outline-offset:3px}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page without scripts and without files of the build. The server writes it by itself. */
export interface PlainPage {
  /** Whose page it is. */
  readonly agency: Agency;
  readonly heading: string;
  /** HTML under the heading; the caller has escaped its texts. */
  readonly body: string;
  /** A few lines in the middle of the window, or a long list. */
  readonly width?: 'short' | 'wide';
}

/** The agency's logo, or the house's mark, and beside it the name where the logo does not hold it, as HTML. */
export function brandMark({ settings: { BRAND: brand }, site: { logo } }: Agency): string {
  if (logo === undefined)
    return `<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M3 25h4L25 7h4"/><circle cx="16" cy="16" r="6.2"/></svg>${escapeHtml(brand)}`;
  const [alt, name] = holdsName(logo) ? [brand, ''] : ['', brand];
  const { src, width, height } = logo;
  return `<img class="logo" src="${escapeHtml(src)}" width="${width}" height="${height}" alt="${escapeHtml(alt)}">${escapeHtml(name)}`;
}

/** Returns the page as HTML; the brand and the heading are escaped here. */
export function plainPage({ agency, heading, body, width = 'short' }: PlainPage): string {
  const brand = agency.settings.BRAND;
  return `<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/favicon.svg" type="image/svg+xml"><title>${escapeHtml(heading)} · ${escapeHtml(brand)}</title><style>${STYLE}</style></head>
<body class="${width}"><main>
<p class="brand"><a href="/">${brandMark(agency)}</a></p>
<h1>${escapeHtml(heading)}</h1>
${body}
</main></body>
</html>`;
}

/** What such a page may do besides its own forms and its icon. */
interface PlainPageNeeds {
  /** An origin besides this server's, to which the answer to a form may redirect. */
  readonly formGoal?: string;
  /** True for a page that shows pages of this server in frames. */
  readonly frames?: boolean;
}

/**
 * The headers of such a page: its content security policy, and headers that keep its address from caches and other
 * sites, because the address often carries a secret.
 */
export function plainPageHeaders({
  formGoal = '',
  frames = false,
}: PlainPageNeeds = {}): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "img-src 'self'",
    "font-src 'self'",
    `form-action 'self' ${formGoal}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(frames ? ["frame-src 'self'"] : []),
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  };
}
