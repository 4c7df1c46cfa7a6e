import { includedVat, type Vat } from '@northline/vat/vat';
import { automaticTax, itemOf, type SubscriptionObject } from '../object-shapes.ts';
import { type ProviderObject, providerId } from '../provider-store.ts';

/** An invoice in the form of the API. */
export interface InvoiceObject extends ProviderObject {
  customer: string;
  status: string;
  currency: string;
  total: number;
  amount_due: number;
  amount_paid: number;
  attempt_count: number;
  next_payment_attempt: number | null;
  billing_reason: string;
  lines: { object: 'list'; data: ProviderObject[]; has_more: boolean; url: string };
  /** Null on the invoice of a single sale. */
  parent: { type: string; subscription_details: { subscription: string } } | null;
  /** Missing in invoices from before VAT was calculated. */
  total_taxes?: TotalTax[];
  total_excluding_tax?: number;
}

/** The VAT in an invoice. */
export interface TotalTax {
  readonly amount: number;
  readonly tax_behavior: 'inclusive';
  readonly tax_rate_details: { readonly tax_rate: string };
  readonly taxability_reason: 'standard_rated' | 'reverse_charge' | 'not_collecting';
  readonly taxable_amount: number;
  readonly type: 'tax_rate_details';
}

/** The customer and the subject of an invoice. */
export interface InvoiceSubject {
  readonly customer: string;
  readonly test_clock: string | null;
  readonly period: { readonly start: number; readonly end: number };
  readonly metadata: Record<string, string>;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Whether VAT is calculated for it. */
  readonly taxed: boolean;
  /** Undefined for a single sale. */
  readonly subscription: { readonly id: string; readonly item: string } | undefined;
}

/** The subject of a subscription's invoices. */
export function subscriptionSubject(subscription: SubscriptionObject): InvoiceSubject {
  const item = itemOf(subscription);
  return {
    customer: subscription.customer,
    test_clock: subscription.test_clock,
    period: { start: item.current_period_start, end: item.current_period_end },
    metadata: {},
    currency: String(item.price.currency),
    taxed: subscription.automatic_tax?.enabled === true,
    subscription: { id: subscription.id, item: item.id },
  };
}

/** The subject of the invoice for a single sale. */
export function saleSubject(
  customer: ProviderObject,
  { metadata, taxed, currency }: Pick<InvoiceSubject, 'metadata' | 'taxed' | 'currency'>,
  at: number,
): InvoiceSubject {
  const clock = typeof customer.test_clock === 'string' ? customer.test_clock : null;
  return {
    customer: customer.id,
    test_clock: clock,
    period: { start: at, end: at },
    metadata,
    currency,
    taxed,
    subscription: undefined,
  };
}

/** One line before it is on an invoice. */
export interface LineDraft {
  readonly description: string;
  readonly amount: number;
  readonly price: ProviderObject;
  readonly period: { start: number; end: number };
  readonly proration: boolean;
}

export type BillingReason =
  | 'subscription_create'
  | 'subscription_cycle'
  | 'subscription_update'
  | 'upcoming'
  | 'manual';

/** The regular line for the current period, or for a trial. */
export function periodLine(subscription: SubscriptionObject): LineDraft {
  const item = itemOf(subscription);
  const trial = subscription.status === 'trialing';
  const name = String(item.price.nickname);
  return {
    description: trial ? `Trial period for ${name}` : `1 × ${name}`,
    amount: trial ? 0 : Number(item.price.unit_amount),
    price: item.price,
    period: { start: item.current_period_start, end: item.current_period_end },
    proration: false,
  };
}

