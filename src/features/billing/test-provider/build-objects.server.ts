import { PLANS, type Plan } from '../../../contract/plans.ts';
import { nowSeconds, type ProviderObject, providerId } from './provider-store.server.ts';
import type { Card } from './test-cards.server.ts';

/** A subscription as the API shows it; one item, as every plan is one price. */
export interface SubscriptionObject extends ProviderObject {
  customer: string;
  status: string;
  cancel_at_period_end: boolean;
  default_payment_method: string | null;
  latest_invoice: string | null;
  billing_cycle_anchor: number;
  items: { object: 'list'; data: SubscriptionItem[]; has_more: boolean; url: string };
}

export interface SubscriptionItem {
  id: string;
  price: ProviderObject;
  current_period_start: number;
  current_period_end: number;
  [field: string]: unknown;
}

/** An invoice as the API shows it. */
export interface InvoiceObject extends ProviderObject {
  customer: string;
  status: string;
  total: number;
  attempt_count: number;
  parent: { type: string; subscription_details: { subscription: string } };
}

/** The catalogue is the provider's price list: `price_…` of every plan, and its product. */
export const PRICES: ReadonlyMap<string, ProviderObject> = new Map(
  PLANS.map((plan) => [plan.priceId, priceObject(plan)]),
);
export const PRODUCTS: ReadonlyMap<string, ProviderObject> = new Map(
  PLANS.map((plan) => [productId(plan), productObject(plan)]),
);

function productId(plan: Plan): string {
  return plan.priceId.replace('price_', 'prod_');
}

function priceObject(plan: Plan): ProviderObject {
  return {
    id: plan.priceId,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: 0,
    currency: 'gbp',
    livemode: false,
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

function productObject(plan: Plan): ProviderObject {
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
  metadata?: Record<string, string> | undefined;
}): ProviderObject {
  return {
    id: providerId('cus'),
    object: 'customer',
    created: nowSeconds(),
    currency: 'gbp',
    email: details.email ?? null,
    invoice_settings: { default_payment_method: null },
    livemode: false,
    metadata: details.metadata ?? {},
    name: details.name ?? null,
  };
}

/** A new card of a customer. The behaviour is not part of it: the API must not show it. */
export function paymentMethodObject(card: Card, customer: string, email: string | null): ProviderObject {
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
    created: nowSeconds(),
    customer,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}

/** A new active subscription whose first period starts at `start` (epoch seconds). */
export function subscriptionObject(
  customer: string,
  price: ProviderObject,
  paymentMethod: string,
  start: number,
  metadata: Record<string, string>,
): SubscriptionObject {
  const id = providerId('sub');
  return {
    id,
    object: 'subscription',
    billing_cycle_anchor: start,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    collection_method: 'charge_automatically',
    created: start,
    currency: 'gbp',
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
          current_period_end: monthsAfter(start, 1),
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
    start_date: start,
    status: 'active',
    trial_end: null,
    trial_start: null,
  };
}

/** A new open invoice for the current period of a subscription. */
export function invoiceObject(
  subscription: SubscriptionObject,
  reason: 'subscription_create' | 'subscription_cycle',
  at: number,
): InvoiceObject {
  const item = itemOf(subscription);
  const id = providerId('in');
  const amount = Number(item.price.unit_amount);
  const period = { start: item.current_period_start, end: item.current_period_end };
  return {
    id,
    object: 'invoice',
    amount_due: amount,
    amount_paid: 0,
    amount_remaining: amount,
    attempt_count: 0,
    attempted: false,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: at,
    currency: 'gbp',
    customer: subscription.customer,
    lines: {
      object: 'list',
      data: [
        {
          id: providerId('il'),
          object: 'line_item',
          amount,
          currency: 'gbp',
          description: `1 × ${String(item.price.nickname)}`,
          invoice: id,
          livemode: false,
          metadata: {},
          parent: {
            type: 'subscription_item_details',
            invoice_item_details: null,
            subscription_item_details: {
              invoice_item: null,
              proration: false,
              proration_details: null,
              subscription: subscription.id,
              subscription_item: item.id,
            },
          },
          period,
          pricing: {
            type: 'price_details',
            price_details: { price: item.price.id, product: item.price.product },
            unit_amount_decimal: String(amount),
          },
          quantity: 1,
          subtotal: amount,
        },
      ],
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: {},
    number: `NL-${id.slice(3, 11).toUpperCase()}-0001`,
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: {} },
    } as InvoiceObject['parent'],
    period_start: period.start,
    period_end: period.end,
    status: 'open',
    status_transitions: { finalized_at: at, paid_at: null, voided_at: null, marked_uncollectible_at: null },
    subtotal: amount,
    total: amount,
  };
}

/** The only item of a subscription. */
export function itemOf(subscription: SubscriptionObject): SubscriptionItem {
  const item = subscription.items.data[0];
  if (item === undefined) throw new Error(`the subscription ${subscription.id} has no item`);
  return item;
}

/** The same day `count` months later (epoch seconds, UTC), or that month's last day. */
export function monthsAfter(start: number, count: number): number {
  const from = new Date(start * 1000);
  const to = new Date(from);
  to.setUTCMonth(from.getUTCMonth() + count, 1);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return Math.floor(to.getTime() / 1000);
}
