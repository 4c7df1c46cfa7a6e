import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeForm } from '../../packages/stripe-emulator/src/api/form-decoder.ts';
import { providerSecrets } from '../../src/business/billing/stripe-emulator.server.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import { payWithCard } from '../support/customers/card-payment.ts';
import { CARDS, settle } from '../support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let stripe: Stripe;

/** The official client. It has no setting for the path before `/v1`, so that is added to each request. */
function clientOf(url: string, key: string): Stripe {
  const httpClient = Stripe.createNodeHttpClient();
  const send = httpClient.makeRequest.bind(httpClient);
  httpClient.makeRequest = (host, port, path, ...rest) => send(host, port, `/test-provider${path}`, ...rest);
  const { hostname, port } = new URL(url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', httpClient, maxNetworkRetries: 0 });
}

beforeAll(async () => {
  app = await startTestApp();
  stripe = clientOf(app.url, providerSecrets(app.resources.keys).apiKey);
});
afterAll(() => app.close());

const session = (changes: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_documents_pro', quantity: 1 }],
    success_url: `${app.url}/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${app.url}/cancel`,
    ...changes,
  });

describe('the official stripe SDK as the client of the embedded provider', () => {
  test('sees the catalogue with exact prices', async () => {
    const prices = await stripe.prices.list({ limit: 100 });
    expect(prices.data.map((price) => [price.id, price.unit_amount, price.currency])).toEqual(
      SPECIFIED_PLANS.map((plan) => [plan.priceId, plan.pricePence, 'gbp']),
    );
    const product = await stripe.products.retrieve('prod_documents_pro');
    expect(product.name).toBe('Pro Plan');
  });

  test('follows a purchase from the session to the invoice and its events', async () => {
    const opened = await session();
    expect(opened).toMatchObject({ object: 'checkout.session', status: 'open', payment_status: 'unpaid' });
    await payWithCard(opened.url ?? '', CARDS.succeeds, 'buyer@example.com');
    const paid = await stripe.checkout.sessions.retrieve(opened.id, { expand: ['subscription', 'customer'] });
    expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null });
    const customer = paid.customer as Stripe.Customer;
    expect(customer.email).toBe('buyer@example.com');
    const subscription = paid.subscription as Stripe.Subscription;
    const item = subscription.items.data[0];
    expect(subscription.status).toBe('active');
    const days = ((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / 86_400;
    expect(days).toBeGreaterThanOrEqual(28);
    expect(days).toBeLessThanOrEqual(31);
    const invoices = await stripe.invoices.list({ customer: customer.id, status: 'paid' });
    expect(invoices.data).toMatchObject([{ amount_paid: 4900, billing_reason: 'subscription_create' }]);
    expect(invoices.data[0]?.lines.data[0]?.pricing?.unit_amount_decimal?.toString()).toBe('4900');
    const cards = await stripe.paymentMethods.list({ customer: customer.id, type: 'card' });
    expect(cards.data[0]?.card).toMatchObject({ brand: 'visa', last4: '4242' });
    expect(JSON.stringify(cards)).not.toContain('4242424242424242');
    const events = await stripe.events.list({ limit: 100 });
    expect(events.data.map((event) => event.type)).toEqual(
      expect.arrayContaining(['checkout.session.completed', 'customer.subscription.created', 'invoice.paid']),
    );
  });

  test('updates, cancels at the end of the period, and ends a subscription', async () => {
    const opened = await session({ line_items: [{ price: 'price_documents_basic', quantity: 1 }] });
    await payWithCard(opened.url ?? '', CARDS.succeeds, 'other@example.com');
    const { subscription } = await stripe.checkout.sessions.retrieve(opened.id);
    const id = String(subscription);
    expect((await stripe.subscriptions.update(id, { cancel_at_period_end: true })).cancel_at_period_end).toBe(
      true,
    );
    const item = (await stripe.subscriptions.retrieve(id)).items.data[0];
    const changed = await stripe.subscriptions.update(id, {
      items: [{ id: item?.id ?? '', price: 'price_documents_premium' }],
      proration_behavior: 'none',
    });
    expect(changed.items.data[0]?.price.id).toBe('price_documents_premium');
    expect((await stripe.subscriptions.cancel(id)).status).toBe('canceled');
    await expect(stripe.subscriptions.cancel(id)).rejects.toThrow('canceled');
    await settle(app);
    const row = await app.resources.database.one(
      'select status, price_id from public.subscriptions where subscription_id = $1',
      [id],
    );
    expect(row).toEqual({ status: 'canceled', price_id: 'price_documents_premium' });
  });

  test('pages through lists with its own iterator', async () => {
    const made = [];
    for (let index = 0; index < 5; index += 1)
      made.push((await stripe.customers.create({ name: 'Paged', email: 'paged@example.com' })).id);
    const listed = [];
    for await (const customer of stripe.customers.list({ email: 'paged@example.com', limit: 2 }))
      listed.push(customer.id);
    expect(listed).toEqual(made.reverse());
  });

  test('gets the first answer again for the same idempotency key, also ten at once', async () => {
    const key = { idempotencyKey: 'one-customer' };
    const made = await Promise.all(
      Array.from({ length: 10 }, () => stripe.customers.create({ email: 'once@example.com' }, key)),
    );
    expect(new Set(made.map((customer) => customer.id)).size).toBe(1);
    await expect(stripe.customers.create({ email: 'twice@example.com' }, key)).rejects.toBeInstanceOf(
      Stripe.errors.StripeIdempotencyError,
    );
  });

  test('gets the errors of the API as its own classes', async () => {
    await expect(stripe.customers.retrieve('cus_nothing')).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 404,
      code: 'resource_missing',
    });
    await expect(session({ line_items: [{ price: 'price_nothing', quantity: 1 }] })).rejects.toMatchObject({
      code: 'resource_missing',
    });
    await expect(stripe.customers.create({ phone: '1' })).rejects.toMatchObject({
      code: 'parameter_unknown',
      param: 'phone',
    });
    await expect(clientOf(app.url, 'sk_test_wrong').customers.list()).rejects.toBeInstanceOf(
      Stripe.errors.StripeAuthenticationError,
    );
  });
});

