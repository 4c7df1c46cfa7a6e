import type Stripe from 'stripe';
import type { Plan } from '../../../kernel/contract/plans.ts';
import type { Log } from '../../../kernel/resources/log/log.ts';
import { PACK_FIELD, packName } from '../credit-purchase.contract.ts';
import type { Payments } from '../payments.server.ts';

/** A subscription to one of our plans. Times are epoch seconds. */
export interface SubscriptionState {
  readonly id: string;
  readonly plan: Plan;
  readonly status: string;
  readonly periodStart: number | undefined;
  readonly periodEnd: number | undefined;
  readonly cancelAtPeriodEnd: boolean;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly created: number;
  /** The plan that follows at the end of the period, if it is another one. */
  readonly pending: { plan: Plan; at: number } | undefined;
}

/** An invoice for our plans. Amounts are in the smallest unit of its currency. */
export interface InvoiceState {
  readonly id: string;
  readonly subscriptionId: string | null;
  readonly number: string | null;
  readonly status: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly total: number;
  readonly amountDue: number;
  readonly amountRemaining: number;
  readonly refunded: number;
  /** The VAT in the total; null when VAT is not calculated. */
  readonly vat: number | null;
  /** True when the customer accounts for the VAT. */
  readonly reverseCharge: boolean;
  readonly nextAttempt: number | null;
  readonly created: number;
  /** The credits that it gives once it is paid. */
  readonly grant: Grant | undefined;
  /** How many of the granted credits to take back because of refunds and disputes. */
  readonly takenBack: number;
}

interface Grant {
  readonly credits: number;
  readonly name: string;
  readonly start: number;
  /** Null: the credits do not lapse. */
  readonly end: number | null;
}

/** The part of a provider's customer that we store, as fetched at one moment. */
export interface Fetched {
  readonly subscriptions: readonly SubscriptionState[];
  readonly invoices: readonly InvoiceState[];
  /** Added to the next invoice; negative in the customer's favour. */
  readonly balance: number;
  /** The currency of the balance and of all running subscriptions; null before the first. */
  readonly currency: string | null;
}

/** Most subscriptions, invoices and charges that are read for one customer. */
const MOST = 1000;
/** Statuses of a dispute that has taken no money, or has given it back. */
const HARMLESS = ['won', 'prevented', 'warning_needs_response', 'warning_under_review', 'warning_closed'];

/** Reads a customer; undefined when the provider does not know it. */
export async function fetchCustomer(
  payments: Payments,
  customerId: string,
  log: Log,
): Promise<Fetched | undefined> {
  const { stripe, livemode } = payments;
  const customer = await stripe.customers
    .retrieve(customerId, { expand: ['invoice_settings.default_payment_method'] })
    .catch(unlessMissing);
  if (customer === undefined) {
    log.warn({ customer: customerId }, 'an event names a customer that the provider does not know');
    return undefined;
  }
  const all = { customer: customerId, limit: 100 };
  const [subscriptions, invoices, charges] = await Promise.all([
    stripe.subscriptions
      .list({ ...all, status: 'all', expand: ['data.default_payment_method', 'data.schedule'] })
      .autoPagingToArray({ limit: MOST }),
    stripe.invoices.list({ ...all, expand: ['data.payments'] }).autoPagingToArray({ limit: MOST }),
    stripe.charges.list(all).autoPagingToArray({ limit: MOST }),
  ]);
  await ensurePrices(payments, subscriptions);
  const fallback = 'deleted' in customer ? undefined : customer.invoice_settings.default_payment_method;
  const known: SubscriptionState[] = [];
  for (const subscription of subscriptions) {
    const state = subscription.livemode === livemode ? stateOf(subscription, fallback, payments) : undefined;
    if (state !== undefined) known.push(state);
    else
      log.warn({ subscription: subscription.id }, 'a subscription to a price that we do not sell is ignored');
  }
  const back = await givenBack(payments, charges);
  return {
    subscriptions: known,
    invoices: invoices.flatMap((invoice) =>
      invoice.livemode === livemode ? invoiceStateOf(invoice, back, payments.prices) : [],
    ),
    balance: 'deleted' in customer ? 0 : (customer.balance ?? 0),
    currency: 'deleted' in customer ? null : (customer.currency ?? null),
  };
}

/** Undefined for an object that the provider does not have; rethrows any other failure. */
export function unlessMissing(error: Stripe.errors.StripeError): undefined {
  if (error.statusCode === 404) return undefined;
  throw error;
}

/** Another process may have synchronised the prices a moment ago. */
async function ensurePrices(
  { prices }: Payments,
  subscriptions: readonly Stripe.Subscription[],
): Promise<void> {
  await prices.refresh();
  const ids = subscriptions.map((subscription) => subscription.items.data[0]?.price.id ?? '');
  if (ids.some((id) => prices.fromProvider(id) === undefined)) await prices.refresh(true);
}

/** What was refunded and what is disputed, by payment. */
type GivenBack = ReadonlyMap<string, { refunded: number; disputed: number }>;

async function givenBack({ stripe }: Payments, charges: readonly Stripe.Charge[]): Promise<GivenBack> {
  const back = new Map<string, { refunded: number; disputed: number }>();
  for (const charge of charges) {
    const payment = idOf(charge.payment_intent);
    if (payment === undefined || (charge.amount_refunded === 0 && !charge.disputed)) continue;
    const disputes = charge.disputed
      ? await stripe.disputes.list({ charge: charge.id, limit: 100 }).autoPagingToArray({ limit: MOST })
      : [];
    const lost = disputes.filter(({ status }) => !HARMLESS.includes(status));
    const before = back.get(payment) ?? { refunded: 0, disputed: 0 };
    back.set(payment, {
      refunded: before.refunded + charge.amount_refunded,
      disputed: before.disputed + lost.reduce((sum, { amount }) => sum + amount, 0),
    });
  }
  return back;
}

