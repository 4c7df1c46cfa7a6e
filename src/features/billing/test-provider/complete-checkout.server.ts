import { customerObject, PRICES } from './build-objects.server.ts';
import {
  findObject,
  insertObject,
  lockObject,
  type ProviderObject,
  recordEvent,
  replaceObject,
} from './provider-store.server.ts';
import { attachCard, type Change, startSubscription } from './run-subscriptions.server.ts';
import type { Card } from './test-cards.server.ts';

/** What the pay page knows of a session beside what the API shows. */
export interface PendingPayment {
  readonly card: Card;
  readonly email: string;
  readonly name: string;
}

/**
 * Takes the payment of a checkout session: customer, card, subscription, paid invoice and
 * events in one transaction, once however often the form is sent.
 *
 * @returns the address to go to, or undefined when the session can no longer be paid
 */
export async function completeCheckout(
  change: Change,
  sessionId: string,
  payment: PendingPayment,
): Promise<string | undefined> {
  const { queries, jobs } = change;
  const locked = await lockObject(queries, 'checkout.session', sessionId);
  if (locked === undefined) return undefined;
  const session = locked.data;
  if (session.status === 'complete') return successUrl(session);
  const price = PRICES.get(String(locked.hidden.price));
  if (session.status !== 'open' || Number(session.expires_at) <= change.now || price === undefined)
    return undefined;
  const customer = await payer(change, session, payment);
  const method = await attachCard(change, customer.id, payment.card, payment.email);
  const metadata = (locked.hidden.subscription_metadata ?? {}) as Record<string, string>;
  const { subscription, invoice } = await startSubscription(change, customer.id, price, method, metadata);
  const complete: ProviderObject = {
    ...session,
    customer: customer.id,
    customer_details: { email: payment.email, name: payment.name },
    invoice: invoice.id,
    payment_status: 'paid',
    status: 'complete',
    subscription: subscription.id,
    url: null,
  };
  await replaceObject(queries, complete, {});
  await recordEvent(queries, jobs, 'checkout.session.completed', complete);
  return successUrl(complete);
}

async function payer(
  change: Change,
  session: ProviderObject,
  payment: PendingPayment,
): Promise<ProviderObject> {
  const { queries, jobs } = change;
  const known =
    typeof session.customer === 'string'
      ? await findObject(queries, 'customer', session.customer)
      : undefined;
  if (known !== undefined) return known;
  const customer = customerObject({ email: payment.email, name: payment.name });
  await insertObject(queries, customer);
  await recordEvent(queries, jobs, 'customer.created', customer);
  return customer;
}

function successUrl(session: ProviderObject): string {
  return String(session.success_url).replaceAll('{CHECKOUT_SESSION_ID}', encodeURIComponent(session.id));
}
