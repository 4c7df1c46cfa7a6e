import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../kernel/contract/html-escape.ts';
import { brandMark, LOGO_STYLE, PLAIN_FONT } from '../../../kernel/http/site/plain-page.ts';
import type { Agency } from '../../../kernel/resources/resources.ts';

/** The script of the booking page: the visitor's time zone, arrow keys, the chosen scheme. The page works without it. */
const SCRIPT = '/booking-page.js';
/** The colours that the agency chose, which define the variables `--light-…` and `--dark-…`. */
const COLOURS = '/site-colours.css';

const STYLE = `@font-face{font-family:Archivo;src:url(${PLAIN_FONT}) format("woff2");font-weight:400 800;font-display:swap}
@view-transition{navigation:auto}
:root{color-scheme:light dark;--paper:light-dark(var(--light-paper,oklch(.972 .006 230)),oklch(.19 .035 255));--surface:light-dark(var(--light-surface,oklch(.995 .003 230)),oklch(.235 .042 255));--sunk:light-dark(var(--light-sunk,oklch(.945 .009 230)),oklch(.29 .045 255));--line:light-dark(var(--light-line,oklch(.87 .014 235)),oklch(.36 .045 255));--edge:light-dark(var(--light-edge,oklch(.6 .03 245)),oklch(.6 .04 250));--ink:light-dark(var(--light-ink,oklch(.24 .045 255)),oklch(.95 .012 230));--muted:light-dark(var(--light-muted,oklch(.46 .035 250)),oklch(.75 .03 240));--signal:light-dark(var(--light-signal,oklch(.74 .17 50)),var(--dark-signal,oklch(.77 .14 52)));--on:light-dark(var(--light-on-signal,oklch(.2 .045 255)),var(--dark-on-signal,oklch(.18 .04 255)));--bad:light-dark(oklch(.52 .2 25),oklch(.71 .17 25))}
:root[data-scheme=light]{color-scheme:light}:root[data-scheme=dark]{color-scheme:dark}
*{box-sizing:border-box}body{margin:0;min-height:100vh;background:var(--paper);color:var(--ink);font:1rem/1.5 Archivo,system-ui,sans-serif;display:flex;flex-direction:column}
a{color:inherit;text-underline-offset:.18em}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
header,footer{display:flex;justify-content:space-between;align-items:center;gap:1rem;width:100%;max-width:70rem;margin:0 auto;padding:1.1rem clamp(1.1rem,4vw,2rem)}
.brand{display:flex;align-items:center;gap:.6rem;font-weight:650;font-size:1.15rem;letter-spacing:-.02em;text-decoration:none;min-height:2.75rem}.brand svg{width:1.9rem;height:1.9rem;fill:none;stroke-width:5;stroke-linecap:round;stroke-linejoin:round;stroke:var(--signal)}.brand circle{fill:var(--paper);stroke:currentColor;stroke-width:3.6}
${LOGO_STYLE}
header nav a,footer a{display:inline-flex;align-items:center;min-height:2.75rem;color:var(--muted)}footer{margin-top:auto;font-size:.92rem;color:var(--muted)}
main{width:100%;max-width:70rem;margin:0 auto;padding:.5rem clamp(1.1rem,4vw,2rem) 2rem}
.card{display:grid;grid-template-columns:1fr;border:1px solid var(--line);border-radius:20px;background:var(--surface);box-shadow:0 1px 2px oklch(.2 .04 255/.05),0 18px 50px -24px oklch(.2 .04 255/.22);overflow:clip}
.card>*{padding:clamp(1.15rem,3vw,1.9rem);min-width:0}.card>*+*{border-top:1px solid var(--line)}
.narrow{max-width:36rem;margin-inline:auto}
h1{margin:0 0 .5rem;font-size:clamp(1.75rem,4vw,2.25rem);line-height:1.1;letter-spacing:-.03em;text-wrap:balance}h2{margin:0;font-size:1.1rem;letter-spacing:-.015em}h1,h2,p,a,dd{overflow-wrap:anywhere}p{margin:.5rem 0}
.lead,.meta{color:var(--muted)}.meta{font-size:.94rem}.when{font-size:1.15rem;font-weight:600}
.facts{list-style:none;margin:1.1rem 0 0;padding:0;display:grid;gap:.6rem}.facts>li{display:grid;grid-template-columns:1.25rem 1fr;gap:.7rem;align-items:start}.facts svg{width:1.25rem;height:1.25rem;margin-top:.13rem;fill:none;stroke:var(--muted);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
details.zone summary{cursor:pointer;list-style:none}details.zone summary::-webkit-details-marker{display:none}summary u{text-underline-offset:.18em}details.zone form{margin-top:.6rem}
.topics{margin-top:1.5rem}.topics h2{font-size:.94rem;color:var(--muted);font-weight:600}.topics ul{list-style:none;margin:.5rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.4rem}.topics a{display:inline-flex;align-items:center;min-height:2.5rem;padding:.3rem .8rem;border:1px solid var(--line);border-radius:99px;text-decoration:none;font-size:.94rem}.topics a:hover{border-color:var(--edge)}.topics a[aria-current]{scroll-initial-target:nearest;border-color:var(--ink);background:var(--ink);color:var(--paper)}
.month{display:flex;align-items:center;justify-content:space-between;gap:.5rem;margin-bottom:.75rem}.month>span{display:flex;gap:.35rem}.step{display:inline-grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:10px;border:1px solid var(--line);text-decoration:none}a.step:hover{border-color:var(--edge)}span.step{opacity:.35}.step svg{width:1.1rem;height:1.1rem;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
table{width:100%;border-collapse:separate;border-spacing:0;table-layout:fixed}th{font-size:.82rem;font-weight:600;color:var(--muted);padding:.35rem 0}th abbr{text-decoration:none}td{padding:2px;text-align:center}
td a,td span{display:grid;place-items:center;height:clamp(2.75rem,6vw,3.25rem);border-radius:12px;font-variant-numeric:tabular-nums;position:relative}td span{color:var(--muted)}td a{background:var(--sunk);font-weight:650;text-decoration:none;transition:background .12s,color .12s}td a:hover{background:var(--line)}td a[aria-current]{background:var(--signal);color:var(--on)}td .today::after{content:"";position:absolute;bottom:.35rem;width:.3rem;height:.3rem;border-radius:50%;background:currentColor}
.slots{list-style:none;margin:.85rem 0 0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(6.4rem,1fr));gap:.5rem}
.slot,button.slot{display:grid;place-items:center;width:100%;min-height:2.9rem;padding:.3rem .4rem;border:1px solid var(--edge);border-radius:10px;background:none;color:inherit;font:inherit;font-weight:600;font-variant-numeric:tabular-nums;text-decoration:none;cursor:pointer;transition:border-color .12s,background .12s}.slot:hover{border-color:var(--ink);background:var(--sunk)}
.notice{margin-block:0 1rem;padding:1rem 1.15rem;border:1px solid var(--bad);border-left-width:5px;border-radius:12px;background:var(--surface)}.notice p{margin:.2rem 0}.notice .slots{margin-top:.6rem}
label{display:block;font-weight:600;margin-bottom:.3rem}.field{margin:1rem 0}input:not([type=hidden]),select{width:100%;min-height:3rem;padding:.55rem .8rem;border:1px solid var(--edge);border-radius:10px;background:var(--paper);color:inherit;font:inherit}[aria-invalid=true]{border-color:var(--bad)!important;border-width:2px!important}.wrong{color:var(--bad);font-weight:600;margin:.3rem 0 0}.hint{color:var(--muted);font-size:.92rem;margin:.3rem 0 0}
.go{display:inline-grid;place-items:center;min-height:3rem;padding:.6rem 1.5rem;border:0;border-radius:10px;background:var(--signal);color:var(--on);font:inherit;font-weight:650;cursor:pointer;text-decoration:none}.go:hover{filter:brightness(1.05)}.quiet{background:none;color:inherit;border:1px solid var(--edge)}.acts{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:center;margin-top:1.25rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.card>details>summary{cursor:pointer;font-weight:650;min-height:2.75rem;line-height:2.75rem}
.embedded main{padding:0;max-width:none}.embedded{min-height:0;background:none}.embedded .card{box-shadow:none}.embedded footer{padding:.4rem .2rem;max-width:none}
@media(max-width:46rem){.topics ul{flex-wrap:nowrap;overflow-x:auto;padding:3px;margin-inline:-3px}.topics a{white-space:nowrap}}
@media(min-width:46rem){.pick{grid-template-columns:minmax(0,17rem) minmax(0,1fr)}.pick>*+*{border-top:0;border-left:1px solid var(--line)}.pick>.times{grid-column:2;border-top:1px solid var(--line)}.pick>.about{grid-row:1/span 2}}
@media(min-width:64rem){.pick{grid-template-columns:18rem minmax(0,1fr) 17.5rem}.pick>.times{grid-column:3;border-top:0}.pick>.about{grid-row:1}.times .slots{grid-template-columns:1fr 1fr;max-height:27rem;overflow-y:auto;padding:3px;margin-inline:-3px}header{padding-top:1.6rem}main{padding-top:1.2rem}}
@media(prefers-reduced-motion:reduce){*{transition:none!important}@view-transition{navigation:none}}
@media(forced-colors:active){td a[aria-current],.topics a[aria-current]{outline:2px solid Highlight;outline-offset:-2px}}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page of bookings. The texts in `body` and `footer` are HTML; the others are escaped here. */
export interface BookingFrame {
  readonly htmlLang: string;
  readonly agency: Agency;
  /** Of the window. */
  readonly title: string;
  readonly description?: string;
  readonly body: string;
  /** In the footer of the page, and at the right of its head. */
  readonly footer?: string;
  readonly corner?: string;
  /** In a frame of another site: without the head of the page. */
  readonly embedded?: boolean;
  /** Whether the page has the script; pages whose address is a secret have none. */
  readonly script: boolean;
}

/** Returns the whole page as HTML. */
export function bookingFrame(frame: BookingFrame): string {
  const { agency, title, description, body, footer, corner = '', embedded = false } = frame;
  const { settings, site } = agency;
  const colours = site.content.colours === undefined ? '' : `<link rel="stylesheet" href="${COLOURS}">`;
  const about =
    description === undefined ? '' : `<meta name="description" content="${escapeHtml(description)}">`;
  const head = embedded
    ? ''
    : `<header><a class="brand" href="/">${brandMark(agency)}</a>${corner}</header>\n`;
  return `<!doctype html>