function stateOf(
  subscription: Stripe.Subscription,
  fallback: string | Stripe.PaymentMethod | null | undefined,
  { prices }: Payments,
): SubscriptionState | undefined {
  const item = subscription.items.data[0];
  const plan = prices.fromProvider(item?.price.id ?? '');
  if (plan === undefined) return undefined;
  const own = subscription.default_payment_method;
  const method = own !== null && typeof own === 'object' ? own : fallback;
  const card = method !== null && typeof method === 'object' ? method.card : undefined;
  const end = item?.current_period_end;
  const { schedule } = subscription;
  const phases = typeof schedule === 'object' && schedule?.status === 'active' ? schedule.phases : [];
  const next = phases.find((phase) => end !== undefined && phase.start_date >= end);
  const nextPlan = prices.fromProvider(idOf(next?.items[0]?.price) ?? '');
  const pending =
    next === undefined || nextPlan === undefined || nextPlan === plan
      ? undefined
      : { plan: nextPlan, at: next.start_date };
  return {
    id: subscription.id,
    plan,
    status: subscription.status,
    periodStart: item?.current_period_start,
    periodEnd: end,
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    brand: card?.brand ?? null,
    last4: card?.last4 ?? null,
    created: subscription.created,
    pending,
  };
}

/** Undefined for an invoice without one of our plans or packs of credits. */
function invoiceStateOf(
  invoice: Stripe.Invoice,
  back: GivenBack,
  prices: Payments['prices'],
): InvoiceState[] {
  const lines = invoice.lines.data.flatMap((line) => lineOf(line, prices));
  const pack = packOf(invoice);
  if (lines.length === 0 && pack === undefined) return [];
  const grant = invoice.status === 'paid' ? (pack ?? grantOf(lines)) : undefined;
  let refunded = 0;
  let disputed = 0;
  for (const { payment } of invoice.payments?.data ?? []) {
    const of = back.get(idOf(payment.payment_intent) ?? '');
    refunded += of?.refunded ?? 0;
    disputed += of?.disputed ?? 0;
  }
  const paid = invoice.amount_paid;
  const share = paid === 0 ? 0 : Math.min(1, (refunded + disputed) / paid);
  return [
    {
      id: invoice.id,
      subscriptionId: idOf(invoice.parent?.subscription_details?.subscription) ?? null,
      number: invoice.number,
      status: invoice.status ?? 'draft',
      currency: invoice.currency,
      total: invoice.total,
      amountDue: invoice.amount_due,
      amountRemaining: invoice.amount_remaining,
      refunded,
      ...vatOf(invoice),
      nextAttempt: invoice.next_payment_attempt,
      created: invoice.created,
      grant,
      // A part of a credit that remains stays with the customer.
      takenBack: Math.floor((grant?.credits ?? 0) * share),
    },
  ];
}

function vatOf({
  automatic_tax: tax,
  total_taxes: taxes,
}: Partial<Stripe.Invoice>): Pick<InvoiceState, 'vat' | 'reverseCharge'> {
  // Invoices that the embedded provider made before it supported VAT have no such field.
  if (tax?.enabled !== true) return { vat: null, reverseCharge: false };
  return {
    vat: (taxes ?? []).reduce((sum, { amount }) => sum + amount, 0),
    reverseCharge: (taxes ?? []).some(({ taxability_reason: reason }) => reason === 'reverse_charge'),
  };
}

/** The grant of an invoice for a pack of credits; undefined for any other. */
function packOf({ metadata, parent, created }: Stripe.Invoice): Grant | undefined {
  const credits = Number(/^\d{1,5}$/.exec(metadata?.[PACK_FIELD] ?? '')?.[0] ?? 0);
  if (parent !== null || credits === 0) return undefined;
  return { credits, name: packName(credits), start: created, end: null };
}

interface PlanLine {
  readonly plan: Plan;
  readonly proration: boolean;
  readonly amount: number;
  readonly start: number;
  readonly end: number;
}

function lineOf(line: Stripe.InvoiceLineItem, prices: Payments['prices']): PlanLine[] {
  const details = line.parent?.subscription_item_details;
  if (details === undefined || details === null) return [];
  const plan = prices.fromProvider(idOf(line.pricing?.price_details?.price) ?? '');
  if (plan === undefined) return [];
  const { start, end } = line.period;
  return [{ plan, proration: details.proration, amount: line.amount, start, end }];
}

/**
 * The credits of a paid invoice: the plan's for each regular month, and for a change within a month, the
 * credits that the prorated money buys at the plans' own rates, rounded up.
 */
export function grantOf(lines: readonly PlanLine[]): Grant | undefined {
  const regular = lines.filter(({ proration }) => !proration);
  const changes = lines.filter(({ proration }) => proration);
  const bought = changes.reduce(
    (sum, { plan, amount }) => sum + (plan.limits.creditsPerMonth * amount) / plan.pricePence,
    0,
  );
  // A rounding error must not turn a whole number into one more credit.
  const extra = Math.max(0, Math.ceil(bought - 1e-9));
  const credits = regular.reduce((sum, { plan }) => sum + plan.limits.creditsPerMonth, 0) + extra;
  const last = regular.at(-1) ?? changes.at(-1);
  if (credits === 0 || last === undefined) return undefined;
  return { credits, name: last.plan.name, start: last.start, end: last.end };
}

function idOf(value: string | { id: string } | null | undefined): string | undefined {
  return typeof value === 'object' ? value?.id : value;
}
