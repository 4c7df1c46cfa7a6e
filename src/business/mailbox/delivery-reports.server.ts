import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { mailEventsSecret } from '../../kernel/resources/mailer/mail-events-secret.ts';
import { suppress } from '../../kernel/resources/mailer/suppressions.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { type DeliveryReport, readBounceMail } from './bounce-reader.server.ts';

const BODY_LIMIT = 1024 * 1024;

const REPORT = z.object({
  type: z.enum(['bounce', 'complaint']),
  address: z.string().max(254),
  /** `false` when a mailbox is full or a server unavailable: nothing is suppressed. */
  permanent: z.boolean().default(true),
  message_id: z.string().max(500).default(''),
  reason: z.string().max(2000).default(''),
});
const REPORTS = z.union([
  z.object({ events: z.array(REPORT).max(500) }).transform(({ events }) => events),
  REPORT.transform((report) => [report]),
]);

/**
 * `POST /webhooks/mail`: what happened to mails after they were handed over (docs/contracts/documents.md
 * §7.6), signed by Standard Webhooks. The body is JSON `{type, address, permanent?, message_id?, reason?}`,
 * one or `{events: [...]}`, or a bounce as received (`message/rfc822`). Only addresses that we have written
 * to in the last week count.
 *
 * Replies 200 `{taken}`; 400 `bad_signature`, 400 `bad_notice`, 413.
 */
export function mountDeliveryReports(http: HttpContext, { database, keys, settings }: Resources): void {
  const webhook = new Webhook(mailEventsSecret({ keys, settings }));
  http.server.register(async (scope) => {
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
      return { taken: await applyAll(database, isJson ? readJson(body) : readBounceMail(body)) };
    });
  });
}

function isSigned(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    // A bounce is not JSON.
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** @throws ServiceError 400 */
function readJson(body: string): DeliveryReport[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw badReport();
  }
  const outcome = REPORTS.safeParse(parsed);
  if (!outcome.success) throw badReport();
  return outcome.data
    .filter(({ type, permanent }) => type === 'complaint' || permanent)
    .map(({ type, address, message_id: id, reason }) => ({
      kind: type,
      address: address.toLowerCase(),
      mailId: /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i.exec(id)?.[1],
      detail: reason,
    }));
}

const badReport = (): ServiceError =>
  new ServiceError(400, 'bad_notice', 'The body must be {type, address} or {events: [{type, address}]}.');

/** How many of the reports concerned mails that we sent. */
async function applyAll(database: Database, reports: readonly DeliveryReport[]): Promise<number> {
  let taken = 0;
  for (const report of reports) {
    if (await apply(database, report)) taken += 1;
  }
  return taken;
}

/** Marks the mail and suppresses the address, if the mail was ours. A repetition changes nothing. */
function apply(database: Database, { kind, address, mailId, detail }: DeliveryReport): Promise<boolean> {
  return database.transaction(async (queries) => {
    const mail = await queries.maybe(
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