/** A new finalised invoice. `balance` is the customer's; credit in it is used up first. */
export function invoiceObject(
  subject: InvoiceSubject,
  reason: BillingReason,
  drafts: readonly LineDraft[],
  options: {
    at: number;
    number: string | null;
    balance: number;
    pages: string;
    token: string;
    vat: Vat | undefined;
  },
): InvoiceObject {
  const id = providerId(reason === 'upcoming' ? 'upcoming_in' : 'in');
  const total = drafts.reduce((sum, line) => sum + line.amount, 0);
  const taxes = taxesOf(drafts, options.vat);
  const net = total - taxes.reduce((sum, { amount }) => sum + amount, 0);
  const due = Math.max(0, total + options.balance);
  const address = `${options.pages}/invoice/${id}/${options.token}`;
  return {
    id,
    object: 'invoice',
    amount_due: due,
    amount_paid: 0,
    amount_remaining: due,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { ...automaticTax(subject.taxed), status: subject.taxed ? 'complete' : null },
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: options.at,
    currency: subject.currency,
    customer: subject.customer,
    ending_balance: Math.min(0, total + options.balance),
    hosted_invoice_url: reason === 'upcoming' ? null : address,
    invoice_pdf: reason === 'upcoming' ? null : `${address}/pdf`,
    lines: {
      object: 'list',
      data: drafts.map((draft) => lineObject(id, subject, draft)),
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: subject.metadata,
    next_payment_attempt: null,
    number: options.number,
    parent:
      subject.subscription === undefined
        ? null
        : ({
            type: 'subscription_details',
            subscription_details: { subscription: subject.subscription.id, metadata: {} },
          } as InvoiceObject['parent']),
    payments: { object: 'list', data: [], has_more: false, url: '/v1/invoice_payments' },
    period_start: subject.period.start,
    period_end: subject.period.end,
    starting_balance: options.balance,
    status: reason === 'upcoming' ? 'draft' : 'open',
    status_transitions: {
      finalized_at: reason === 'upcoming' ? null : options.at,
      paid_at: null,
      voided_at: null,
      marked_uncollectible_at: null,
    },
    subtotal: total,
    subtotal_excluding_tax: net,
    test_clock: subject.test_clock,
    total,
    total_excluding_tax: net,
    total_taxes: taxes,
  };
}

const REASONS = {
  standard: 'standard_rated',
  reverse_charge: 'reverse_charge',
  none: 'not_collecting',
} as const;

/** The id of a rate, made from its country and its percentage. */
export function rateId({ country, percent }: Pick<Vat, 'country' | 'percent'>): string {
  return `txr_${country}_${percent}`;
}

/** The VAT of all lines, each rounded separately as the API does; empty where no VAT is calculated. */
function taxesOf(drafts: readonly LineDraft[], vat: Vat | undefined): TotalTax[] {
  if (vat === undefined) return [];
  const amount = drafts.reduce((sum, line) => sum + includedVat(line.amount, vat), 0);
  return [
    {
      amount,
      tax_behavior: 'inclusive',
      tax_rate_details: { tax_rate: rateId(vat) },
      taxability_reason: REASONS[vat.kind],
      taxable_amount: drafts.reduce((sum, line) => sum + line.amount, 0) - amount,
      type: 'tax_rate_details',
    },
  ];
}

function lineObject(
  invoice: string,
  { subscription, currency }: InvoiceSubject,
  draft: LineDraft,
): ProviderObject {
  const { amount, description, price, period, proration } = draft;
  return {
    id: providerId('il'),
    object: 'line_item',
    amount,
    currency,
    description,
    discount_amounts: [],
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    parent:
      subscription === undefined
        ? {
            type: 'invoice_item_details',
            invoice_item_details: { invoice_item: providerId('ii'), proration, proration_details: null },
            subscription_item_details: null,
          }
        : {
            type: 'subscription_item_details',
            invoice_item_details: null,
            subscription_item_details: {
              invoice_item: null,
              proration,
              proration_details: null,
              subscription: subscription.id,
              subscription_item: subscription.item,
            },
          },
    period,
    pricing: {
      type: 'price_details',
      price_details: { price: price.id, product: price.product },
      unit_amount_decimal: String(price.unit_amount),
    },
    quantity: 1,
    subtotal: amount,
    taxes: [],
  };
}
