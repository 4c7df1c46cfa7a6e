import { z } from 'zod';
import { customerObject, itemOf, PRICES, PRODUCTS, type SubscriptionObject } from './build-objects.server.ts';
import {
  type ApiCall,
  type ApiRoute,
  catalogue,
  expand,
  flag,
  found,
  invalid,
  listOf,
  missing,
  page,
  readable,
  route,
  text,
} from './describe-routes.server.ts';
import {
  findObject,
  insertObject,
  lockObject,
  nowSeconds,
  type ProviderObject,
  providerId,
  recordEvent,
  replaceObject,
} from './provider-store.server.ts';
import { type Change, endSubscription, payInvoice, updateSubscription } from './run-subscriptions.server.ts';

const SESSION_SECONDS = 24 * 3600;
const metadata = z.record(z.string(), text).optional();
const address = z.string().refine((url) => URL.canParse(url), { error: 'Not a valid URL' });
const customerParams = z.strictObject({
  email: text.optional(),
  name: text.optional(),
  metadata,
  invoice_settings: z.strictObject({ default_payment_method: text }).optional(),
  expand,
});

const sessionParams = z.strictObject({
  mode: z.literal('subscription'),
  line_items: z.array(z.strictObject({ price: text, quantity: z.literal('1').default('1') })).length(1),
  success_url: address,
  cancel_url: address,
  customer: text.optional(),
  customer_email: text.optional(),
  client_reference_id: text.optional(),
  metadata,
  subscription_data: z.strictObject({ metadata }).optional(),
  expand,
});

