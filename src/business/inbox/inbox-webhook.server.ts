import type { FastifyRequest } from 'fastify';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import { type InboxContext, MOST_MAIL_BYTES, mailInSecret, signatureOf } from './inbox-context.server.ts';
import { receiveMail } from './mail-receipt.server.ts';

const LIMIT = { name: 'mails by webhook', count: 600, seconds: 60, burst: 60 };
/** Seconds by which the time of a signature may differ from ours (Standard Webhooks). */
const TOLERANCE_SECONDS = 300;
/** Mails that are received at the same time, each with up to 40 MB in memory. */
const MOST_AT_ONCE = 3;

/**
 * `POST /webhooks/mail-in`: a mail as it came (`message/rfc822`, RFC 5322), signed by Standard Webhooks over its bytes. The
 * reply comes after its documents are stored, so a mail without a 200 may be sent again; it is taken once.
 *
 * Replies 200 `{taken}`, the number of customers whose address it names; 400 `bad_signature`, 404 `inbox_off`, 413, 429;
 * 503 `busy`, or another 5xx after which the mail has to be sent again.
 */
export function mountInboxWebhook(http: HttpContext, context: InboxContext): void {
  const { settings } = context.resources;
  let open = 0;
  http.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MOST_MAIL_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.post(
      SERVICES.mailInWebhook,
      {
        bodyLimit: MOST_MAIL_BYTES,
        // Before a byte of the body is read.
        onRequest: async (request) => {
          if (settings.MAIL_IN_ADDRESS === '')
            throw new ServiceError(404, 'inbox_off', 'This installation takes no documents by mail.');
          await http.rateLimiter.take(LIMIT, http.addressOf(request));
          if (signedHeaders(request) === undefined) throw badSignature();
          if (open >= MOST_AT_ONCE)
            throw new ServiceError(503, 'busy', 'Other mails are being received: send this one again.', {
              headers: { 'retry-after': '10' },
            });
          open += 1;
          request.raw.once('close', () => {
            open -= 1;
          });
        },
      },
      async (request) => {
        const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const signed = signedHeaders(request);
        const wanted = signed && signatureOf(mailInSecret(context.resources), raw, signed);
        if (!signed?.signatures.some((each) => equalSecrets(each, wanted ?? ''))) throw badSignature();
        return { taken: await receiveMail(context, { raw }) };
      },
    );
  });
}

const badSignature = (): ServiceError =>
  new ServiceError(400, 'bad_signature', 'The signature is missing, wrong or too old.');

/** The headers of a signature whose time is near ours; undefined without them. */
function signedHeaders({
  headers,
}: FastifyRequest): { id: string; timestamp: string; signatures: string[] } | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    return undefined;
  const apart = Math.abs(Date.now() / 1000 - Number(timestamp));
  return apart <= TOLERANCE_SECONDS ? { id, timestamp, signatures: signature.split(' ') } : undefined;
}
