import type { Resources } from '../../../kernel/resources/resources.ts';
import type { Payments } from '../payments.server.ts';
import { unlessMissing } from './customer-fetch.server.ts';

/** A notification starts it at once; this is for what failed. */
const ROUND_SECONDS = 300;
const CHANGED = 'customers_to_address';

/**
 * Tells the payment provider the new address of an account, for receipts and invoices. A trigger records the change in
 * its transaction; telling it twice changes nothing, so the round may repeat itself after a kill.
 */
export function addressCustomers(resources: Resources, payments: Payments, isOpen: () => boolean): void {
  const round = async (): Promise<void> => {
    // The embedded provider is reached through this server itself.
    if (isOpen()) await tellAddresses(resources, payments);
  };
  resources.jobs.every('addresses of customers at the provider', ROUND_SECONDS, round, CHANGED);
}

/**
 * Runs one round. A customer for which the provider does not answer stays for the next one. A customer that was given
 * an address of its own at the provider keeps it.
 *
 * @trigger auth.users address_customers_of_user
 */
export async function tellAddresses(
  { database, log }: Pick<Resources, 'database' | 'log'>,
  { stripe }: Pick<Payments, 'stripe'>,
): Promise<void> {
  const waiting = await database.many(
    `select w.customer_id, w.former, u.email from private.customers_to_address w join auth.users u on u.id = w.user_id
     order by w.requested_at limit 100`,
  );
  for (const { customer_id: id, former, email } of waiting) {
    try {
      const customer = await stripe.customers.retrieve(id).catch(unlessMissing);
      const isFormer = customer?.deleted !== true && customer?.email?.toLowerCase() === former;
      if (isFormer && email !== null) await stripe.customers.update(id, { email });
      // If the address changed again in the meantime, the row stays for the next round.
      await database.run(
        `delete from private.customers_to_address w using auth.users u
          where w.customer_id = $1 and u.id = w.user_id and u.email is not distinct from $2`,
        [id, email],
      );
      if (isFormer && email !== null)
        await database.run(
          'update private.customers_to_address set former = lower($2) where customer_id = $1',
          [id, email],
        );
    } catch (error) {
      log.error(
        { err: error, customer: id },
        'the new address of a customer could not be told to the provider',
      );
    }
  }
}
