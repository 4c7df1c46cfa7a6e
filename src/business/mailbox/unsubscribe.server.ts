import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { plainPage, plainPageHeaders } from '../../kernel/http/site/plain-page.ts';
import { suppress } from '../../kernel/resources/mailer/suppressions.ts';
import { readUnsubscribeLink, UNSUBSCRIBE_PATH } from '../../kernel/resources/mailer/unsubscribe-links.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

const LIMIT = { name: 'unsubscribe', count: 60, seconds: 60 };
const LINK = z.object({ a: z.string().max(400), t: z.string().max(100) });

/**
 * The link of optional mails. `POST` stops them at once, because mail programs send it without a person (RFC
 * 8058: no redirect, no question). `GET` shows a page with the button, because scanners follow links. The
 * same page allows the mails again.
 */
export function mountUnsubscribe(http: HttpContext, resources: Resources): void {
  const { database, keys } = resources;
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
    reply.headers(plainPageHeaders()).send(page(resources, request.url, address, await isStopped(address)));

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

function page(agency: Resources, action: string, address: string, stopped: boolean): string {
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
  const body = `<p>${text}</p><form method="post" action="${escapeHtml(action)}"><input type="hidden" name="again" value="${value}"><button>${button}</button></form>`;
  return plainPage({ agency, heading, body });
}