describe('the pay page', () => {
  test('allows no script, no frame and no other target, and names itself a test', async () => {
    const opened = await session();
    const reply = await fetch(opened.url ?? '');
    const policy = reply.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('script-src');
    const page = await reply.text();
    expect(page).not.toMatch(/<script|style=|onclick/i);
    expect(page).toContain('Test mode');
    expect(page).toContain('no money moves');
    for (const [, asset] of page.matchAll(/href="(\/test-provider\/assets\/[^"]+)"/g)) {
      expect((await fetch(`${app.url}${asset}`)).status).toBe(200);
    }
  });

  test('says what is wrong with each field and keeps what was entered, escaped', async () => {
    const opened = await session();
    const name = '"><script>alert(1)</script>';
    const body = new URLSearchParams({ email: 'no', number: '4242', expiry: '01/20', cvc: '1', name });
    const reply = await fetch(opened.url ?? '', { method: 'POST', body });
    const page = await reply.text();
    expect(reply.status).toBe(422);
    expect(page).toContain('Your card number is not valid.');
    expect(page).toContain('Your card has expired.');
    expect(page).not.toContain('<script>alert');
  });

  test('an expired session cannot be paid', async () => {
    const opened = await session();
    await stripe.checkout.sessions.expire(opened.id);
    const reply = await fetch(opened.url ?? '', {
      method: 'POST',
      body: new URLSearchParams({ number: CARDS.succeeds }),
    });
    expect(reply.status).toBe(410);
    expect((await stripe.checkout.sessions.retrieve(opened.id)).payment_status).toBe('unpaid');
  });

  test('an address that nobody was given is a page that says so', async () => {
    expect((await fetch(`${app.url}/test-provider/pay/cs_test_guess`)).status).toBe(404);
    expect((await fetch(`${app.url}/test-provider/portal/bps_guess`)).status).toBe(404);
  });
});

test('form encoding cannot reach a prototype and is bounded', () => {
  expect(decodeForm('a[b][0][c]=1&a[b][1][c]=2&d=3')).toEqual({ a: { b: [{ c: '1' }, { c: '2' }] }, d: '3' });
  expect(decodeForm('__proto__[x]=1')).toBeUndefined();
  expect(decodeForm('a[constructor][prototype][x]=1')).toBeUndefined();
  expect(decodeForm(`a${'[b]'.repeat(10)}=1`)).toBeUndefined();
  expect(decodeForm('a=1&a[b]=2')).toBeUndefined();
});
