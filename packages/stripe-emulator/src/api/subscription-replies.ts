import { ServiceError } from '@northline/service-error/service-error';
import { z } from 'zod';
import { livingSubscription } from '../ledger/active-subscription.ts';
import { vatOfCustomer } from '../ledger/customer-vat.ts';
import {
  type BillingReason,
  type InvoiceObject,
  invoiceObject,
  type LineDraft,
  periodLine,
  subscriptionSubject,
} from '../ledger/invoice-building.ts';
import type { Refusal } from '../ledger/payment-taking.ts';
import { prorationLines } from '../ledger/proration.ts';
import { voidInvoice } from '../ledger/renewal-round.ts';
import {
  changePrice,
  endSubscription,
  payInvoice,
  startSubscription,
  updateSubscription,
} from '../ledger/subscription-cycles.ts';
import {
  findPrice,
  itemOf,
  monthsAfter,
  type PriceSource,
  type SubscriptionObject,
} from '../object-shapes.ts';
import { atCustomersTime } from '../provider-clock.ts';
import { findObject, lockObject, type ProviderObject } from '../provider-store.ts';
import {
  type ApiCall,
  type ApiRoute,
  expand,
  flag,
  found,
  invalid,
  metadata,
  missing,
  readable,
  route,
  text,
  whole,
} from '../route-descriptions.ts';

const proration = z.enum(['always_invoice', 'create_prorations', 'none']).default('create_prorations');
const item = z.strictObject({ id: text.optional(), price: text, quantity: z.literal('1').optional() });
const updateParams = z.strictObject({
  cancel_at_period_end: flag.optional(),
  default_payment_method: text.optional(),
  metadata,
  items: z.array(item).length(1).optional(),
  proration_behavior: proration,
  proration_date: whole.optional(),
  payment_behavior: z.enum(['allow_incomplete', 'error_if_incomplete']).default('allow_incomplete'),
  expand,
});

const previewParams = z.strictObject({
  customer: text.optional(),
  subscription: text,
  subscription_details: z
    .strictObject({
      items: z.array(item).length(1).optional(),
      proration_behavior: proration,
      proration_date: whole.optional(),
    })
    .optional(),
  expand,
});

/** Subscriptions, their schedules and invoices. */
export const SUBSCRIPTION_ROUTES: readonly ApiRoute[] = [
  ...readable('/v1/subscriptions', 'subscription', { customer: text.optional(), status: text.optional() }),
  ...readable('/v1/invoices', 'invoice', {
    customer: text.optional(),
    status: text.optional(),
    subscription: text.optional(),
  }),
  ...readable('/v1/invoice_payments', 'invoice_payment', {
    invoice: text.optional(),
    status: text.optional(),
  }),
  route(
    'POST',
    '/v1/subscriptions',
    z.strictObject({
      customer: text,
      items: z.array(item).length(1),
      default_payment_method: text.optional(),
      trial_period_days: whole.optional(),
      automatic_tax: z.strictObject({ enabled: flag }).optional(),
      payment_behavior: z.enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete']).optional(),
      metadata,
      expand,
    }),
    createSubscription,
  ),
  route('POST', '/v1/subscriptions/:id', updateParams, update),
  route(
    'DELETE',
    '/v1/subscriptions/:id',
    z.strictObject({ prorate: flag.optional(), invoice_now: flag.optional(), expand }),
    async (call) => {
      const { subscription, change } = await livingSubscription(call);
      return endSubscription(change, subscription);
    },
  ),
  route('POST', '/v1/invoices/create_preview', previewParams, preview),
  route('POST', '/v1/invoices/:id/pay', z.strictObject({ expand }), async (call) => {
    const invoice = found(await findObject(call.change.queries, 'invoice', call.id), 'invoice', call.id);
    const change = await atCustomersTime(call.change, invoice.customer);
    if (invoice.status !== 'open') throw invalid(`Invoice is already ${String(invoice.status)}`, 'id');
    refuse(await payInvoice(change, call.id));
    return found(await findObject(change.queries, 'invoice', call.id), 'invoice', call.id);
  }),
  route('POST', '/v1/invoices/:id/void', z.strictObject({ expand }), async ({ change, id }) => {
    const { data } = found(await lockObject(change.queries, 'invoice', id), 'invoice', id);
    if (data.status !== 'open') throw invalid('You can only void open invoices.', 'id');
    return voidInvoice(change, data as InvoiceObject);
  }),
];

type Given<Params extends z.ZodType> = ApiCall & { given: z.output<Params> };

