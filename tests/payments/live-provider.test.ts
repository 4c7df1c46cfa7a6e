import { PDFDocument } from 'pdf-lib';
import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planDeliveries } from '../../packages/stripe-emulator/src/ledger/event-record.ts';
import { accountOf, buyPlan, CARDS, insertUser, settle } from '../support/customers/plan-purchase.ts';
import { callProvider, providerClient } from '../support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let stripe: Stripe;
beforeAll(async () => {
  app = await startTestApp();
  stripe = providerClient(app);
});
afterAll(() => app.close());

const DAY = 24 * 3600;

/** A customer with a test clock, whose card behaves like the one used for the payment on the page. */
async function subscriber(card: string, params: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email, card);
  const payer = await app.resources.database.one(
    'select customer_id /* not null */ from public.customers where user_id = $1',
    [user.id],
  );
  const cards = await stripe.paymentMethods.list({ customer: payer.customer_id });
  const start = 1_800_000_000;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start, name: 'renewals' });
  const customer = await stripe.customers.create({ test_clock: clock.id, email: user.email });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: 'price_documents_basic' }],
    default_payment_method: cards.data[0]?.id ?? '',
    ...params,
  });
  const advance = async (days: number) => {
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: start + days * DAY });
    return stripe.subscriptions.retrieve(subscription.id);
  };
  return { customer, subscription, advance, clock };
}

describe('test clocks', () => {
  test('renewals happen when a clock is moved on, each at its own time', async () => {
    const { customer, advance } = await subscriber(CARDS.succeeds);
    expect((await advance(95)).status).toBe('active');
    const invoices = await stripe.invoices.list({ customer: customer.id });
    expect(invoices.data.map(({ billing_reason: reason, status }) => [reason, status])).toEqual([
      ['subscription_cycle', 'paid'],
      ['subscription_cycle', 'paid'],
      ['subscription_cycle', 'paid'],
      ['subscription_create', 'paid'],
    ]);
    expect(new Set(invoices.data.map(({ number }) => number)).size).toBe(4);
    const gaps = invoices.data.map(({ created }) => created).reverse();
    expect(gaps.every((at, index) => index === 0 || at - (gaps[index - 1] ?? 0) >= 28 * DAY)).toBe(true);
  });

  test('a trial costs nothing, is announced before it ends, and then is paid', async () => {
    const { customer, subscription, advance } = await subscriber(CARDS.succeeds, { trial_period_days: 14 });
    expect(subscription.status).toBe('trialing');
    expect((await stripe.invoices.list({ customer: customer.id })).data).toMatchObject([
      { total: 0, status: 'paid' },
    ]);
    await advance(12);
    const told = await stripe.events.list({ type: 'customer.subscription.trial_will_end' });
    expect(told.data.some(({ data }) => (data.object as { id?: string }).id === subscription.id)).toBe(true);
    expect((await advance(15)).status).toBe('active');
    expect((await stripe.invoices.list({ customer: customer.id })).data[0]).toMatchObject({
      total: 1500,
      status: 'paid',
    });
  });

  test('a first payment that fails leaves it incomplete, and after a day it has expired', async () => {
    const { subscription, advance } = await subscriber(CARDS.failsLater);
    expect(subscription.status).toBe('incomplete');
    expect((await advance(1)).status).toBe('incomplete_expired');
  });

  test('a payment that keeps failing is tried again and ends as the settings say', async () => {
    const { subscription, advance } = await subscriber(CARDS.failsLater, { trial_period_days: 7 });
    expect((await advance(8)).status).toBe('past_due');
    const [open] = (await stripe.invoices.list({ subscription: subscription.id, status: 'open' })).data;
    expect(open?.next_payment_attempt).toBeGreaterThan(0);
    await callProvider(app, 'POST', '/v1/test_helpers/retries', { finally: 'unpaid' });
    expect((await advance(30)).status).toBe('unpaid');
    const [tried] = (await stripe.invoices.list({ subscription: subscription.id, status: 'open' })).data;
    expect(tried).toMatchObject({ attempt_count: 4, next_payment_attempt: null });
    await callProvider(app, 'POST', '/v1/test_helpers/retries', { finally: 'cancel' });
  });
});

test('a preview is the invoice that the change then makes, to the penny', async () => {
  const { subscription, advance } = await subscriber(CARDS.succeeds);
  const now = await advance(10);
  const item = now.items.data[0]?.id ?? '';
  const date = 1_800_000_000 + 10 * DAY;
  const items = [{ id: item, price: 'price_documents_premium' }];
  const change = { items, proration_behavior: 'always_invoice' as const };
  const preview = await stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: { ...change, proration_date: date },
  });
  const changed = await stripe.subscriptions.update(subscription.id, { ...change, proration_date: date });
  const made = await stripe.invoices.retrieve(String(changed.latest_invoice));
  const lines = (invoice: Stripe.Invoice) =>
    invoice.lines.data.map(({ description, amount }) => [description, amount]);
  expect(lines(made)).toEqual(lines(preview));
  expect(made).toMatchObject({ amount_paid: preview.amount_due, billing_reason: 'subscription_update' });
  const upcoming = await stripe.invoices.createPreview({ subscription: subscription.id });
  expect(upcoming.amount_due).toBe(12_900);
});

test('a dispute takes the credits, a won one gives them back', async () => {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email, '4000 0000 0000 0259');
  await settle(app);
  expect((await accountOf(app, user)).credits).toBe(0);
  const [dispute] = (await stripe.disputes.list()).data;
  await stripe.disputes.update(dispute?.id ?? '', { evidence: { uncategorized_text: 'winning_evidence' } });
  await settle(app);
  expect((await accountOf(app, user)).credits).toBe(25);
});

test('an invoice’s PDF has its number and its lines', async () => {
  const { subscription } = await subscriber(CARDS.succeeds);
  const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice));
  const reply = await fetch(invoice.invoice_pdf ?? '');
  const pdf = await PDFDocument.load(await reply.arrayBuffer());
  expect(pdf.getTitle()).toBe(`Invoice ${invoice.number}`);
  expect(pdf.getPageCount()).toBe(1);
  const forged = (invoice.invoice_pdf ?? '').replace(/invst_.{4}/, 'invst_0000');
  expect((await fetch(forged)).status).toBe(404);
});

describe('mischief with webhooks', () => {
  test('is the same for the same seed', () => {
    const plan = { seed: 7, duplicate: 0.5, drop: 0.5, delay: 0.5, max_delay_ms: 1000 };
    const of = (seed: number) => Array.from({ length: 50 }, (_, at) => planDeliveries({ ...plan, seed }, at));
    expect(of(7)).toEqual(of(7));
    expect(of(7)).not.toEqual(of(8));
    expect(of(7).some((deliveries) => deliveries.length > 1)).toBe(true);
  });

  test('that doubles, drops and delays changes nothing in the end', async () => {
    const params = { seed: '3', duplicate: '0.6', drop: '0.4', delay: '0.6', max_delay_ms: '400' };
    await callProvider(app, 'POST', '/v1/test_helpers/webhook_mischief', params);
    const user = await insertUser(app);
    await buyPlan(app, user.token, 'price_documents_premium', user.email);
    await callProvider(app, 'DELETE', '/v1/test_helpers/webhook_mischief');
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(300);
  });
});
