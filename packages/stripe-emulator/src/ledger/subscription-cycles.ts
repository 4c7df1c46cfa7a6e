import {
  itemOf,
  type NewSubscription,
  paymentMethodObject,
  type SubscriptionObject,
  subscriptionObject,
} from '../object-shapes.ts';
import {
  type Change,
  insertObject,
  listObjects,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import { invalid } from '../route-descriptions.ts';
import { recordEvent } from './event-record.ts';
import { type InvoiceObject, periodLine } from './invoice-building.ts';
import { makeInvoice } from './invoice-issue.ts';
import { cardOf, collect, type Refusal } from './payment-taking.ts';
import { prorationLines } from './proration.ts';
import type { Card } from './test-cards.ts';

const DAY = 24 * 3600;
/** How many days before the end of a trial its event is sent. */
const TRIAL_NOTICE_DAYS = 3;

/** Stores a card for a customer. */
export async function attachCard(
  change: Change,
  customer: string,
  card: Card,
  email: string | null,
): Promise<ProviderObject> {
  const method = paymentMethodObject(card, customer, email, change.now);
  await insertObject(change.queries, method, { behaviour: card.behaviour });
  await recordEvent(change, 'payment_method.attached', method);
  return method;
}

/**
 * Starts a subscription and takes its first payment. A refused payment leaves it `incomplete` with an open
 * invoice, as the API does; the payment page refuses earlier.
 *
 * @param confirmed whether the cardholder is at the page
 */
export async function startSubscription(
  change: Change,
  given: NewSubscription,
  confirmed: boolean,
): Promise<{ subscription: SubscriptionObject; invoice: InvoiceObject; refusal: Refusal }> {
  const { queries } = change;
  const currency = String(given.price.currency);
  await refuseOtherCurrency(change, given.customer, currency);
  const customer = (await lockObject(queries, 'customer', given.customer))?.data;
  if (customer !== undefined && customer.currency !== currency)
    await replaceObject(queries, { ...customer, currency });
  const subscription = subscriptionObject(given);
  await insertObject(queries, subscription);
  const made = await makeInvoice(change, subscription, 'subscription_create', [periodLine(subscription)]);
  const { invoice, refusal } = await collect(change, made, await cardOf(change, subscription), confirmed);
  subscription.latest_invoice = invoice.id;
  if (refusal !== undefined) subscription.status = 'incomplete';
  await replaceObject(queries, subscription);
  await recordEvent(change, 'customer.subscription.created', subscription);
  if (refusal !== undefined) await recordEvent(change, 'invoice.payment_failed', invoice);
  if (given.trialEnd !== undefined) {
    const due = Math.max(given.start, given.trialEnd - TRIAL_NOTICE_DAYS * DAY);
    const timer = { id: providerId('timer'), object: 'timer', customer: given.customer, due };
    await insertObject(queries, { ...timer, subscription: subscription.id, test_clock: given.testClock });
  }
  return { subscription, invoice, refusal };
}

/** As at Stripe, the subscriptions of a customer are all in one currency. */
export async function refuseOtherCurrency(
  { queries }: Pick<Change, 'queries'>,
  customer: string,
  currency: string,
): Promise<void> {
  const held = await listObjects(queries, 'subscription', { customer, limit: 100 });
  const other = held.find(
    (one) => one.currency !== currency && !['canceled', 'incomplete_expired'].includes(String(one.status)),
  );
  if (other !== undefined)
    throw invalid(
      `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${String(other.currency)}`,
      'currency',
    );
}

/** Changes a subscription and records the event. */
export async function updateSubscription(
  change: Change,
  subscription: SubscriptionObject,
  fields: Record<string, unknown>,
): Promise<SubscriptionObject> {
  const next = { ...subscription, ...fields } as SubscriptionObject;
  const before = Object.fromEntries(
    Object.keys(fields).map((name) => [name, (subscription as Record<string, unknown>)[name]]),
  );
  await replaceObject(change.queries, next);
  await recordEvent(change, 'customer.subscription.updated', next, before);
  return next;
}

/**
 * Changes the price of a subscription for the rest of its period.
 *
 * `always_invoice` charges the difference at once, `create_prorations` with the next invoice, `none` not at
 * all.
 *
 * @returns why the difference was not paid, where it was not; the caller decides whether the change stands
 */
export async function changePrice(
  change: Change,
  subscription: SubscriptionObject,
  price: ProviderObject,
  options: { proration: 'always_invoice' | 'create_prorations' | 'none'; at: number; confirmed: boolean },
): Promise<{ subscription: SubscriptionObject; refusal: Refusal }> {
  const { queries } = change;
  const { currency } = itemOf(subscription).price;
  if (price.currency !== currency)
    throw invalid(
      `The price specified only supports \`${String(price.currency)}\`. This doesn't match the expected currency: \`${String(currency)}\`.`,
      'items[0][price]',
    );
  const lines = options.proration === 'none' ? [] : prorationLines(subscription, price, options.at);
  const items = { ...subscription.items, data: [{ ...itemOf(subscription), price }] };
  if (lines.length === 0 || options.proration !== 'always_invoice') {
    if (lines.length > 0) {
      const pending = { id: providerId('ii'), object: 'invoiceitem', customer: subscription.customer };
      await insertObject(queries, { ...pending, subscription: subscription.id, lines, invoice: null });
    }
    return { subscription: await updateSubscription(change, subscription, { items }), refusal: undefined };
  }
  const changed = { ...subscription, items };
  const made = await makeInvoice(change, changed, 'subscription_update', lines);
  const { invoice, refusal } = await collect(change, made, await cardOf(change, changed), options.confirmed);
  if (refusal !== undefined) await recordEvent(change, 'invoice.payment_failed', invoice);
  const fields = {
    items,
    latest_invoice: invoice.id,
    ...(refusal === undefined ? {} : { status: 'past_due' }),
  };
  return { subscription: await updateSubscription(change, subscription, fields), refusal };
}

/** Ends a subscription at once. */
export async function endSubscription(
  change: Change,
  subscription: SubscriptionObject,
  reason: 'cancellation_requested' | 'payment_failed' = 'cancellation_requested',
): Promise<SubscriptionObject> {
  const next: SubscriptionObject = {
    ...subscription,
    cancel_at_period_end: false,
    cancellation_details: { comment: null, feedback: null, reason },
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? change.now,
    ended_at: change.now,
  };
  await replaceObject(change.queries, next);
  // Nothing more is collected for a subscription that has ended.
  for (const invoice of await openInvoices(change, subscription)) {
    await replaceObject(change.queries, { ...invoice, next_payment_attempt: null, auto_advance: false });
  }
  await recordEvent(change, 'customer.subscription.deleted', next);
  return next;
}

/** Tries to pay an open invoice with the customer's present card. Undefined where it is paid. */
export async function payInvoice(change: Change, invoiceId: string): Promise<Refusal> {
  const { queries } = change;
  const invoice = (await lockObject(queries, 'invoice', invoiceId))?.data as InvoiceObject | undefined;
  if (invoice?.status !== 'open' || invoice.parent === null) return undefined;
  const subscriptionId = invoice.parent.subscription_details.subscription;
  const locked = await lockObject(queries, 'subscription', subscriptionId);
  const subscription = locked?.data as SubscriptionObject | undefined;
  if (subscription === undefined) return undefined;
  const { refusal, invoice: next } = await collect(change, invoice, await cardOf(change, subscription));
  if (refusal !== undefined) {
    const planned = { ...next, next_payment_attempt: invoice.next_payment_attempt };
    if (planned.next_payment_attempt !== null && planned.next_payment_attempt > change.now)
      await replaceObject(queries, planned);
    await recordEvent(change, 'invoice.payment_failed', planned);
    return refusal;
  }
  const owing = await openInvoices(change, subscription);
  if (owing.length === 0 && ['past_due', 'unpaid', 'incomplete'].includes(subscription.status)) {
    await updateSubscription(change, subscription, { status: 'active' });
  }
  return undefined;
}

/** Makes a card the subscription's, and pays its open invoices with it. */
export async function changeCard(
  change: Change,
  subscription: SubscriptionObject,
  card: Card,
  email: string | null,
): Promise<void> {
  const method = await attachCard(change, subscription.customer, card, email);
  const next = await updateSubscription(change, subscription, { default_payment_method: method.id });
  for (const invoice of await openInvoices(change, next)) await payInvoice(change, invoice.id);
}

/** The open invoices of a subscription, oldest first. */
export async function openInvoices(
  change: Change,
  subscription: Pick<SubscriptionObject, 'id' | 'customer'>,
): Promise<InvoiceObject[]> {
  const open = await listObjects(change.queries, 'invoice', {
    customer: subscription.customer,
    matching: { status: 'open', parent: { subscription_details: { subscription: subscription.id } } },
    limit: 100,
  });
  return open.reverse() as InvoiceObject[];
}
