import type { CataloguePlan } from './catalogue.ts';
import type { Card } from './ledger/test-cards.ts';
import { type Change, findObject, type ProviderObject, providerId } from './provider-store.ts';

/** A subscription in the form of the API; it has one item, since every plan has one price. */
export interface SubscriptionObject extends ProviderObject {
  customer: string;
  status: string;
  cancel_at_period_end: boolean;
  default_payment_method: string | null;
  latest_invoice: string | null;
  billing_cycle_anchor: number;
  schedule: string | null;
  trial_end: number | null;
  test_clock: string | null;
  items: { object: 'list'; data: SubscriptionItem[]; has_more: boolean; url: string };
  /** Missing in subscriptions from before VAT was calculated. */
  automatic_tax?: AutomaticTax;
}

/** Whether VAT is calculated for a session, a subscription or an invoice. */
export interface AutomaticTax {
  readonly enabled: boolean;
}

/** The API's object for this. */
export function automaticTax(enabled: boolean): AutomaticTax & Record<string, unknown> {
  return { enabled, disabled_reason: null, liability: enabled ? { type: 'self' } : null };
}

export interface SubscriptionItem {
  id: string;
  price: ProviderObject;
  current_period_start: number;
  current_period_end: number;
  [field: string]: unknown;
}

/** Where prices are found: what is stored, then the catalogue. */
export type PriceSource = Pick<Change, 'queries' | 'catalogue'>;

/** Stores the catalogue's missing products and prices, so that they can be listed and changed. */
export async function seedCatalogue({ queries, catalogue }: PriceSource): Promise<void> {
  // The newest object is listed first.
  const objects = [...catalogue.first].reverse().flatMap((plan) => [productObject(plan), priceObject(plan)]);
  await queries.run(
    `insert into private.provider_objects (id, kind, data)
     select o ->> 'id', o ->> 'object', o from jsonb_array_elements($1::jsonb) with ordinality as t (o, n)
     order by n on conflict (id) do nothing`,
    [JSON.stringify(objects)],
  );
}

/** A price, also one of the catalogue that was never stored. */
export async function findPrice(
  { queries, catalogue }: PriceSource,
  id: string,
): Promise<ProviderObject | undefined> {
  const stored = await findObject(queries, 'price', id);
  if (stored !== undefined) return stored;
  const plan = catalogue.first.find(({ priceId }) => priceId === id);
  return plan === undefined ? undefined : priceObject(plan);
}

function productId(plan: CataloguePlan): string {
  return plan.priceId.replace('price_', 'prod_');
}

function priceObject(plan: CataloguePlan): ProviderObject {
  return {
    id: plan.priceId,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: 0,
    currency: plan.currency.toLowerCase(),
    livemode: false,
    lookup_key: plan.priceId,
    metadata: {},
    nickname: plan.name,
    product: productId(plan),
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed', meter: null },
    tax_behavior: 'inclusive',
    type: 'recurring',
    unit_amount: plan.pricePence,
    unit_amount_decimal: String(plan.pricePence),
  };
}

function productObject(plan: CataloguePlan): ProviderObject {
  return {
    id: productId(plan),
    object: 'product',
    active: true,
    created: 0,
    default_price: plan.priceId,
    description: plan.description,
    livemode: false,
    metadata: {},
    name: plan.name,
  };
}

/** A new customer. */
export function customerObject(details: {
  email?: string | undefined;
  name?: string | undefined;
  address?: Record<string, string | undefined> | undefined;
  metadata?: Record<string, string> | undefined;
  test_clock?: string | undefined;
  created: number;
}): ProviderObject {
  return {
    id: providerId('cus'),
    object: 'customer',
    address: details.address ?? null,
    balance: 0,
    created: details.created,
    // Set by the first subscription.
    currency: null,
    email: details.email ?? null,
    invoice_settings: { default_payment_method: null },
    livemode: false,
    metadata: details.metadata ?? {},
    name: details.name ?? null,
    test_clock: details.test_clock ?? null,
  };
}

/** A new card of a customer. Its behaviour is not part of the object, since the API must not show it. */
export function paymentMethodObject(
  card: Card,
  customer: string,
  email: string | null,
  created: number,
): ProviderObject {
  return {
    id: providerId('pm'),
    object: 'payment_method',
    billing_details: { email },
    card: {
      brand: card.brand,
      last4: card.last4,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      funding: 'credit',
    },
    created,
    customer,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}

/** The parts of a new subscription. Times are epoch seconds. */
export interface NewSubscription {
  readonly customer: string;
  readonly price: ProviderObject;
  readonly paymentMethod: string | null;
  readonly start: number;
  /** End of the free trial. */
  readonly trialEnd: number | undefined;
  readonly metadata: Record<string, string>;
  readonly testClock: string | null;
  /** Whether VAT is calculated for its invoices. */
  readonly taxed: boolean;
}

/** A new subscription, trialing or active, whose first period starts at `start`. */
export function subscriptionObject(given: NewSubscription): SubscriptionObject {
  const { customer, price, paymentMethod, start, trialEnd, metadata } = given;
  const id = providerId('sub');
  return {
    id,
    object: 'subscription',
    automatic_tax: automaticTax(given.taxed),
    billing_cycle_anchor: trialEnd ?? start,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    collection_method: 'charge_automatically',
    created: start,
    currency: String(price.currency),
    customer,
    default_payment_method: paymentMethod,
    ended_at: null,
    items: {
      object: 'list',
      data: [
        {
          id: providerId('si'),
          object: 'subscription_item',
          created: start,
          current_period_start: start,
          current_period_end: trialEnd ?? monthsAfter(start, 1),
          metadata: {},
          price,
          quantity: 1,
          subscription: id,
        },
      ],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: null,
    livemode: false,
    metadata,
    schedule: null,
    start_date: start,
    status: trialEnd === undefined ? 'active' : 'trialing',
    test_clock: given.testClock,
    trial_end: trialEnd ?? null,
    trial_start: trialEnd === undefined ? null : start,
  };
}

/** The only item of a subscription. */
export function itemOf(subscription: SubscriptionObject): SubscriptionItem {
  const item = subscription.items.data[0];
  if (item === undefined) throw new Error(`the subscription ${subscription.id} has no item`);
  return item;
}

/** The same day `count` months later (epoch seconds, UTC), or the last day of that month. */
export function monthsAfter(start: number, count: number): number {
  const from = new Date(start * 1000);
  const to = new Date(from);
  to.setUTCMonth(from.getUTCMonth() + count, 1);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return Math.floor(to.getTime() / 1000);
}
