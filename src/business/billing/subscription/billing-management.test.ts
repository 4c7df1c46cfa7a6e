import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  buyPlan,
  CARDS,
  callFunction,
  insertUser,
  settle,
  type TestUser,
} from '../../../../tests/support/customers/plan-purchase.ts';
import { advanceClock, providerClient } from '../../../../tests/support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import type { BillingOverview, PlanChangePreview } from './billing-management.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function call<Reply>(
  user: TestUser,
  name: string,
  body: object = {},
): Promise<Reply & { error?: string; code?: string }> {
  const reply = await fetch(`${app.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${user.token}` },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as Reply & { error?: string; code?: string };
}

const overview = (user: TestUser) => call<BillingOverview>(user, 'billing-overview');

async function buyer(price: string, card?: string): Promise<TestUser> {
  const user = await insertUser(app);
  await buyPlan(app, user.token, price, user.email, card);
  await settle(app);
  return user;
}

async function changeTo(user: TestUser, price: string) {
  const preview = await call<PlanChangePreview>(user, 'preview-plan-change', { price_id: price });
  const { proration_date } = preview;
  const after = await call<BillingOverview>(user, 'change-plan', { price_id: price, proration_date });
  return { preview, after };
}

describe('the Billing tab', () => {
  test('is empty for a user who never bought anything', async () => {
    claims('An account is free.', 'Free: you pay only for a plan.');
    const user = await insertUser(app);
    expect(await overview(user)).toMatchObject({ plan: null, subscription: null, invoices: [] });
    expect(await call(user, 'cancel-subscription')).toMatchObject({ code: 'no_subscription' });
  });

  test('shows plan, next payment in full, card, use and the paid invoice', async () => {
    claims(
      'Your plan and payments: the payment provider holds your card; we see its brand and last four digits.',
      'You have … … left.',
      '… … left.',
      'Your first invoice appears here as soon as a plan is paid.',
    );
    const user = await buyer('price_documents_basic');
    const shown = await overview(user);
    expect(shown).toMatchObject({
      plan: { name: 'Basic Plan', amount_pence: 1500 },
      subscription: { status: 'active', cancel_at_period_end: false },
      next_payment: { date: shown.subscription?.current_period_end, amount_pence: 1500 },
      payment_method: { brand: 'visa', last4: '4242' },
      usage: { used: 0, included: 25, left: 25, resets_at: shown.subscription?.current_period_end },
      can: {
        upgrade: ['price_documents_pro', 'price_documents_premium'],
        downgrade: [],
        cancel: true,
        resume: false,
        change_card: true,
      },
      pending_change: null,
      others: [],
      invoices: [{ status: 'paid', amount_pence: 1500, refunded_pence: 0 }],
    });
  });

  test('an upgrade charges the previewed difference at once and gives the documents that it buys', async () => {
    claims(
      'What you pay today and what changes when is shown before you confirm.',
      'The … starts at once with its … … a month.',
    );
    const user = await buyer('price_documents_basic');
    const { preview, after } = await changeTo(user, 'price_documents_pro');
    expect(preview.direction).toBe('upgrade');
    expect(preview.lines.reduce((sum, line) => sum + line.amount_pence, 0)).toBe(
      preview.amount_due_now_pence,
    );
    expect(preview.amount_due_now_pence).toBeGreaterThan(3390);
    expect(after.invoices[0]).toMatchObject({ status: 'paid', amount_pence: preview.amount_due_now_pence });
    expect(after).toMatchObject({ plan: { name: 'Pro Plan' }, usage: { left: 100, included: 100 } });
    expect(after.next_payment?.amount_pence).toBe(4900);
    await settle(app);
    expect((await overview(user)).usage.left).toBe(100);
  });

  test('a plan that was bought before signing in is changed and cancelled, and the reply shows it at once', async () => {
    const user = await buyer('price_courses_essential');
    const visitor = await buyPlan(app, app.anonKey, 'price_documents_basic', user.email);
    await call(user, 'link-customer', {
      ...{ session_id: visitor.sessionId, checkout_secret: visitor.secret, user_id: user.id },
    });
    await settle(app);
    const { after } = await changeTo(user, 'price_documents_pro');
    expect(after.plan).toMatchObject({ name: 'Pro Plan' });
    const cancelled = await call<BillingOverview>(user, 'cancel-subscription');
    expect(cancelled.subscription).toMatchObject({ cancel_at_period_end: true });
    // The page on which its card is changed is that of the customer who pays for it.
    const { url } = await call<{ url: string }>(user, 'open-billing-portal', {
      ...{ return_url: app.url, flow: 'payment_method_update', subscription_id: after.subscription?.id },
    });
    expect(await (await fetch(url)).text()).toContain('Pro Plan');
  });

  test('an upgrade that the card refuses changes nothing', async () => {
    const user = await buyer('price_documents_basic', CARDS.failsLater);
    expect((await changeTo(user, 'price_documents_pro')).after).toMatchObject({ code: 'card_declined' });
    expect(await overview(user)).toMatchObject({
      plan: { name: 'Basic Plan' },
      subscription: { status: 'active' },
    });
  });

  test('an upgrade that the bank has to confirm leads to the portal, and one with an outdated price is not made', async () => {
    const user = await buyer('price_documents_basic', CARDS.alwaysAuthentication);
    expect((await changeTo(user, 'price_documents_pro')).after).toMatchObject({
      code: 'authentication_required',
    });
    const now = Math.floor(Date.now() / 1000);
    for (const proration_date of [now - 31 * 60, now + 5 * 60])
      expect(
        await call(user, 'change-plan', { price_id: 'price_documents_pro', proration_date }),
      ).toMatchObject({ code: 'preview_expired' });
    expect(await overview(user)).toMatchObject({ plan: { name: 'Basic Plan' } });
    const portal = { return_url: `${app.url}/dashboard/billing` };
    expect(await call(user, 'open-billing-portal', portal)).toMatchObject({
      url: expect.stringContaining('/test-provider/'),
    });
  });

  test('a downgrade of a plan that was cancelled keeps it, at the smaller price', async () => {
    const user = await buyer('price_documents_pro');
    expect(await call(user, 'cancel-subscription')).toMatchObject({
      subscription: { cancel_at_period_end: true },
    });
    expect((await changeTo(user, 'price_documents_basic')).after).toMatchObject({
      subscription: { cancel_at_period_end: false },
      pending_change: { plan: { name: 'Basic Plan' } },
      next_payment: { amount_pence: 1500 },
    });
  });

  test('an object that the provider has lost is a 502 with a sentence, and nothing changes', async () => {
    const user = await buyer('price_documents_basic');
    const shown = await overview(user);
    const { database } = app.resources;
    await database.run(
      `delete from private.provider_objects where kind in ('customer', 'subscription', 'invoice')
         and (customer = (select customer_id from public.customers where user_id = $1)
           or id = (select customer_id from public.customers where user_id = $1))`,
      [user.id],
    );
    const headers = { authorization: `Bearer ${user.token}` };
    const invoice = await fetch(app.url + shown.invoices[0]?.pdf_url, { headers });
    expect([invoice.status, await invoice.json()]).toMatchObject([502, { code: 'invoice_failed' }]);
    const addresses = { success_url: `${app.url}/success`, cancel_url: `${app.url}/cancel` };
    const details = { name: 'Byron', line1: '', line2: '', city: '', postal_code: '', country: '' };
    for (const [name, body, code] of [
      ['open-billing-portal', { return_url: `${app.url}/dashboard/billing` }, 'portal_failed'],
      ['cancel-subscription', {}, 'provider_failed'],
      ['save-billing-details', { ...details, vat_number: '' }, 'details_failed'],
      [
        'checkout',
        { ...addresses, price_id: 'price_courses_essential', mode: 'subscription' },
        'checkout_failed',
      ],
      ['buy-credits', { ...addresses, credits: 10 }, 'checkout_failed'],
    ] as const)
      expect([name, await call(user, name, body)]).toMatchObject([name, { code, error: expect.any(String) }]);
    expect(await call(user, 'billing-details')).toMatchObject({ name: '', vat_number: '' });
  });

  test('the portal opens at the requested page and leads back; an unknown plan is shown as no plan', async () => {
    const user = await buyer('price_documents_basic');
    const { database } = app.resources;
    const { subscription_id: subscription } = await database.one(
      `select s.subscription_id from public.subscriptions s join public.customers c on c.customer_id = s.customer_id
       where c.user_id = $1`,
      [user.id],
    );
    const return_url = `${app.url}/dashboard/billing`;
    for (const [flow, more] of [
      ['payment_method_update', {}],
      ['subscription_cancel', { subscription_cancel: { subscription } }],
      ['subscription_update', { subscription_update: { subscription } }],
    ] as const) {
      const opened = await callFunction(app, 'open-billing-portal', user.token, { return_url, flow });
      const session = await database.one(
        "select data from private.provider_objects where kind = 'billing_portal.session' order by position desc limit 1",
      );
      expect(session.data).toMatchObject({
        url: opened.body.url,
        flow: { type: flow, ...more, after_completion: { redirect: { return_url } } },
      });
    }
    await database.run(
      "update public.subscriptions set price_id = 'price_of_before' where subscription_id = $1",
      [subscription],
    );
    expect(await overview(user)).toMatchObject({ plan: null, subscription: null });
  });

  test('a request without an invoice is refused, and there is no portal before the first purchase', async () => {
    const user = await insertUser(app);
    const headers = { authorization: `Bearer ${user.token}` };
    const unnamed = await fetch(`${app.url}/functions/v1/download-invoice`, { headers });
    expect([unnamed.status, await unnamed.json()]).toMatchObject([400, { error: 'invoice_id is missing.' }]);
    const portal = await call(user, 'billing-portal', { return_url: `${app.url}/dashboard/billing` });
    expect(portal).toMatchObject({ code: 'no_customer' });
  });

  test('a downgrade waits for the end of the period, can be undone, and then happens', async () => {
    claims(
      'Changes to … on …, then … a month.',
      'Until then you keep the ….',
      'You keep the … until then, and can change your mind up to that day.',
    );
    const user = await buyer('price_documents_pro');
    const { preview, after } = await changeTo(user, 'price_documents_basic');
    expect(preview).toMatchObject({
      direction: 'downgrade',
      amount_due_now_pence: 0,
      next_amount_pence: 1500,
    });
    expect(after).toMatchObject({
      plan: { name: 'Pro Plan' },
      pending_change: { plan: { name: 'Basic Plan' }, date: after.subscription?.current_period_end },
      next_payment: { amount_pence: 1500 },
      can: { resume: true },
    });
    expect(await call<BillingOverview>(user, 'resume-subscription')).toMatchObject({
      pending_change: null,
      next_payment: { amount_pence: 4900 },
    });
    await changeTo(user, 'price_documents_basic');
    await advanceClock(app, 32);
    await settle(app);
    expect(await overview(user)).toMatchObject({
      plan: { name: 'Basic Plan' },
      pending_change: null,
      usage: { left: 25, used: 0, included: 25 },
      next_payment: { amount_pence: 1500 },
    });
  });

  test('cancelling and resuming reply with the new state', async () => {
    const user = await buyer('price_courses_professional');
    expect(await call(user, 'cancel-subscription')).toMatchObject({
      subscription: { cancel_at_period_end: true, status: 'active' },
      next_payment: null,
      can: { cancel: false, resume: true },
    });
    expect(await call(user, 'resume-subscription')).toMatchObject({
      subscription: { cancel_at_period_end: false },
      next_payment: { amount_pence: 44_900 },
    });
  });

  test('a user with plans of both lines changes the one that is named', async () => {
    const user = await buyer('price_documents_basic');
    await buyPlan(app, user.token, 'price_courses_essential', user.email);
    await settle(app);
    const shown = await overview(user);
    expect(shown.plan?.line).toBe('documents');
    const [courses] = shown.others;
    expect(courses?.plan.line).toBe('courses');
    const body = { subscription_id: courses?.subscription.id };
    const after = await call<BillingOverview>(user, 'cancel-subscription', body);
    expect(after.subscription?.cancel_at_period_end).toBe(false);
    expect(after.others[0]?.subscription.cancel_at_period_end).toBe(true);
  });

  test('nobody changes or reads another user’s subscription', async () => {
    const [owner, other] = [await buyer('price_documents_basic'), await buyer('price_documents_basic')];
    const { subscription, invoices } = await overview(owner);
    const body = { subscription_id: subscription?.id };
    expect(await call(other, 'cancel-subscription', body)).toMatchObject({ code: 'no_subscription' });
    const headers = { authorization: `Bearer ${other.token}` };
    expect((await fetch(app.url + invoices[0]?.pdf_url, { headers })).status).toBe(404);
    expect((await fetch(app.url + invoices[0]?.pdf_url)).status).toBe(401);
  });

  test('an invoice is downloaded as a PDF of its own name', async () => {
    const user = await buyer('price_documents_premium');
    const [invoice] = (await overview(user)).invoices;
    const headers = { authorization: `Bearer ${user.token}` };
    const reply = await fetch(app.url + invoice?.pdf_url, { headers });
    expect(reply.headers.get('content-type')).toContain('application/pdf');
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="Invoice-${invoice?.number}.pdf"`,
    );
    expect(
      Buffer.from(await reply.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
  });

  test('a failed payment is shown with the amount due and the date of the next attempt', async () => {
    claims(
      '… Update your card to keep your plan.',
      'It is tried again on ….',
      'The last payment did not go through.',
    );
    const user = await buyer('price_documents_basic', CARDS.failsLater);
    await advanceClock(app, 32);
    await settle(app);
    const shown = await overview(user);
    expect(shown).toMatchObject({
      subscription: { status: 'past_due' },
      next_payment: { amount_pence: 1500 },
      can: { upgrade: [], change_card: true },
    });
    expect(await call(user, 'preview-plan-change', { price_id: 'price_documents_pro' })).toMatchObject({
      code: 'past_due',
    });
    // After 3, 5 and 7 more days the last attempt has been made.
    await advanceClock(app, 16);
    await settle(app);
    const after = await overview(user);
    expect(after.subscription?.status).toBe('canceled');
    expect(after.can).toMatchObject({ cancel: false, resume: false, upgrade: [] });
  });

  test('a refund is shown on its invoice and takes back the unspent credits', async () => {
    const user = await buyer('price_documents_basic');
    const [invoice] = (await overview(user)).invoices;
    const stripe = providerClient(app);
    const { payments } = await stripe.invoices.retrieve(invoice?.id ?? '', { expand: ['payments'] });
    await stripe.refunds.create({ payment_intent: String(payments?.data[0]?.payment.payment_intent) });
    await settle(app);
    expect(await overview(user)).toMatchObject({ usage: { left: 0 }, invoices: [{ refunded_pence: 1500 }] });
  });
});
