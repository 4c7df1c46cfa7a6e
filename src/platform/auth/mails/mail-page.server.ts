import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../kernel/contract/html-escape.ts';

/**
 * A short style sheet in the site's colours and shapes: the page appears between two pages of the site and
 * loads nothing.
 */
const STYLE =
  ':root{color-scheme:light dark;--paper:oklch(.972 .006 230);--ink:oklch(.24 .045 255);--signal:oklch(.74 .17 50);--on:oklch(.2 .045 255)}@media(prefers-color-scheme:dark){:root{--paper:oklch(.19 .035 255);--ink:oklch(.95 .012 230);--signal:oklch(.77 .14 52)}}body{font:17px/1.55 Archivo,system-ui,sans-serif;margin:0;display:grid;min-height:100vh;place-items:center;background:var(--paper);color:var(--ink)}main{padding:2rem;max-width:30rem}p.brand{display:flex;align-items:center;gap:.6rem;font-weight:650;font-size:1.2rem;letter-spacing:-.02em}svg{width:2rem;height:2rem;fill:none;stroke-width:5;stroke-linecap:round;stroke-linejoin:round;stroke:var(--signal)}circle{fill:var(--paper);stroke:currentColor;stroke-width:3.6}a{color:inherit}h1{font-size:clamp(2rem,6vw,3rem);line-height:1.05;letter-spacing:-.032em}button{font:600 1rem/1.1 Archivo,system-ui,sans-serif;min-height:3rem;padding:.5rem 1.35rem;border:0;border-radius:8px;background:var(--signal);color:var(--on);cursor:pointer}button:focus-visible,a:focus-visible{outline:3px solid var(--ink);outline-offset:3px}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The content security policy of such a page; its forms may post to this server and to `goal`. */
export function mailPagePolicy(goal = ''): string {
  const targets = `'self' ${goal}`.trim();
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`;
}

/** The headers of a page whose forms post only to this server. */
export const MAIL_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': mailPagePolicy(),
  'x-robots-tag': 'noindex',
};

/**
 * A page without scripts that a link in a mail opens. `body` is HTML; the brand and the heading are escaped
 * here.
 */
export function mailPage(brand: string, heading: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(heading)} · ${escapeHtml(brand)}</title><style>${STYLE}</style></head>
<body><main>
<p class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M3 25h4L25 7h4"/><circle cx="16" cy="16" r="6.2"/></svg>${escapeHtml(brand)}</p>
<h1>${escapeHtml(heading)}</h1>
${body}
</main></body>
</html>`;
}