/** The part of Stripe's API that billing calls (api version API_VERSION). */
export const API_ROUTES: readonly ApiRoute[] = [
  ...catalogue('/v1/prices', 'price', PRICES),
  ...catalogue('/v1/products', 'product', PRODUCTS),
  ...readable('/v1/customers', 'customer', { email: text.optional() }),
  ...readable('/v1/checkout/sessions', 'checkout.session', { customer: text.optional() }),
  ...readable('/v1/subscriptions', 'subscription', { customer: text.optional(), status: text.optional() }),
  ...readable('/v1/invoices', 'invoice', { customer: text.optional(), status: text.optional() }),
  ...readable('/v1/payment_methods', 'payment_method', { customer: text.optional(), type: text.optional() }),
  route('GET', '/v1/events/:id', z.strictObject({ expand }), async ({ change, id }) => {
    const row = await change.queries.maybe<{ data: ProviderObject }>(
      'select data from private.provider_events where id = $1',
      [id],
    );
    return found(row?.data, 'event', id);
  }),
  route(
    'GET',
    '/v1/events',
    z.strictObject({ ...page, type: text.optional() }),
    async ({ change, given }) => {
      const { limit = 10 } = given;
      const rows = await change.queries.many<{ data: ProviderObject }>(
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
  route('POST', '/v1/customers', customerParams, async ({ change, given }) => {
    const customer = customerObject(given);
    await insertObject(change.queries, customer);
    await recordEvent(change.queries, change.jobs, 'customer.created', customer);
    return customer;
  }),
  route('POST', '/v1/customers/:id', customerParams, async ({ change, id, given }) => {
    const { expand: _expand, ...fields } = given;
    const { data } = found(await lockObject(change.queries, 'customer', id), 'customer', id);
    const next = { ...data, ...fields };
    await replaceObject(change.queries, next);
    await recordEvent(change.queries, change.jobs, 'customer.updated', next);
    return next;
  }),
  route('POST', '/v1/checkout/sessions', sessionParams, createSession),
  route('POST', '/v1/checkout/sessions/:id/expire', z.strictObject({ expand }), async ({ change, id }) => {
    const { data } = found(await lockObject(change.queries, 'checkout.session', id), 'checkout.session', id);
    if (data.status !== 'open') throw invalid('Only open Checkout Sessions can be expired.', 'id');
    const next = { ...data, status: 'expired', url: null };
    await replaceObject(change.queries, next);
    await recordEvent(change.queries, change.jobs, 'checkout.session.expired', next);
    return next;
  }),
  route(
    'POST',
    '/v1/subscriptions/:id',
    z.strictObject({
      cancel_at_period_end: flag.optional(),
      default_payment_method: text.optional(),
      metadata,
      items: z
        .array(z.strictObject({ id: text, price: text }))
        .length(1)
        .optional(),
      proration_behavior: z.literal('none').optional(),
      expand,
    }),
    async ({ change, id, given }) => {
      const { items, proration_behavior: _none, expand: _expand, ...fields } = given;
      const subscription = await livingSubscription(change, id);
      if (items === undefined) return updateSubscription(change, subscription, fields);
      const price = PRICES.get(items[0]?.price ?? '');
      if (price === undefined) throw missing('price', items[0]?.price ?? '');
      const list = { ...subscription.items, data: [{ ...itemOf(subscription), price }] };
      return updateSubscription(change, subscription, { ...fields, items: list });
    },
  ),
  route('DELETE', '/v1/subscriptions/:id', z.strictObject({ expand }), async ({ change, id }) =>
    endSubscription(change, await livingSubscription(change, id)),
  ),
  route('POST', '/v1/invoices/:id/pay', z.strictObject({ expand }), async ({ change, id }) => {
    found(await findObject(change.queries, 'invoice', id), 'invoice', id);
    await payInvoice(change, id);
    return found(await findObject(change.queries, 'invoice', id), 'invoice', id);
  }),
  route(
    'POST',
    '/v1/billing_portal/sessions',
    z.strictObject({ customer: text, return_url: address, expand }),
    async ({ change, given, pages }) => {
      found(await findObject(change.queries, 'customer', given.customer), 'customer', given.customer);
      const id = providerId('bps', 32);
      const session: ProviderObject = {
        id,
        object: 'billing_portal.session',
        created: nowSeconds(),
        customer: given.customer,
        livemode: false,
        return_url: given.return_url,
        url: `${pages}/portal/${id}`,
      };
      await insertObject(change.queries, session, { form_token: providerId('form') });
      return session;
    },
  ),
];

async function createSession({
  change,
  given,
  pages,
}: ApiCall & { given: z.output<typeof sessionParams> }): Promise<ProviderObject> {
  const price = PRICES.get(given.line_items[0]?.price ?? '');
  if (price === undefined) throw missing('price', given.line_items[0]?.price ?? '');
  if (given.customer !== undefined) {
    found(await findObject(change.queries, 'customer', given.customer), 'customer', given.customer);
  }
  const id = providerId('cs_test', 32);
  const session: ProviderObject = {
    id,
    object: 'checkout.session',
    amount_subtotal: price.unit_amount,
    amount_total: price.unit_amount,
    cancel_url: given.cancel_url,
    client_reference_id: given.client_reference_id ?? null,
    created: change.now,
    currency: 'gbp',
    customer: given.customer ?? null,
    customer_details: null,
    customer_email: given.customer_email ?? null,
    expires_at: change.now + SESSION_SECONDS,
    invoice: null,
    livemode: false,
    metadata: given.metadata ?? {},
    mode: 'subscription',
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    status: 'open',
    subscription: null,
    success_url: given.success_url,
    ui_mode: 'hosted_page',
    url: `${pages}/pay/${id}`,
  };
  await insertObject(change.queries, session, {
    price: price.id,
    subscription_metadata: given.subscription_data?.metadata ?? {},
  });
  return session;
}

async function livingSubscription(change: Change, id: string): Promise<SubscriptionObject> {
  const { data } = found(await lockObject(change.queries, 'subscription', id), 'subscription', id);
  if (data.status === 'canceled') {
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.', 'id');
  }
  return data as SubscriptionObject;
}
