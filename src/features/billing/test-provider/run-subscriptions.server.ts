import type { Queries } from '../../../resources/database/database.ts';
import type { Jobs } from '../../../resources/jobs/jobs.ts';
import {
  type InvoiceObject,
  invoiceObject,
  itemOf,
  monthsAfter,
  paymentMethodObject,
  type SubscriptionObject,
  subscriptionObject,
} from './build-objects.server.ts';
import {
  insertObject,
  listObjects,
  lockObject,
  type ProviderObject,
  recordEvent,
  replaceObject,
} from './provider-store.server.ts';
import type { Card, CardBehaviour } from './test-cards.server.ts';

/** One change of the provider's state: everything happens in one transaction, the events included. */
export interface Change {
  readonly queries: Queries;
  readonly jobs: Jobs;
  /** The provider's time, epoch seconds. */
  readonly now: number;
}

/** Keeps a card for a customer. */
export async function attachCard(
  change: Change,
  customer: string,
  card: Card,
  email: string | null,
): Promise<ProviderObject> {
  const method = paymentMethodObject(card, customer, email);
  await insertObject(change.queries, method, { behaviour: card.behaviour });
  await recordEvent(change.queries, change.jobs, 'payment_method.attached', method);
  return method;
}

/** Starts a subscription whose first invoice has just been paid by the card. */
export async function startSubscription(
  change: Change,
  customer: string,
  price: ProviderObject,
  method: ProviderObject,
  metadata: Record<string, string>,
): Promise<{ subscription: SubscriptionObject; invoice: InvoiceObject }> {
  const { queries, jobs, now } = change;
  const subscription = subscriptionObject(customer, price, method.id, now, metadata);
  const invoice = asPaid(invoiceObject(subscription, 'subscription_create', now), now);
  subscription.latest_invoice = invoice.id;
  await insertObject(queries, subscription);
  await insertObject(queries, invoice);
  await recordEvent(queries, jobs, 'customer.subscription.created', subscription);
  await recordEvent(queries, jobs, 'invoice.paid', invoice);
  return { subscription, invoice };
}

/** Changes a subscription and tells of it. */
export async function updateSubscription(
  change: Change,
  subscription: SubscriptionObject,
  fields: Record<string, unknown>,
): Promise<SubscriptionObject> {
  const next = { ...subscription, ...fields } as SubscriptionObject;
  await replaceObject(change.queries, next);
  await recordEvent(change.queries, change.jobs, 'customer.subscription.updated', next);
  return next;
}

/** Ends a subscription now. */
export async function endSubscription(
  change: Change,
  subscription: SubscriptionObject,
): Promise<SubscriptionObject> {
  const next: SubscriptionObject = {
    ...subscription,
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? change.now,
    ended_at: change.now,
  };
  await replaceObject(change.queries, next);
  await recordEvent(change.queries, change.jobs, 'customer.subscription.deleted', next);
  return next;
}

/**
 * Bills the next period of a subscription when the current one is over at `change.now`:
 * ends it when it was to be cancelled, else takes the payment, or becomes past_due.
 */
export async function renewSubscription(change: Change, subscriptionId: string): Promise<void> {
  const { queries, jobs, now } = change;
  const locked = await lockObject(queries, 'subscription', subscriptionId);
  const subscription = locked?.data as SubscriptionObject | undefined;
  if (subscription === undefined || !['active', 'trialing', 'past_due'].includes(subscription.status)) return;
  const item = itemOf(subscription);
  if (item.current_period_end > now) return;
  if (subscription.cancel_at_period_end) {
    await endSubscription(change, subscription);
    return;
  }
  const next: SubscriptionObject = {
    ...subscription,
    items: { ...subscription.items, data: [{ ...item, ...nextPeriod(subscription) }] },
  };
  const invoice = invoiceObject(next, 'subscription_cycle', now);
  next.latest_invoice = invoice.id;
  await insertObject(queries, invoice);
  await replaceObject(queries, next);
  if ((await cardOf(queries, next)) === 'succeeds') {
    const paid = asPaid(invoice, now);
    await replaceObject(queries, paid);
    await updateSubscription(change, next, {});
    await recordEvent(queries, jobs, 'invoice.paid', paid);
    return;
  }
  const failed = { ...invoice, attempt_count: 1, attempted: true };
  await replaceObject(queries, failed);
  await updateSubscription(change, next, { status: 'past_due' });
  await recordEvent(queries, jobs, 'invoice.payment_failed', failed);
}

