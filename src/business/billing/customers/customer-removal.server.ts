import type { Resources } from '../../../kernel/resources/resources.ts';
import type { Payments } from '../payments.server.ts';
import { unlessMissing } from './customer-fetch.server.ts';
import { syncCustomer } from './subscription-sync.server.ts';

const ROUND_SECONDS = 15;
const ENDED = ['canceled', 'incomplete_expired'];

/**
 * Ends the subscriptions of deleted accounts: a trigger records the account in the transaction of the
 * deletion, and this round ends its subscriptions at the provider. A kill at any point leaves the record, and
 * ending a subscription twice does nothing, so the round may repeat itself.
 */
export function endCustomersOfDeletedUsers(
  resources: Resources,
  payments: Payments,
  isOpen: () => boolean,
): void {
  resources.jobs.every('customers of deleted accounts', ROUND_SECONDS, async () => {
    // The embedded provider is reached through this server itself.
    if (isOpen()) await endDeletedCustomers(resources, payments);
  });
}

/** Runs one round. A customer for which the provider does not answer stays for the next one. */
export async function endDeletedCustomers(
  resources: Pick<Resources, 'database' | 'log'>,
  payments: Payments,
): Promise<void> {
  const { database, log } = resources;
  // As text, because a Date has no microseconds and the value is compared with the row again.
  const waiting = await database.many(
    `select customer_id, requested_at::text from private.customers_to_end where done_at is null
     order by customers_to_end.requested_at limit 100`,
  );
  for (const { customer_id: id, requested_at } of waiting) {
    try {
      await endCustomer(payments, id);
      await syncCustomer(resources, payments, id);
      // If it was requested again in the meantime, it has to be done again.
      await database.run(
        'update private.customers_to_end set done_at = now() where customer_id = $1 and requested_at = $2::timestamptz',
        [id, requested_at],
      );
    } catch (error) {
      log.error({ err: error, customer: id }, 'the subscriptions of a deleted account could not be ended');
    }
  }
}

async function endCustomer({ stripe }: Payments, customerId: string): Promise<void> {
  const open = await stripe.checkout.sessions
    .list({ customer: customerId, status: 'open', limit: 100 })
    .autoPagingToArray({ limit: 1000 });
  for (const session of open) await stripe.checkout.sessions.expire(session.id).catch(unlessMissing);
  const subscriptions = await stripe.subscriptions
    .list({ customer: customerId, status: 'all', limit: 100 })
    .autoPagingToArray({ limit: 1000 });
  for (const subscription of subscriptions.filter(({ status }) => !ENDED.includes(status))) {
    await stripe.subscriptions.cancel(subscription.id, { prorate: false }).catch(unlessMissing);
  }
}
