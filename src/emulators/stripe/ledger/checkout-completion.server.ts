import { customerObject, findPrice } from '../object-shapes.server.ts';
import {
  type Change,
  findObject,
  insertObject,
  lockObject,
  type ProviderObject,
  replaceObject,
} from '../provider-store.server.ts';
import { type BilledParty, keepParty } from './customer-vat.server.ts';
import { recordEvent } from './event-record.server.ts';
import { completeSale, type Sale } from './sale-completion.server.ts';
import { attachCard, startSubscription } from './subscription-cycles.server.ts';
import type { Card } from './test-cards.server.ts';

/** The data that the payment page has about a session and that the API does not show. */
export interface PendingPayment {
  readonly card: Card;
  readonly email: string;
  readonly name: string;
  /** Set where VAT is calculated. */
  readonly party?: BilledParty | undefined;
}

/**
 * Takes the payment of a checkout session: creates customer, card, subscription or sale, paid invoice and
 * events in one transaction, and only once, however often the form is sent.
 *
 * @returns the address to go to; undefined where the session can no longer be paid
 */
export async function completeCheckout(
  change: Change,
  sessionId: string,
  payment: PendingPayment,
): Promise<string | undefined> {
  const { queries } = change;
  const locked = await lockObject(queries, 'checkout.session', sessionId);
  if (locked === undefined) return undefined;
  const session = locked.data;
  if (session.status === 'complete') return successUrl(session);
  if (session.status !== 'open' || Number(session.expires_at) <= change.now) return undefined;
  const done =
    session.mode === 'payment'
      ? await sellOnce(change, session, locked.hidden.sale as Sale, payment)
      : await subscribe(change, session, locked.hidden, payment);
  if (done === undefined) return undefined;
  const complete: ProviderObject = {
    ...session,
    ...done,
    customer_details: { email: payment.email, name: payment.name },
    status: 'complete',
    url: null,
  };
  await replaceObject(queries, complete, {});
  await recordEvent(change, 'checkout.session.completed', complete);
  return successUrl(complete);
}

/** The result of a paid session. */
interface Done {
  readonly customer: string;
  readonly invoice: string;
  readonly payment_status: 'paid' | 'no_payment_required';
  readonly subscription: string | null;
}

async function sellOnce(
  change: Change,
  session: ProviderObject,
  sale: Sale,
  payment: PendingPayment,
): Promise<Done> {
  const customer = await payer(change, session, payment);
  const invoice = await completeSale(change, customer, sale, payment);
  return { customer: customer.id, invoice: invoice.id, payment_status: 'paid', subscription: null };
}

async function subscribe(
  change: Change,
  session: ProviderObject,
  hidden: Record<string, unknown>,
  payment: PendingPayment,
): Promise<Done | undefined> {
  const price = await findPrice(change.queries, String(hidden.price));
  if (price === undefined) return undefined;
  const customer = await payer(change, session, payment);
  const method = await attachCard(change, customer.id, payment.card, payment.email);
  const metadata = (hidden.subscription_metadata ?? {}) as Record<string, string>;
  const trialDays = Number(hidden.trial_days ?? 0);
  const { subscription, invoice } = await startSubscription(
    change,
    {
      customer: customer.id,
      price,
      paymentMethod: method.id,
      start: change.now,
      trialEnd: trialDays === 0 ? undefined : change.now + trialDays * 24 * 3600,
      metadata,
      testClock: typeof customer.test_clock === 'string' ? customer.test_clock : null,
      taxed: hidden.taxed === true,
    },
    true,
  );
  return {
    customer: customer.id,
    invoice: invoice.id,
    payment_status: trialDays === 0 ? 'paid' : 'no_payment_required',
    subscription: subscription.id,
  };
}

async function payer(
  change: Change,
  session: ProviderObject,
  payment: PendingPayment,
): Promise<ProviderObject> {
  const { queries } = change;
  const known =
    typeof session.customer === 'string'
      ? await findObject(queries, 'customer', session.customer)
      : undefined;
  const customer = known ?? (await newPayer(change, payment));
  return payment.party === undefined ? customer : keepParty(change, customer, payment.party);
}

async function newPayer(change: Change, { email, name }: PendingPayment): Promise<ProviderObject> {
  const customer = customerObject({ email, name, created: change.now });
  await insertObject(change.queries, customer);
  await recordEvent(change, 'customer.created', customer);
  return customer;
}

function successUrl(session: ProviderObject): string {
  return String(session.success_url).replaceAll('{CHECKOUT_SESSION_ID}', encodeURIComponent(session.id));
}
