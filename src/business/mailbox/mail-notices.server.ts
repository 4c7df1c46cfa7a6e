import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { SERVICES } from '../../contract/routes.ts';
import { ServiceError } from '../../contract/service-error.ts';
import type { Door } from '../../http/door.ts';
import type { Database } from '../../resources/database/database.ts';
import { mailEventsSecret } from '../../resources/mailer/mail-events-secret.ts';
import { suppress } from '../../resources/mailer/suppressions.ts';
import type { Resources } from '../../resources/resources.ts';
import { type MailNotice, readBounceMail } from './read-bounce.server.ts';

const BODY_LIMIT = 1024 * 1024;

const NOTICE = z.object({
  type: z.enum(['bounce', 'complaint']),
  address: z.string().max(254),
  /** `false` for a mailbox that is full or a server that is away: nothing is suppressed. */
  permanent: z.boolean().default(true),
  message_id: z.string().max(500).default(''),
  reason: z.string().max(2000).default(''),
});
const NOTICES = z.object({ events: z.array(NOTICE).max(500) });

/**
 * `POST /webhooks/mail`: what became of mails after they were handed over (contract §7.6), signed by
 * Standard Webhooks. Either JSON `{type, address, permanent?, message_id?, reason?}`, one or
 * `{events: [...]}`, or a bounce as it came in (`message/rfc822`). Only addresses that we have
 * written to in the last week count.
 *
 * Answers 200 `{taken}`; 400 `bad_signature`, 400 `bad_notice`, 413.
 */
export function mountMailNotices(door: Door, { database, keys, settings }: Resources): void {
  const webhook = new Webhook(mailEventsSecret({ keys, settings }));
  door.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );
    scope.post(SERVICES.mailWebhook, { bodyLimit: BODY_LIMIT }, async (request) => {
      const body = typeof request.body === 'string' ? request.body : '';
      if (!isSigned(webhook, body, request.headers as Record<string, string>)) {
        throw new ServiceError(400, 'bad_signature', 'The signature is missing, wrong or too old.');
      }
      const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
      const notices = isJson ? readJson(body) : readBounceMail(body);
      let taken = 0;
      for (const notice of notices) taken += (await take(database, notice)) ? 1 : 0;
      return { taken };
    });
  });
}

function isSigned(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    // A bounce is no JSON.
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** @throws ServiceError 400 */
function readJson(body: string): MailNotice[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw badNotice();
  }
  const many = NOTICES.safeParse(parsed);
  const one = many.success ? undefined : NOTICE.safeParse(parsed);
  const events = many.success ? many.data.events : one?.success ? [one.data] : undefined;
  if (events === undefined) throw badNotice();
  return events
    .filter(({ type, permanent }) => type === 'complaint' || permanent)
    .map(({ type, address, message_id: id, reason }) => ({
      kind: type,
      address: address.toLowerCase(),
      mailId: /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i.exec(id)?.[1],
      detail: reason,
    }));
}

const badNotice = (): ServiceError =>
  new ServiceError(400, 'bad_notice', 'The body must be {type, address} or {events: [{type, address}]}.');

/** Marks the mail and suppresses the address, when the mail was ours. A repeat changes nothing. */
function take(database: Database, { kind, address, mailId, detail }: MailNotice): Promise<boolean> {
  return database.transaction(async (queries) => {
    const mail = await queries.maybe<{ id: string }>(
      `select id from private.mails where lower(recipient) = $1 and ($2::uuid is null or id = $2)
         and state in ('sent', 'bounced') order by created_at desc limit 1`,
      [address, mailId ?? null],
    );
    if (mail === undefined) return false;
    if (kind === 'bounce') {
      await queries.run("update private.mails set state = 'bounced', last_error = $2 where id = $1", [
        mail.id,
        detail.toWellFormed().slice(0, 500),
      ]);
    }
    await suppress(queries, { address, reason: kind, source: 'notice', detail });
    return true;
  });
}