<html lang="${frame.htmlLang}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)} · ${escapeHtml(settings.BRAND)}</title>${about}<link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="preload" href="${PLAIN_FONT}" as="font" type="font/woff2" crossorigin>${colours}<style>${STYLE}</style>${frame.script ? `<script src="${SCRIPT}"></script>` : ''}</head>
<body${embedded ? ' class="embedded"' : ''}>
${head}<main>
${body}
</main>
${footer === undefined ? '' : `<footer>${footer}</footer>`}
</body>
</html>`;
}

/** What the headers of such a page say. */
interface FrameHeaders {
  /** Origins of other sites that may show the page in a frame. */
  readonly embedders?: readonly string[];
  /** False keeps the address, which is a secret, from caches, search engines and other sites. */
  readonly isPublic: boolean;
}

/** The headers of a page of bookings, with its content security policy. */
export function bookingHeaders({ embedders = [], isPublic }: FrameHeaders): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'sha256-${STYLE_HASH}'`,
    "img-src 'self'",
    "font-src 'self'",
    // Programs that audit a page read /robots.txt under its policy.
    ...(isPublic ? ["connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${embedders.length === 0 ? "'none'" : embedders.join(' ')}`,
    "require-trusted-types-for 'script'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    ...(isPublic ? {} : { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }),
  };
}
