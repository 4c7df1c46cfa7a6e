import { setTimeout } from 'node:timers/promises';
import type Stripe from 'stripe';
import type { ProviderHost } from '../provider-host.ts';
import { DELIVER_EVENT_JOB, type Delivery, WAITED_MS } from './event-record.ts';

const DELIVERY_TIMEOUT_MS = 10_000;
/** Milliseconds until a lost delivery is repeated. */
const REDELIVERY_MS = 500;

/**
 * Delivers events to the webhook endpoint at least once, signed by Stripe's scheme. Without an answer, or
 * with one other than 2xx, delivery is retried for about a day.
 */
export function deliverEvents(
  host: ProviderHost,
  options: { stripe: Stripe; secret: string; endpoint: () => Promise<string> },
): void {
  const { database, jobs } = host;
  jobs.define<Delivery>(
    DELIVER_EVENT_JOB,
    { retries: 16, retryDelaySeconds: 1, timeoutSeconds: 30, concurrency: 2 },
    async ({ data, signal }) => {
      const wait = Math.min((data.notBefore ?? 0) - Date.now(), WAITED_MS);
      if (wait > 0) await setTimeout(wait, undefined, { signal });
      if (data.dropped === true) {
        const again: Delivery = { event: data.event, notBefore: Date.now() + REDELIVERY_MS };
        await jobs.add(database, DELIVER_EVENT_JOB, again);
        return;
      }
      const row = await database.maybe(
        'update private.provider_events set attempts = attempts + 1 where id = $1 and copies > 0 returning data',
        [data.event],
      );
      if (row === undefined) return;
      const payload = JSON.stringify(row.data);
      const signature = options.stripe.webhooks.generateTestHeaderString({ payload, secret: options.secret });
      const reply = await fetch(await options.endpoint(), {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body: payload,
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(DELIVERY_TIMEOUT_MS)]),
      });
      if (!reply.ok) throw new Error(`the webhook endpoint answered ${reply.status}`);
      await database.run(
        `update private.provider_events set copies = copies - 1,
           delivered_at = case when copies = 1 then now() else delivered_at end where id = $1`,
        [data.event],
      );
    },
  );
}