/** Tries to pay an open invoice with the customer's card of today. True when it is paid afterwards. */
export async function payInvoice(change: Change, invoiceId: string): Promise<boolean> {
  const { queries, jobs, now } = change;
  const invoice = (await lockObject(queries, 'invoice', invoiceId))?.data as InvoiceObject | undefined;
  if (invoice === undefined || invoice.status !== 'open') return invoice?.status === 'paid';
  const subscriptionId = invoice.parent.subscription_details.subscription;
  const locked = await lockObject(queries, 'subscription', subscriptionId);
  const subscription = locked?.data as SubscriptionObject | undefined;
  if (subscription === undefined || (await cardOf(queries, subscription)) !== 'succeeds') {
    const failed = { ...invoice, attempt_count: invoice.attempt_count + 1, attempted: true };
    await replaceObject(queries, failed);
    await recordEvent(queries, jobs, 'invoice.payment_failed', failed);
    return false;
  }
  const paid = asPaid(invoice, now);
  await replaceObject(queries, paid);
  await recordEvent(queries, jobs, 'invoice.paid', paid);
  const open = await listObjects(queries, 'invoice', {
    customer: invoice.customer,
    matching: { status: 'open', parent: { subscription_details: { subscription: subscriptionId } } },
    limit: 1,
  });
  if (open.length === 0 && subscription.status === 'past_due') {
    await updateSubscription(change, subscription, { status: 'active' });
  }
  return true;
}

/** Makes a card the one of a subscription and settles what is owed with it. */
export async function changeCard(
  change: Change,
  subscription: SubscriptionObject,
  card: Card,
  email: string | null,
): Promise<void> {
  const method = await attachCard(change, subscription.customer, card, email);
  await updateSubscription(change, subscription, { default_payment_method: method.id });
  const open = await listObjects(change.queries, 'invoice', {
    customer: subscription.customer,
    matching: { status: 'open', parent: { subscription_details: { subscription: subscription.id } } },
    limit: 100,
  });
  for (const invoice of open.reverse()) await payInvoice(change, invoice.id);
}

/** How the card of a subscription behaves when nobody sits at the page. */
async function cardOf(queries: Queries, subscription: SubscriptionObject): Promise<CardBehaviour> {
  const method = await lockObject(queries, 'payment_method', subscription.default_payment_method ?? '');
  const behaviour = (method?.hidden.behaviour ?? 'declined') as CardBehaviour;
  // A bank that asked once lets renewals pass, as it does for a card set up for later use.
  return behaviour === 'authentication' ? 'succeeds' : behaviour;
}

function nextPeriod(subscription: SubscriptionObject): {
  current_period_start: number;
  current_period_end: number;
} {
  const { current_period_end: start } = itemOf(subscription);
  const anchor = subscription.billing_cycle_anchor;
  let months = 1;
  // Counted from the anchor, so that a subscription of the 31st returns to the 31st after February.
  while (monthsAfter(anchor, months) <= start) months += 1;
  return { current_period_start: start, current_period_end: monthsAfter(anchor, months) };
}

function asPaid(invoice: InvoiceObject, at: number): InvoiceObject {
  return {
    ...invoice,
    amount_paid: invoice.total,
    amount_remaining: 0,
    attempt_count: invoice.attempt_count + 1,
    attempted: true,
    status: 'paid',
    status_transitions: { ...(invoice.status_transitions as object), paid_at: at },
  };
}
