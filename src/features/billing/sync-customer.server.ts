import type Stripe from 'stripe';
import type { Plan } from '../../contract/plans.ts';
import type { Queries } from '../../resources/database/database.ts';
import type { Resources } from '../../resources/resources.ts';
import type { Payments } from './open-payments.server.ts';
import { ensurePaymentCustomer, lockPaymentCustomer, rowOfPaymentCustomer } from './own-customer.server.ts';

/** The part of a provider's customer that we keep, as fetched at one moment. */
interface Fetched {
  readonly subscriptions: readonly (SubscriptionState & { plan: Plan })[];
  readonly grants: readonly { invoiceId: string; plan: Plan }[];
}

interface SubscriptionState {
  readonly id: string;
  readonly status: string;
  readonly periodStart: number | undefined;
  readonly periodEnd: number | undefined;
  readonly cancelAtPeriodEnd: boolean;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly created: number;
}

/** What had to be written to make our state the provider's. */
export interface Written {
  /** Subscriptions that differed. */
  readonly subscriptions: number;
  /** Invoices that had not granted their credits. */
  readonly grants: number;
}

const NOTHING: Written = { subscriptions: 0, grants: 0 };
/** Most subscriptions and invoices of one customer that are looked at. */
const MOST = 1000;
/** Invoices for a period of a plan; a change within a period grants nothing by itself. */
const GRANTING_REASONS: readonly (string | null)[] = ['subscription_create', 'subscription_cycle'];

/**
 * Makes our state of one customer equal to the provider's: subscriptions absolutely, credits
 * once for each paid invoice. Safe to repeat, in any order and by several processes at once:
 * a ticket is taken before the fetch, the writing is serialised for each customer, and an older
 * ticket never overwrites a newer one (security.md, "Stripe webhook guidance").
 *
 * @param handled ids of events that are done when this is written
 */
export async function syncCustomer(
  resources: Pick<Resources, 'database' | 'log'>,
  payments: Payments,
  customerId: string,
  handled: readonly string[] = [],
): Promise<Written> {
  const { database, log } = resources;
  const { ticket } = await database.one<{ ticket: string }>(
    "select nextval('private.payment_fetch_ticket')::text as ticket",
  );
  const fetched = await fetchCustomer(payments, customerId, log);
  return database.transaction(async (queries) => {
    await lockPaymentCustomer(queries, customerId);
    await queries.run(
      'update private.payment_events set handled_at = now() where id = any($1) and handled_at is null',
      [handled],
    );
    if (fetched === undefined) return NOTHING;
    if (isEmpty(fetched) && (await rowOfPaymentCustomer(queries, customerId)) === undefined) return NOTHING;
    const row = await ensurePaymentCustomer(queries, customerId);
    let grants = 0;
    for (const { invoiceId, plan } of fetched.grants) {
      const { granted } = await queries.one<{ granted: boolean }>(
        'select private.grant_credits($1, $2, $3, $4) as granted',
        [row.id, plan.limits.creditsPerMonth, invoiceId, plan.name],
      );
      if (granted) grants += 1;
    }
    const newest = await queries.run(
      'update private.payment_customers set watermark = $2 where customer_id = $1 and watermark < $2',
      [customerId, ticket],
    );
    let subscriptions = 0;
    for (const state of newest === 1 ? fetched.subscriptions : []) {
      subscriptions += await writeSubscription(queries, row.customer_id ?? customerId, state);
    }
    return { subscriptions, grants };
  });
}

/** The account at the provider may have customers of other shops: those get no row here. */
function isEmpty({ subscriptions, grants }: Fetched): boolean {
  return subscriptions.length === 0 && grants.length === 0;
}

