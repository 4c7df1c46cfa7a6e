import type { FastifyReply } from 'fastify';
import type { SellerLogo } from '../provider-host.ts';
import { EMULATOR_PATH } from '../provider-store.ts';

/** HTML that is safe to send: only `html` makes it, which escapes the values. */
export interface Html {
  readonly safe: string;
}

type Piece = string | number | Html | undefined | readonly Html[];

/** Builds HTML; every value that is not `Html` is escaped. */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return { safe: strings.reduce((text, next, index) => text + show(values[index - 1]) + next) };
}

function show(piece: Piece): string {
  if (piece === undefined) return '';
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece));
  return 'safe' in piece ? piece.safe : piece.map((part) => part.safe).join('');
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** What all pages of the provider have. `assets` is the path before their style and font. */
export interface Frame {
  /** The seller's name at this moment. */
  readonly brand: string;
  /** The seller's own logo; undefined for a drawn mark. */
  readonly logo?: SellerLogo | undefined;
  readonly assets: string;
}

/** The frame of a seller's pages; the seller may take another name while they are served. */
export function frameOf(seller: Pick<Frame, 'brand' | 'logo'>): Frame {
  return {
    get brand() {
      return seller.brand;
    },
    get logo() {
      return seller.logo;
    },
    assets: `${EMULATOR_PATH}/assets`,
  };
}

/** A whole page of the provider. */
export interface ProviderPage extends Frame {
  readonly title: string;
  /** The dark side of the page: what is being paid for. */
  readonly board: Html;
  readonly main: Html;
  /** Further origins that the page's forms may be sent to. */
  readonly formTargets?: readonly string[];
  readonly status?: number;
}

function markOf({ brand, logo }: Frame): Html {
  if (logo === undefined)
    return html`<svg class="mark-picture" viewBox="0 0 32 32" aria-hidden="true"><path d="M3 25h4L25 7h4"/><circle cx="16" cy="16" r="6.2"/></svg>${brand}`;
  return html`<img class="mark-logo" src="${logo.src}" alt="${logo.holdsName ? brand : ''}">${logo.holdsName ? undefined : brand}`;
}

/** Sends a page that needs no script and allows none. */
export function sendPage(reply: FastifyReply, page: ProviderPage): FastifyReply {
  const body = html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${page.title} &middot; ${page.brand}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="preload" href="${page.assets}/archivo.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${page.assets}/provider.css">
</head>
<body>
<header class="test-mode"><strong>Test mode</strong> &ndash; no money moves. Never enter a real card.</header>
<div class="sheet">
<section class="board" aria-label="Summary">
<p class="mark">${markOf(page)}</p>
${page.board}
</section>
<main>
${page.main}
</main>
</div>
</body>
</html>
`;
  const targets = ["'self'", ...(page.formTargets ?? [])].join(' ');
  return reply
    .code(page.status ?? 200)
    .headers({
      'content-security-policy': `default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
      // The address of the page is the key to the payment, so no referrer is sent.
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(body.safe);
}

/** Sends a page with one sentence, for something that cannot be paid or found. */
export function sendNotice(
  reply: FastifyReply,
  page: Pick<ProviderPage, 'brand' | 'assets'>,
  notice: { status: number; title: string; text: string; back?: string | undefined },
): FastifyReply {
  return sendPage(reply, {
    ...page,
    title: notice.title,
    status: notice.status,
    board: html`<p class="amount">No charge</p><p class="board-note">Nothing was paid on this page.</p>`,
    main: html`<h1>${notice.title}</h1><p>${notice.text}</p>${
      notice.back === undefined
        ? undefined
        : html`<p class="actions"><a class="button" href="${notice.back}">Go back</a></p>`
    }`,
  });
}

/** The fields of a submitted form; each name occurs once. */
export function readForm(body: unknown): Map<string, string> {
  return new Map(new URLSearchParams(typeof body === 'string' ? body : ''));
}