async function createSubscription(
  call: ApiCall & {
    given: {
      customer: string;
      items: { price: string }[];
      default_payment_method?: string | undefined;
      trial_period_days?: number | undefined;
      automatic_tax?: { enabled: boolean } | undefined;
      payment_behavior?: string | undefined;
      metadata?: Record<string, string> | undefined;
    };
  },
): Promise<ProviderObject> {
  const { given } = call;
  const change = await atCustomersTime(call.change, given.customer);
  const customer = found(
    await findObject(change.queries, 'customer', given.customer),
    'customer',
    given.customer,
  );
  const price = await findPrice(change, given.items[0]?.price ?? '');
  if (price === undefined) throw missing('price', given.items[0]?.price ?? '');
  const days = given.trial_period_days ?? 0;
  const { subscription, refusal } = await startSubscription(
    change,
    {
      customer: customer.id,
      price,
      paymentMethod: given.default_payment_method ?? null,
      start: change.now,
      trialEnd: days === 0 ? undefined : change.now + days * 24 * 3600,
      metadata: given.metadata ?? {},
      testClock: typeof customer.test_clock === 'string' ? customer.test_clock : null,
      taxed: given.automatic_tax?.enabled === true,
    },
    false,
  );
  if (given.payment_behavior === 'error_if_incomplete') refuse(refusal);
  return subscription;
}

async function update(call: Given<typeof updateParams>): Promise<ProviderObject> {
  const {
    items,
    proration_behavior,
    proration_date,
    payment_behavior,
    expand: _expand,
    ...fields
  } = call.given;
  const { subscription, change } = await livingSubscription(call);
  const canceling = cancellationFields(subscription, fields.cancel_at_period_end, change.now);
  const price = await priceOfItems(change, items);
  let current = subscription;
  if (price !== undefined && price.id !== itemOf(subscription).price.id) {
    const at = proration_date ?? change.now;
    checkProrationDate(subscription, at);
    const changed = await changePrice(change, subscription, price, {
      proration: proration_behavior,
      at,
      confirmed: false,
    });
    if (payment_behavior === 'error_if_incomplete') refuse(changed.refusal);
    current = changed.subscription;
  }
  if (Object.keys(fields).length === 0) return current;
  return updateSubscription(change, current, { ...fields, ...canceling });
}

/** @throws ServiceError where a schedule decides how the subscription ends */
function cancellationFields(
  { schedule }: SubscriptionObject,
  atPeriodEnd: boolean | undefined,
  now: number,
): { canceled_at?: number | null } {
  if (atPeriodEnd === undefined) return {};
  if (schedule != null) {
    throw invalid(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating any cancellation behavior directly is not allowed. Please update the schedule instead.`,
      'cancel_at_period_end',
    );
  }
  return { canceled_at: atPeriodEnd ? now : null };
}

/**
 * The price that the items name, if there are items. @throws ServiceError 400 for a price that does not exist
 */
async function priceOfItems(
  change: PriceSource,
  items: readonly { price: string }[] | undefined,
): Promise<ProviderObject | undefined> {
  if (items === undefined) return undefined;
  const id = items[0]?.price ?? '';
  const price = await findPrice(change, id);
  if (price === undefined) throw missing('price', id);
  return price;
}

async function preview(call: Given<typeof previewParams>): Promise<ProviderObject> {
  const { given } = call;
  const { subscription, change } = await livingSubscription({ ...call, id: given.subscription });
  const {
    items,
    proration_behavior = 'create_prorations',
    proration_date: at = change.now,
  } = given.subscription_details ?? {};
  const price = await priceOfItems(change, items);
  const customer = await findObject(change.queries, 'customer', subscription.customer);
  const changes =
    price !== undefined && proration_behavior !== 'none' && price.id !== itemOf(subscription).price.id;
  if (changes) checkProrationDate(subscription, at);
  const lines: LineDraft[] = changes && price !== undefined ? prorationLines(subscription, price, at) : [];
  if (proration_behavior !== 'always_invoice') lines.push(nextLine(subscription, price));
  const reason: BillingReason = 'upcoming';
  const subject = subscriptionSubject(subscription);
  return invoiceObject(subject, reason, lines, {
    at: change.now,
    number: null,
    balance: Number(customer?.balance ?? 0),
    pages: change.pages,
    token: '',
    vat: subject.taxed ? await vatOfCustomer(change, customer) : undefined,
  });
}

/** The regular line for the next period. */
function nextLine(subscription: SubscriptionObject, price: ProviderObject | undefined): LineDraft {
  const current = itemOf(subscription);
  const start = current.current_period_end;
  const item = {
    ...current,
    price: price ?? current.price,
    current_period_start: start,
    current_period_end: monthsAfter(start, 1),
  };
  return periodLine({ ...subscription, status: 'active', items: { ...subscription.items, data: [item] } });
}

function checkProrationDate(subscription: SubscriptionObject, at: number): void {
  const { current_period_start: start, current_period_end: end } = itemOf(subscription);
  if (at < start || at > end) {
    throw invalid('The proration date must be within the current billing period.', 'proration_date');
  }
}

/** Throws the API's 402, which rolls back what the call has done. */
function refuse(refusal: Refusal): void {
  if (refusal === undefined) return;
  const { code, message } = refusal;
  throw new ServiceError(402, code, message, { details: { type: 'card_error', decline_code: code } });
}