async function fetchCustomer(
  { stripe, prices, livemode }: Payments,
  customerId: string,
  log: Resources['log'],
): Promise<Fetched | undefined> {
  const customer = await stripe.customers
    .retrieve(customerId, { expand: ['invoice_settings.default_payment_method'] })
    .catch(unlessMissing);
  if (customer === undefined) {
    log.warn({ customer: customerId }, 'an event names a customer that the provider does not know');
    return undefined;
  }
  const subscriptions = await stripe.subscriptions
    .list({ customer: customerId, status: 'all', limit: 100, expand: ['data.default_payment_method'] })
    .autoPagingToArray({ limit: MOST });
  const invoices = await stripe.invoices
    .list({ customer: customerId, status: 'paid', limit: 100 })
    .autoPagingToArray({ limit: MOST });
  const fallbackCard = 'deleted' in customer ? undefined : customer.invoice_settings.default_payment_method;
  const known: Fetched['subscriptions'][number][] = [];
  for (const subscription of subscriptions) {
    const plan = prices.fromProvider(subscription.items.data[0]?.price.id ?? '');
    if (plan === undefined || subscription.livemode !== livemode) {
      log.warn({ subscription: subscription.id }, 'a subscription to a price that we do not sell is ignored');
      continue;
    }
    known.push({ ...stateOf(subscription, fallbackCard), plan });
  }
  const grants: { invoiceId: string; plan: Plan }[] = [];
  for (const invoice of invoices) {
    if (invoice.livemode !== livemode || !GRANTING_REASONS.includes(invoice.billing_reason)) continue;
    const plan = invoice.lines.data.flatMap((line) => planOfLine(line, prices))[0];
    if (plan === undefined) log.warn({ invoice: invoice.id }, 'a paid invoice names no price that we sell');
    else grants.push({ invoiceId: invoice.id, plan });
  }
  return { subscriptions: known, grants };
}

/** Undefined for what the provider does not have; any other failure is thrown on. */
export function unlessMissing(error: Stripe.errors.StripeError): undefined {
  if (error.statusCode === 404) return undefined;
  throw error;
}

/** The plan that a line is the regular price of; prorations are not. */
function planOfLine(line: Stripe.InvoiceLineItem, prices: Payments['prices']): Plan[] {
  const details = line.parent?.subscription_item_details;
  if (details === undefined || details === null || details.proration) return [];
  const price = line.pricing?.price_details?.price;
  const plan = prices.fromProvider(typeof price === 'string' ? price : (price?.id ?? ''));
  return plan === undefined ? [] : [plan];
}

function stateOf(
  subscription: Stripe.Subscription,
  fallback: string | Stripe.PaymentMethod | null | undefined,
): SubscriptionState {
  const item = subscription.items.data[0];
  const own = subscription.default_payment_method;
  const method = own !== null && typeof own === 'object' ? own : fallback;
  const card = method !== null && typeof method === 'object' ? method.card : undefined;
  return {
    id: subscription.id,
    status: subscription.status,
    periodStart: item?.current_period_start,
    periodEnd: item?.current_period_end,
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    brand: card?.brand ?? null,
    last4: card?.last4 ?? null,
    created: subscription.created,
  };
}

async function writeSubscription(
  queries: Queries,
  customerId: string,
  state: Fetched['subscriptions'][number],
): Promise<number> {
  return queries.run(
    `insert into public.subscriptions as s (customer_id, subscription_id, price_id, tier, status,
       current_period_start, current_period_end, cancel_at_period_end, payment_method_brand,
       payment_method_last4, created_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6), to_timestamp($7), $8, $9, $10, to_timestamp($11))
     on conflict (subscription_id) do update set customer_id = excluded.customer_id,
       price_id = excluded.price_id, tier = excluded.tier, status = excluded.status,
       current_period_start = excluded.current_period_start,
       current_period_end = excluded.current_period_end,
       cancel_at_period_end = excluded.cancel_at_period_end,
       payment_method_brand = excluded.payment_method_brand,
       payment_method_last4 = excluded.payment_method_last4, updated_at = now()
     where (s.customer_id, s.price_id, s.tier, s.status, s.current_period_start, s.current_period_end,
         s.cancel_at_period_end, s.payment_method_brand, s.payment_method_last4)
       is distinct from (excluded.customer_id, excluded.price_id, excluded.tier, excluded.status,
         excluded.current_period_start, excluded.current_period_end, excluded.cancel_at_period_end,
         excluded.payment_method_brand, excluded.payment_method_last4)`,
    [
      customerId,
      state.id,
      state.plan.priceId,
      state.plan.tier,
      state.status,
      state.periodStart ?? null,
      state.periodEnd ?? null,
      state.cancelAtPeriodEnd,
      state.brand,
      state.last4,
      state.created,
    ],
  );
}
