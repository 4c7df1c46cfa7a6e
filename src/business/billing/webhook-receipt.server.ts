import type { FastifyInstance } from 'fastify';
import type Stripe from 'stripe';
import { nextSlice } from '../../kernel/concurrency/event-loop-slices.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { subjectOf } from './payment-events.server.ts';
import type { Payments } from './payments.server.ts';
import { processEvent } from './webhook-processing.server.ts';

const EVENT_JOB = 'work-payment-event';
/** Seconds for which a signature is valid (Stripe's own default). */
const TOLERANCE_SECONDS = 300;
const REWORK_SECONDS = 3600;
const BODY_LIMIT = 1024 * 1024;
/** A body of this many bytes or more waits for its turn to be hashed, because anybody may send one. */
const LARGE = 64 * 1024;
const STAMP = /(?:^|,)t=(\d{1,12})(?:,|$)/;
const SIGNATURE = /(?:^|,)v1=[\da-f]{64}(?:,|$)/;
const POLICY = { retries: 12, retryDelaySeconds: 1, timeoutSeconds: 120, concurrency: 2 } as const;

/**
 * `POST /webhooks/stripe`: checks the signature over the raw body, stores the event's id together with the
 * job that processes it, and replies. The job fetches the current state from the provider, so neither the
 * order nor repetitions of events matter (docs/security-attacks.md, attack 31).
 */
export function mountWebhook(http: HttpContext, resources: Resources, payments: Payments): void {
  const { database, jobs, log } = resources;
  jobs.define<{ event: string }>(EVENT_JOB, POLICY, ({ data }) =>
    processEvent(resources, payments, data.event),
  );
  jobs.every('stuck payment events', REWORK_SECONDS, () => reworkStuckEvents(resources));

  http.server.register(async (scope) => {
    takeRawBody(scope);
    scope.post(SERVICES.stripeWebhook, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const event = await verify(payments, request.body, request.headers['stripe-signature']);
      if (event === undefined) {
        log.warn({ address: http.addressOf(request) }, 'a webhook with a bad signature was refused');
        throw new ServiceError(400, 'bad_signature', 'The signature is not valid.');
      }
      if (event.livemode !== payments.livemode) {
        throw new ServiceError(400, 'wrong_mode', 'The event belongs to the other mode (live or test).');
      }
      await accept(event);
      return reply.send({ received: true });
    });
  });

  async function accept(event: Stripe.Event): Promise<void> {
    const subject = subjectOf(event.type, event.data.object as unknown as Record<string, unknown>);
    if (subject === undefined) return;
    await database.transaction(async (queries) => {
      const fresh = await queries.run(
        `insert into private.payment_events (id, type, customer_id, session_id, charge_id)
         values ($1, $2, $3, $4, $5) on conflict (id) do nothing`,
        [event.id, event.type, subject.customer, subject.session, subject.charge],
      );
      // Each event gets a job: one that already waits may have been started before this transaction commits.
      if (fresh === 1) await jobs.add(queries, EVENT_JOB, { event: event.id });
    });
  }
}

/** Adds jobs again for events whose job gave up, e.g. because the provider was unavailable for hours. */
export async function reworkStuckEvents({
  database,
  jobs,
}: Pick<Resources, 'database' | 'jobs'>): Promise<void> {
  const stuck = await database.many(
    `select id from private.payment_events where handled_at is null and received_at < now() - interval '2 hours'
       order by received_at limit 1000`,
  );
  for (const { id } of stuck) await jobs.add(database, EVENT_JOB, { event: id });
}

/** The event, if one of the secrets signed it within the tolerance; else undefined. */
async function verify(
  payments: Payments,
  body: unknown,
  signature: unknown,
): Promise<Stripe.Event | undefined> {
  if (!Buffer.isBuffer(body) || typeof signature !== 'string' || !couldHold(signature)) return undefined;
  if (body.length >= LARGE) await nextSlice();
  for (const secret of payments.webhookSecrets) {
    try {
      return payments.stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS);
    } catch {
      // The next secret may fit; a forged body fits none.
    }
  }
  return undefined;
}

/**
 * Whether a header could be a valid signature: a missing or too old one is refused before the body is hashed.
 */
export function couldHold(signature: string): boolean {
  const stamp = STAMP.exec(signature)?.[1];
  if (stamp === undefined || !SIGNATURE.test(signature)) return false;
  return Math.floor(Date.now() / 1000) - Number(stamp) <= TOLERANCE_SECONDS;
}

/** The signature covers the bytes, so nothing may parse them first. */
function takeRawBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
