import { createHash } from 'node:crypto';
import { z } from 'zod';
import { API_VERSION, type Change, type ProviderObject, providerId } from '../provider-store.ts';

/** The job that delivers one event to the webhook endpoint. */
export const DELIVER_EVENT_JOB = 'deliver-payment-event';

/** One planned delivery of an event. */
export interface Delivery {
  readonly event: string;
  /** Whether it is lost on its way, and then repeated. */
  readonly dropped?: boolean;
  /** Epoch milliseconds. */
  readonly notBefore?: number;
}

/**
 * Events that the webhook endpoint does not subscribe to, as its owner would choose at Stripe: another event
 * says the same, or nothing depends on them.
 */
const NOT_SUBSCRIBED: ReadonlySet<string> = new Set([
  'charge.succeeded',
  'customer.created',
  'invoice.created',
  'invoice.payment_succeeded',
  'payment_intent.succeeded',
  'payment_method.attached',
  'price.created',
  'price.updated',
  'product.created',
  'product.updated',
  'subscription_schedule.created',
]);

/** Shorter delays are waited for within the job, since the queue looks for later jobs only now and then. */
export const WAITED_MS = 5000;

/**
 * Faults in the delivery of webhooks, requested by `POST /v1/test_helpers/webhook_mischief`: the shares of
 * all events that are duplicated, delayed (and so reordered), or lost and delivered again. The same seed
 * makes the same choices for the same sequence of events.
 */
export const MISCHIEF = z.object({
  seed: z.coerce.number().int().default(1),
  duplicate: z.coerce.number().min(0).max(1).default(0),
  drop: z.coerce.number().min(0).max(1).default(0),
  delay: z.coerce.number().min(0).max(1).default(0),
  max_delay_ms: z.coerce.number().int().min(0).max(3_600_000).default(2000),
});
export type Mischief = z.output<typeof MISCHIEF>;

/** Key of these settings in `private.provider_state`. */
export const MISCHIEF_KEY = 'mischief';

/** Records an event for the webhook endpoint, in the transaction of the change. */
export async function recordEvent(
  change: Change,
  type: string,
  object: ProviderObject,
  previous?: Record<string, unknown>,
): Promise<void> {
  const { queries, jobs } = change;
  const wanted = !NOT_SUBSCRIBED.has(type);
  const event: ProviderObject = {
    id: providerId('evt'),
    object: 'event',
    api_version: API_VERSION,
    created: change.now,
    data: { object, ...(previous === undefined ? {} : { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: wanted ? 1 : 0,
    request: { id: null, idempotency_key: null },
    type,
  };
  const { position, mischief } = await queries.one(
    `insert into private.provider_events (id, type, data, delivered_at)
     values ($1, $2, $3, case when $4 then null else now() end)
     returning position, (select value from private.provider_state where key = $5) as mischief`,
    [event.id, type, JSON.stringify(event), wanted, MISCHIEF_KEY],
  );
  if (!wanted) return;
  if (mischief === null) {
    await jobs.add(queries, DELIVER_EVENT_JOB, { event: event.id } satisfies Delivery);
    return;
  }
  const deliveries = planDeliveries(mischief as Mischief, Number(position));
  await queries.run('update private.provider_events set copies = $2 where id = $1', [
    event.id,
    deliveries.length,
  ]);
  for (const { dropped, delayMs } of deliveries) {
    const at = Date.now() + delayMs;
    const delivery: Delivery = { event: event.id, dropped, notBefore: at };
    const after = delayMs <= WAITED_MS ? {} : { after: new Date(at) };
    await jobs.add(queries, DELIVER_EVENT_JOB, delivery, after);
  }
}

/**
 * The deliveries of the event at one place in the sequence; a pure function, so that a seed can be replayed.
 */
export function planDeliveries(
  mischief: Mischief,
  position: number,
): { dropped: boolean; delayMs: number }[] {
  const hash = createHash('sha256').update(`${mischief.seed} ${position}`).digest();
  let next = 0;
  const chance = (): number => {
    const part = hash.readUInt16BE(next);
    next += 2;
    return part / 0x10000;
  };
  const copies = chance() < mischief.duplicate ? 2 + Math.floor(chance() * 2) : 1;
  return Array.from({ length: copies }, () => ({
    dropped: chance() < mischief.drop,
    delayMs: chance() < mischief.delay ? Math.ceil(chance() * mischief.max_delay_ms) : 0,
  }));
}
