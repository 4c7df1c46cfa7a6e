import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { suppress } from '../../kernel/resources/mailer/suppressions.ts';
import { readUnsubscribeLink, UNSUBSCRIBE_PATH } from '../../kernel/resources/mailer/unsubscribe-links.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

const LIMIT = { name: 'unsubscribe', count: 60, seconds: 60 };
const LINK = z.object({ a: z.string().max(400), t: z.string().max(100) });

const STYLE =
  'body{font:17px/1.55 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;place-items:center;background:#f3f7fa;color:#16213a}main{padding:2rem;max-width:30rem}h1{line-height:1.1;letter-spacing:-.02em}button{font:inherit;font-weight:600;min-height:3rem;padding:.5rem 1.35rem;border:0;border-radius:8px;background:#16213a;color:#f3f7fa;cursor:pointer}button:focus-visible,a:focus-visible{outline:3px solid #2b6cb0;outline-offset:3px}a{color:inherit}@media(prefers-color-scheme:dark){body{background:#0a1322;color:#edf1f7}button{background:#edf1f7;color:#0a1322}}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The link of optional mails. `POST` stops them at once, because mail programs send it without a person (RFC
 * 8058: no redirect, no question). `GET` shows a page with the button, because scanners follow links. The
 * same page allows the mails again.
 */
export function mountUnsubscribe(http: HttpContext, resources: Resources): void {
  const { database, keys, settings } = resources;
  const readAddress = async (request: FastifyRequest): Promise<string> => {
    await http.rateLimiter.take(LIMIT, http.addressOf(request));
    const link = LINK.safeParse(request.query);
    const address = link.success ? readUnsubscribeLink(keys, link.data) : undefined;
    if (address === undefined) {
      throw new ServiceError(
        400,
        'bad_link',
        'This link is not complete. Please open it from the mail again.',
      );
    }
    return address;
  };
  const isStopped = async (address: string): Promise<boolean> =>
    (await database.maybe('select 1 from private.mail_suppressions where address = $1', [address])) !==
    undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply, address: string) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      )
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .header('x-robots-tag', 'noindex')
      .send(page(settings.BRAND, request.url, address, await isStopped(address)));

  http.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Mail programs send the form `List-Unsubscribe=One-Click`, in either encoding of forms.
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4096 }, (_request, body, done) =>
      done(null, body),
    );
    scope.get(UNSUBSCRIBE_PATH, async (request, reply) => show(request, reply, await readAddress(request)));
    scope.post(UNSUBSCRIBE_PATH, async (request, reply) => {
      const address = await readAddress(request);
      if (/^again=yes$/m.test(String(request.body ?? ''))) {
        await database.run(
          "delete from private.mail_suppressions where address = $1 and reason = 'unsubscribe'",
          [address],
        );
      } else {
        await suppress(database, { address, reason: 'unsubscribe', source: 'link', detail: '' });
      }
      return show(request, reply, address);
    });
  });
}

function page(brand: string, action: string, address: string, stopped: boolean): string {
  const who = `<b>${escapeHtml(address)}</b>`;
  const [heading, text, button, value] = stopped
    ? [
        'You get no more of these mails',
        `${who} gets no acknowledgements or notices from us. What you ask for yourself, such as a link to sign in, still comes.`,
        'Allow them again',
        'yes',
      ]
    : [
        'Stop these mails?',
        `${who} would get no more acknowledgements or notices from us. What you ask for yourself, such as a link to sign in, still comes.`,
        'Stop these mails',
        '',
      ];
  return `<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${heading} · ${escapeHtml(brand)}</title><style>${STYLE}</style></head><body><main><h1>${heading}</h1><p>${text}</p><form method="post" action="${escapeHtml(action)}"><input type="hidden" name="again" value="${value}"><button>${button}</button></form><p><a href="/">${escapeHtml(brand)}</a></p></main></body></html>`;
}
