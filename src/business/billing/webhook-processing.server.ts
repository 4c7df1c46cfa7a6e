import type { Resources } from '../../kernel/resources/resources.ts';
import { fulfilCheckout } from './checkout/checkout-fulfilment.server.ts';
import { unlessMissing } from './customers/customer-fetch.server.ts';
import { syncCustomer } from './customers/subscription-sync.server.ts';
import type { Payments } from './payments.server.ts';

/**
 * Processes a stored event: fetches its customer from the provider and writes the current state. Does nothing
 * for an event that the processing of another one has covered. May be repeated, and interrupted at any point.
 */
export async function processEvent(
  resources: Pick<Resources, 'database' | 'log' | 'mailer' | 'site' | 'siteUrl' | 'settings'>,
  payments: Payments,
  id: string,
): Promise<void> {
  const { database } = resources;
  const event = await database.maybe(
    'select customer_id, session_id, charge_id from private.payment_events where id = $1 and handled_at is null',
    [id],
  );
  if (event === undefined) return;
  if (event.session_id !== null) {
    await fulfilCheckout(resources, payments, event.session_id);
    return;
  }
  const customer = event.customer_id ?? (await customerOfCharge(payments, event.charge_id ?? ''));
  if (customer === undefined) {
    await database.run('update private.payment_events set handled_at = now() where id = $1', [id]);
    return;
  }
  const covered = await database.many(
    `select id from private.payment_events
     where (customer_id = $1 or id = $2) and session_id is null and handled_at is null`,
    [customer, id],
  );
  await syncCustomer(
    resources,
    payments,
    customer,
    covered.map((row) => row.id),
  );
}

/** Undefined for a charge that is not ours, e.g. one of another shop on the same account. */
async function customerOfCharge({ stripe }: Payments, chargeId: string): Promise<string | undefined> {
  const charge = await stripe.charges.retrieve(chargeId).catch(unlessMissing);
  const customer = charge?.customer;
  return (typeof customer === 'object' ? customer?.id : customer) ?? undefined;
}
