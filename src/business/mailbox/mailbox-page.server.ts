import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { notFound } from '../../kernel/http/server.ts';
import { plainPage, plainPageHeaders } from '../../kernel/http/site/plain-page.ts';
import { LOGO_CID } from '../../kernel/resources/mailer/mail-body.ts';
import type { KeptMail } from '../../kernel/resources/mailer/mail-queue.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { KeptMessage } from '../../kernel/resources/sms/sms.ts';
import { isOwnMachine, mailboxAccess, mailboxCookie, servesMailbox } from './mailbox-access.server.ts';

const SHOWN = 100;
/**
 * The built-in mailbox for development: `/dev/mail` (page), `/dev/mail.json`
 * (`[{id,to,from,subject,text,html,calendar?,at}]`) and `/dev/sms.json` (`[{id,to,channel,text,at}]`), newest
 * first. It contains links and codes that sign people in. So mails stay there only while no mail server is
 * configured, text messages only while no provider is, and both can be read only while the server and the
 * site are on this machine, by requests that `mailboxAccess` allows
 * (docs/decisions/0220-the-mailbox-has-a-token.md).
 */
export function mountMailbox(http: HttpContext, resources: Resources): void {
  const { mailer, sms, settings, keys, log } = resources;
  // Mounted with a mail server too: an operator may name one, or remove it, while the process runs.
  if (!isOwnMachine(settings, resources.siteUrl)) return;
  http.server.addHook('onListen', async () => {
    if (!servesMailbox(settings, resources.siteUrl)) return;
    log.warn(
      'mails and text messages stay in the mailbox at /dev/mail: anybody with its token can sign in as anybody',
    );
  });

  const guard = async (request: FastifyRequest): Promise<void> => {
    const access = await mailboxAccess(request, resources);
    if (access === 'absent') throw notFound();
    if (access === 'token needed') throw tokenNeeded();
  };
  const guardMails = async (request: FastifyRequest): Promise<void> => {
    if (!mailer.keepsMails) throw notFound();
    await guard(request);
  };
  /** The token disappears from the address bar as soon as it has been used. */
  const storeToken = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if ((request.query as { token?: unknown }).token === undefined) return undefined;
    return reply.header('set-cookie', mailboxCookie(keys)).redirect('/dev/mail', 303);
  };
  if (sms.keepsMessages) http.server.get('/dev/sms.json', { onRequest: guard }, () => sms.kept(SHOWN));
  http.server.get('/dev/mail.json', { onRequest: guardMails }, () => mailer.kept(SHOWN));
  http.server.get('/dev/mail', { onRequest: guardMails, preHandler: storeToken }, async (_request, reply) =>
    reply
      .headers(plainPageHeaders({ frames: true }))
      .send(mailboxPage(await mailer.kept(SHOWN), await sms.kept(SHOWN), resources)),
  );
  http.server.get<{ Params: { id: string } }>(
    '/dev/mail/:id',
    { onRequest: guardMails },
    async (request, reply) => {
      const mail = (await mailer.kept(SHOWN)).find((kept) => kept.id === request.params.id);
      if (mail === undefined) throw notFound();
      return reply
        .type('text/html; charset=utf-8')
        .header(
          'content-security-policy',
          "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
        )
        .send(mail.html.replace(`cid:${LOGO_CID}`, logoAddress(resources)));
    },
  );
}

/** The logo as the mail carries it. */
const logoAddress = ({ site }: Resources): string =>
  `data:image/png;base64,${Buffer.from(site.drawnLogo ?? []).toString('base64')}`;

function tokenNeeded(): ServiceError {
  return new ServiceError(
    401,
    'mailbox_token_needed',
    'The mailbox opens with the address that the start printed; npm run northline -- mailbox prints it again.',
  );
}

function mailboxPage(mails: KeptMail[], messages: KeptMessage[], agency: Resources): string {
  const list = mails.map((mail) => mailItem(mail, agency.siteUrl)).join('\n');
  const body = `<p>No mail server is configured, so mails stay here. Newest first; reload to see more.</p>
${mails.length === 0 ? '<p>No mails yet.</p>' : list}
${messages.length === 0 ? '' : `<h1>Text messages</h1>\n${messages.map(messageItem).join('\n')}`}`;
  return plainPage({ agency, heading: 'Mailbox', body, width: 'wide' });
}

function mailItem(mail: KeptMail, siteUrl: string): string {
  return `<article>
<h2>${escapeHtml(mail.subject)}</h2>
<p>To ${escapeHtml(mail.to)}, from ${escapeHtml(mail.from)}, <time datetime="${mail.at}">${mail.at}</time></p>
<pre>${linked(mail.text, siteUrl)}</pre>
<details><summary>As HTML</summary>
<iframe sandbox loading="lazy" title="The mail as HTML" src="/dev/mail/${mail.id}"></iframe>
</details>${mail.calendar === undefined ? '' : `\n<details><summary>Calendar entry</summary><pre>${escapeHtml(mail.calendar)}</pre></details>`}
</article>`;
}

function messageItem({ to, channel, text, at }: KeptMessage): string {
  return `<article>
<p>To +${escapeHtml(to)} by ${channel}, <time datetime="${at}">${at}</time></p>
<pre>${escapeHtml(text)}</pre>
</article>`;
}

/** Escaped text, in which only addresses of our own site are links. */
function linked(text: string, siteUrl: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((piece) => {
      const safe = escapeHtml(piece);
      return piece.startsWith(`${siteUrl}/`) ? `<a href="${safe}">${safe}</a>` : safe;
    })
    .join('');
}
