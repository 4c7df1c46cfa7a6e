import { z } from 'zod';
import { recordEvent } from '../ledger/event-record.ts';
import { endSubscription, refuseOtherCurrency } from '../ledger/subscription-cycles.ts';
import {
  automaticTax,
  customerObject,
  findPrice,
  type PriceSource,
  type SubscriptionObject,
} from '../object-shapes.ts';
import { atCustomersTime } from '../provider-clock.ts';
import {
  findObject,
  insertObject,
  listObjects,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import {
  type ApiCall,
  type ApiRoute,
  currency,
  expand,
  flag,
  found,
  invalid,
  listOf,
  metadata,
  missing,
  page,
  readable,
  route,
  text,
  whole,
} from '../route-descriptions.ts';
import { CATALOGUE_ROUTES } from './catalogue-replies.ts';
import { CHARGE_ROUTES } from './charge-replies.ts';
import { SCHEDULE_ROUTES } from './schedule-replies.ts';
import { SUBSCRIPTION_ROUTES } from './subscription-replies.ts';
import { TAX_ID_ROUTES } from './tax-id-replies.ts';
import { TEST_HELPER_ROUTES } from './test-helper-replies.ts';

const SESSION_SECONDS = 24 * 3600;
const address = z.string().refine((url) => URL.canParse(url), { error: 'Not a valid URL' });
const customerParams = z.strictObject({
  email: text.optional(),
  name: text.optional(),
  address: z
    .strictObject({
      line1: text.optional(),
      line2: text.optional(),
      city: text.optional(),
      postal_code: text.optional(),
      state: text.optional(),
      country: text.optional(),
    })
    .optional(),
  metadata,
  balance: z
    .string()
    .regex(/^-?\d{1,9}$/)
    .transform(Number)
    .optional(),
  invoice_settings: z.strictObject({ default_payment_method: text }).optional(),
  expand,
});

/** A price without a catalogue entry, for a single sale. */
const priceData = z.strictObject({
  currency,
  unit_amount: whole,
  product_data: z.strictObject({ name: text }),
  tax_behavior: z.literal('inclusive').optional(),
});
/** Parameters that have to be given together: VAT depends on the payer's country, which the page asks for. */
const taxParams = {
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  billing_address_collection: z.enum(['auto', 'required']).optional(),
  tax_id_collection: z.strictObject({ enabled: flag }).optional(),
  customer_update: z.strictObject({ address: z.literal('auto'), name: z.literal('auto') }).optional(),
};
const sessionParams = z.strictObject({
  ...taxParams,
  mode: z.enum(['subscription', 'payment']),
  line_items: z
    .array(
      z.strictObject({
        price: text.optional(),
        price_data: priceData.optional(),
        quantity: z.literal('1').default('1'),
      }),
    )
    .length(1),
  invoice_creation: z
    .strictObject({
      enabled: z.literal('true'),
      invoice_data: z.strictObject({ description: text.optional(), metadata }).optional(),
    })
    .optional(),
  success_url: address,
  cancel_url: address,
  customer: text.optional(),
  customer_email: text.optional(),
  client_reference_id: text.optional(),
  metadata,
  subscription_data: z.strictObject({ metadata, trial_period_days: whole.optional() }).optional(),
  expand,
});

const ofSubscription = z.strictObject({ subscription: text });
/** The part of the portal that is opened directly. */
const FLOW = z.strictObject({
  type: z.enum([
    'payment_method_update',
    'subscription_cancel',
    'subscription_update',
    'subscription_update_confirm',
  ]),
  after_completion: z
    .strictObject({ type: z.literal('redirect'), redirect: z.strictObject({ return_url: address }) })
    .optional(),
  subscription_cancel: ofSubscription.optional(),
  subscription_update: ofSubscription.optional(),
  subscription_update_confirm: ofSubscription
    .extend({
      items: z.array(z.strictObject({ id: text, price: text, quantity: text.optional() })).length(1),
    })
    .optional(),
});

/** The part of Stripe's API that billing uses (API version API_VERSION). */
export const API_ROUTES: readonly ApiRoute[] = [
  ...CATALOGUE_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...SCHEDULE_ROUTES,
  ...CHARGE_ROUTES,
  ...TAX_ID_ROUTES,
  ...TEST_HELPER_ROUTES,
  ...readable('/v1/customers', 'customer', { email: text.optional() }),
  ...readable('/v1/checkout/sessions', 'checkout.session', {
    customer: text.optional(),
    status: text.optional(),
  }),
  ...readable('/v1/payment_methods', 'payment_method', { customer: text.optional(), type: text.optional() }),
  route('GET', '/v1/events/:id', z.strictObject({ expand }), async ({ change, id }) => {
    const row = await change.queries.maybe('select data from private.provider_events where id = $1', [id]);
    return found(row?.data, 'event', id);
  }),
  route(
    'GET',
    '/v1/events',
    z.strictObject({ ...page, type: text.optional() }),
    async ({ change, given }) => {
      const { limit = 10 } = given;
      const rows = await change.queries.many(
        `select data from private.provider_events where ($1::text is null or type = $1)
         and ($2::text is null or position < (select position from private.provider_events where id = $2))
       order by position desc limit $3`,
        [given.type ?? null, given.starting_after ?? null, limit + 1],
      );
      return listOf(
        '/v1/events',
        rows.slice(0, limit).map((row) => row.data),
        rows.length > limit,
      );
    },
  ),
  route(
    'POST',
    '/v1/customers',
    customerParams.extend({ test_clock: text.optional() }),
    async ({ change, given }) => {
      const { test_clock: clock } = given;
      if (clock !== undefined)
        found(await findObject(change.queries, 'test_helpers.test_clock', clock), 'test_clock', clock);
      const customer = customerObject({ ...given, created: change.now });
      await insertObject(change.queries, customer);
      await recordEvent(change, 'customer.created', customer);
      return customer;
    },
  ),
  route('DELETE', '/v1/customers/:id', z.strictObject({}), async ({ change, id }) => {
    const { data } = found(await lockObject(change.queries, 'customer', id), 'customer', id);
    const running = await listObjects(change.queries, 'subscription', { customer: id, limit: 100 });
    for (const subscription of running.filter(({ status }) => status !== 'canceled'))
      await endSubscription(change, subscription as SubscriptionObject);
    await replaceObject(change.queries, { id, object: 'customer', deleted: true });
    await recordEvent(change, 'customer.deleted', data);
    return { id, object: 'customer', deleted: true };
  }),
  route('POST', '/v1/customers/:id', customerParams, async ({ change, id, given }) => {
    const { expand: _expand, ...fields } = given;
    const { data } = found(await lockObject(change.queries, 'customer', id), 'customer', id);
    const next = { ...data, ...fields };
    await replaceObject(change.queries, next);
    await recordEvent(change, 'customer.updated', next);
    return next;
  }),
  route('POST', '/v1/checkout/sessions', sessionParams, createSession),
  route('POST', '/v1/checkout/sessions/:id/expire', z.strictObject({ expand }), async ({ change, id }) => {
    const { data } = found(await lockObject(change.queries, 'checkout.session', id), 'checkout.session', id);
    if (data.status !== 'open') throw invalid('Only open Checkout Sessions can be expired.', 'id');
    const next = { ...data, status: 'expired', url: null };
    await replaceObject(change.queries, next);
    await recordEvent(change, 'checkout.session.expired', next);
    return next;
  }),
  route(
    'POST',
    '/v1/billing_portal/sessions',
    z.strictObject({ customer: text, return_url: address, flow_data: FLOW.optional(), expand }),
    async ({ change, given }) => {
      found(await findObject(change.queries, 'customer', given.customer), 'customer', given.customer);
      const id = providerId('bps', 32);
      const session: ProviderObject = {
        id,
        object: 'billing_portal.session',
        created: change.now,
        customer: given.customer,
        flow: given.flow_data ?? null,
        livemode: false,
        return_url: given.return_url,
        url: `${change.pages}/portal/${id}`,
      };
      await insertObject(change.queries, session, { form_token: providerId('form') });
      return session;
    },
  ),
];

async function createSession(
  call: ApiCall & { given: z.output<typeof sessionParams> },
): Promise<ProviderObject> {
  const { given } = call;
  const change = await atCustomersTime(call.change, given.customer);
  const sold = await soldBy(change, given);
  if (given.customer !== undefined) {
    found(await findObject(change.queries, 'customer', given.customer), 'customer', given.customer);
    if (given.mode === 'subscription') await refuseOtherCurrency(change, given.customer, sold.currency);
  }
  const taxed = given.automatic_tax?.enabled === true;
  refuseHalfTax(given, taxed);
  const id = providerId('cs_test', 32);
  const session: ProviderObject = {
    id,
    object: 'checkout.session',
    automatic_tax: { ...automaticTax(taxed), status: taxed ? 'requires_location_inputs' : null },
    amount_subtotal: sold.amount,
    amount_total: (given.subscription_data?.trial_period_days ?? 0) > 0 ? 0 : sold.amount,
    cancel_url: given.cancel_url,
    client_reference_id: given.client_reference_id ?? null,
    created: change.now,
    currency: sold.currency,
    customer: given.customer ?? null,
    customer_details: null,
    customer_email: given.customer_email ?? null,
    expires_at: change.now + SESSION_SECONDS,
    invoice: null,
    livemode: false,
    metadata: given.metadata ?? {},
    mode: given.mode,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    status: 'open',
    subscription: null,
    success_url: given.success_url,
    ui_mode: 'hosted_page',
    url: `${change.pages}/pay/${id}`,
  };
  await insertObject(change.queries, session, {
    ...sold.hidden,
    taxed,
    subscription_metadata: given.subscription_data?.metadata ?? {},
    trial_days: given.subscription_data?.trial_period_days ?? 0,
  });
  return session;
}

/** Refuses tax parameters that the page would not fulfil, instead of ignoring them. */
function refuseHalfTax(given: z.output<typeof sessionParams>, taxed: boolean): void {
  const asks = [given.billing_address_collection === 'required', given.tax_id_collection?.enabled === true];
  if (asks.some((asked) => asked !== taxed))
    throw invalid(
      'This provider asks for address and tax number together, and with `automatic_tax` only.',
      'automatic_tax',
    );
  if (taxed && given.customer !== undefined && given.customer_update === undefined)
    throw invalid(
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to `auto`.',
      'customer_update',
    );
}

/** What a session sells: a price of the catalogue by the month, or a single sale. */
async function soldBy(
  change: PriceSource,
  { mode, line_items: items, invoice_creation: invoice, automatic_tax: tax }: z.output<typeof sessionParams>,
): Promise<{ amount: number; currency: string; hidden: Record<string, unknown> }> {
  const { price: id, price_data: data } = items[0] ?? {};
  if (mode === 'payment') {
    if (data === undefined || invoice === undefined)
      throw invalid('This provider sells once by `price_data` and with `invoice_creation` only.', 'mode');
    const sale = {
      name: data.product_data.name,
      amount: data.unit_amount,
      currency: data.currency,
      metadata: invoice.invoice_data?.metadata ?? {},
      taxed: tax?.enabled === true,
    };
    return { amount: sale.amount, currency: sale.currency, hidden: { sale } };
  }
  if (data !== undefined) throw invalid('A subscription needs a price of the catalogue.', 'line_items[0]');
  const price = await findPrice(change, id ?? '');
  if (price === undefined) throw missing('price', id ?? '');
  return {
    amount: Number(price.unit_amount),
    currency: String(price.currency),
    hidden: { price: price.id },
  };
}
