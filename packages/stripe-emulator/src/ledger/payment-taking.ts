import type { SubscriptionObject } from '../object-shapes.ts';
import {
  type Change,
  findObject,
  insertObject,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import { openDispute } from './charge-disputes.ts';
import { recordEvent } from './event-record.ts';
import type { InvoiceObject } from './invoice-building.ts';
import { type Card, type CardBehaviour, DECLINES, isOver } from './test-cards.ts';

/** Why a payment was not taken; undefined where it was. */
export type Refusal = { readonly code: string; readonly message: string } | undefined;

/**
 * Tries to collect an open invoice from a card. Stores the invoice, its payment, the charge and their events;
 * the caller applies the result to the subscription.
 *
 * @param confirmed whether the cardholder has just confirmed with the bank
 */
export async function collect(
  change: Change,
  invoice: InvoiceObject,
  method: { data: ProviderObject; hidden: Record<string, unknown> } | undefined,
  confirmed = false,
): Promise<{ invoice: InvoiceObject; refusal: Refusal }> {
  const { now } = change;
  if (invoice.amount_due === 0)
    return { invoice: await settle(change, invoice, undefined), refusal: undefined };
  const refusal = refusalOf(method, now, confirmed);
  if (refusal === undefined) {
    const charge = await chargeCard(change, invoice, method?.data.id ?? null);
    const paid = await settle(change, invoice, charge);
    if (method?.hidden.behaviour === 'disputed') await openDispute(change, charge.id, {});
    return { invoice: paid, refusal: undefined };
  }
  const failed: InvoiceObject = {
    ...invoice,
    attempt_count: invoice.attempt_count + 1,
    attempted: true,
    next_payment_attempt: null,
  };
  await replaceObject(change.queries, failed);
  return { invoice: failed, refusal };
}

/** The card of a subscription, or the customer's default card. */
export async function cardOf(
  change: Change,
  subscription: SubscriptionObject,
): Promise<{ data: ProviderObject; hidden: Record<string, unknown> } | undefined> {
  const { queries } = change;
  let id = subscription.default_payment_method;
  if (id === null) {
    const customer = await findObject(queries, 'customer', subscription.customer);
    const settings = customer?.invoice_settings as { default_payment_method?: string | null } | undefined;
    id = settings?.default_payment_method ?? null;
  }
  return id === null ? undefined : lockObject(queries, 'payment_method', id);
}

/** The bank's answer to an off-session payment, or to one that the cardholder has confirmed. */
function refusalOf(
  method: { data: ProviderObject; hidden: Record<string, unknown> } | undefined,
  now: number,
  confirmed: boolean,
): Refusal {
  if (method === undefined) return { code: 'card_declined', message: 'There is no card.' };
  if (isOver(method.data.card as Card, now)) return DECLINES.expired;
  const behaviour = String(method.hidden.behaviour) as CardBehaviour;
  // A bank that asked for confirmation once accepts renewals, as it does for a card that was set up for later
  // use.
  if (behaviour === 'always_authentication' && !confirmed)
    return {
      code: 'authentication_required',
      message: 'Your card was declined. This transaction requires authentication.',
    };
  if (behaviour === 'fails_later' && confirmed) return undefined;
  return DECLINES[behaviour];
}

async function chargeCard(
  change: Change,
  invoice: InvoiceObject,
  method: string | null,
): Promise<ProviderObject> {
  const { queries, now } = change;
  const { currency, customer } = invoice;
  const common = { created: now, currency, customer, livemode: false, metadata: {} };
  const intent: ProviderObject = {
    ...common,
    id: providerId('pi'),
    object: 'payment_intent',
    amount: invoice.amount_due,
    amount_received: invoice.amount_due,
    latest_charge: providerId('ch'),
    payment_method: method,
    status: 'succeeded',
  };
  const charge: ProviderObject = {
    ...common,
    id: String(intent.latest_charge),
    object: 'charge',
    amount: invoice.amount_due,
    amount_captured: invoice.amount_due,
    amount_refunded: 0,
    captured: true,
    disputed: false,
    failure_code: null,
    failure_message: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: method,
    refunded: false,
    status: 'succeeded',
  };
  await insertObject(queries, intent);
  await insertObject(queries, charge);
  await recordEvent(change, 'payment_intent.succeeded', intent);
  await recordEvent(change, 'charge.succeeded', charge);
  return charge;
}

/** Marks an invoice as paid, by a charge or because nothing was due. */
async function settle(
  change: Change,
  invoice: InvoiceObject,
  charge: ProviderObject | undefined,
): Promise<InvoiceObject> {
  const { queries, now } = change;
  const paid: InvoiceObject = {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count: invoice.attempt_count + (charge === undefined ? 0 : 1),
    attempted: true,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...(invoice.status_transitions as object), paid_at: now },
  };
  if (charge !== undefined) {
    const payment: ProviderObject = {
      id: providerId('inpay'),
      object: 'invoice_payment',
      amount_paid: invoice.amount_due,
      amount_requested: invoice.amount_due,
      created: now,
      currency: invoice.currency,
      invoice: invoice.id,
      is_default: true,
      livemode: false,
      payment: { type: 'payment_intent', payment_intent: charge.payment_intent },
      status: 'paid',
      status_transitions: { canceled_at: null, paid_at: now },
    };
    await insertObject(queries, payment);
    paid.payments = { ...(paid.payments as object), data: [payment] };
  }
  await replaceObject(queries, paid);
  await recordEvent(change, 'invoice.paid', paid);
  await recordEvent(change, 'invoice.payment_succeeded', paid);
  return paid;
}
