import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BillingOverview } from '../../src/business/billing/subscription/billing-management.contract.ts';
import {
  accountOf,
  buyPlan,
  CARDS,
  callFunction,
  insertUser,
  settle,
  type TestUser,
} from '../support/customers/plan-purchase.ts';
import { advanceClock } from '../support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** What a browser without scripts sees of the portal. */
interface Seen {
  readonly status: number;
  readonly text: string;
  /** Where the browser is redirected. */
  readonly location: string | null;
}

/** A customer at the portal; the page's own fields are sent with every form. */
interface AtPortal {
  readonly user: TestUser;
  readonly page: () => Promise<string>;
  readonly send: (fields: Record<string, string>) => Promise<Seen>;
  readonly choose: (plan: string, more?: Record<string, string>) => Promise<Seen>;
}

const words = (page: string): string =>
  page
    .replace(/<style[\s\S]*?<\/style>|<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

async function openPortal(user: TestUser, wanted: Record<string, string> = {}): Promise<AtPortal> {
  const reply = await callFunction(app, 'open-billing-portal', user.token, {
    return_url: `${app.url}/dashboard/billing`,
    ...wanted,
  });
  const url = reply.body.url ?? '';
  const page = async () => (await fetch(url)).text();
  const send = async (fields: Record<string, string>): Promise<Seen> => {
    const seen = await page();
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(seen)?.[1] ?? '';
    const body = new URLSearchParams({
      token: hidden('token'),
      subscription: hidden('subscription'),
      ...fields,
    });
    const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    await settle(app);
    return {
      status: answer.status,
      text: words(await answer.text()),
      location: answer.headers.get('location'),
    };
  };
  const choose = async (plan: string, more: Record<string, string> = {}): Promise<Seen> => {
    const form = (await page()).split('<form').find((part) => part.includes(`>${plan}, £`)) ?? '';
    return send({ action: 'plan', price: /name="price" value="([^"]*)"/.exec(form)?.[1] ?? '', ...more });
  };
  return { user, page, send, choose };
}

async function atPortal(priceId: string, card?: string): Promise<AtPortal> {
  const user = await insertUser(app);
  await buyPlan(app, user.token, priceId, user.email, card);
  await settle(app);
  return openPortal(user);
}

async function overview({ user }: AtPortal): Promise<BillingOverview> {
  const { body } = await callFunction(app, 'billing-overview', user.token, {});
  return body as unknown as BillingOverview;
}

describe('the plan changed at the portal', () => {
  test('a dearer plan is had at once, its difference paid and its documents credited', async () => {
    const portal = await atPortal('price_documents_basic');
    const { status, text } = await portal.choose('Pro Plan');
    expect(status).toBe(200);
    expect(text).toContain('You have the Pro Plan now.');
    const shown = await overview(portal);
    expect(shown).toMatchObject({
      plan: { name: 'Pro Plan' },
      subscription: { status: 'active' },
      usage: { left: 100, included: 100 },
      next_payment: { amount_pence: 4900 },
    });
    expect(shown.invoices.map((invoice) => invoice.status)).toEqual(['paid', 'paid']);
    expect(shown.invoices[0]?.amount_pence).toBeGreaterThan(3390);
    expect((await accountOf(app, portal.user)).credits).toBe(100);
  });

  test('a cheaper plan waits for the end of the period, can be taken back, and then is billed', async () => {
    const portal = await atPortal('price_documents_pro');
    expect((await portal.choose('Basic Plan')).text).toContain(
      'Your plan changes to the Basic Plan when the period that you have paid for ends.',
    );
    expect(await overview(portal)).toMatchObject({
      plan: { name: 'Pro Plan' },
      pending_change: { plan: { name: 'Basic Plan' } },
      next_payment: { amount_pence: 1500 },
    });
    expect((await portal.send({ action: 'resume' })).text).toContain('Your subscription goes on.');
    expect(await overview(portal)).toMatchObject({
      pending_change: null,
      next_payment: { amount_pence: 4900 },
    });
    await portal.choose('Basic Plan');
    await advanceClock(app, 32);
    await settle(app);
    expect(await overview(portal)).toMatchObject({
      plan: { name: 'Basic Plan' },
      pending_change: null,
      usage: { left: 25, included: 25 },
    });
  });

  test('a change that waits gives way to a dearer plan', async () => {
    const portal = await atPortal('price_documents_pro');
    await portal.choose('Basic Plan');
    await portal.choose('Premium Plan');
    expect(await overview(portal)).toMatchObject({
      plan: { name: 'Premium Plan' },
      pending_change: null,
      next_payment: { amount_pence: 12_900 },
    });
  });

  test.each([
    ['dearer', 'Premium Plan', { plan: { name: 'Premium Plan' }, pending_change: null }],
    [
      'cheaper',
      'Basic Plan',
      { plan: { name: 'Pro Plan' }, pending_change: { plan: { name: 'Basic Plan' } } },
    ],
  ])('a %s plan undoes a cancellation, as it does on the Billing tab', async (_which, plan, expected) => {
    const portal = await atPortal('price_documents_pro');
    await portal.send({ action: 'cancel' });
    expect((await overview(portal)).subscription?.cancel_at_period_end).toBe(true);
    expect((await portal.choose(plan)).status).toBe(200);
    expect(await overview(portal)).toMatchObject({
      subscription: { cancel_at_period_end: false },
      ...expected,
    });
  });

  test('a card that is refused leaves plan, invoices and credits as they were', async () => {
    const portal = await atPortal('price_documents_basic', CARDS.failsLater);
    const { status, text } = await portal.choose('Pro Plan');
    expect(status).toBe(422);
    expect(text).toContain('Your card was declined. Your plan is not changed.');
    expect(await overview(portal)).toMatchObject({
      plan: { name: 'Basic Plan' },
      subscription: { status: 'active' },
      usage: { left: 25 },
      invoices: [{ status: 'paid', amount_pence: 1500 }],
    });
  });

  test('what the bank asks about changes nothing until it is confirmed; a refusal there changes nothing', async () => {
    const portal = await atPortal('price_documents_basic', CARDS.alwaysAuthentication);
    expect((await portal.choose('Pro Plan')).text).toContain(
      'Your bank asks you to confirm the payment for the Pro Plan.',
    );
    expect(await overview(portal)).toMatchObject({
      plan: { name: 'Basic Plan' },
      invoices: [{ status: 'paid' }],
    });
    const failed = await portal.choose('Pro Plan', { answer: 'fail' });
    expect(failed.status).toBe(422);
    expect(failed.text).toContain('The payment was not confirmed with your bank. Your plan is not changed.');
    expect(await overview(portal)).toMatchObject({ plan: { name: 'Basic Plan' }, usage: { left: 25 } });
    expect((await portal.choose('Pro Plan', { answer: 'complete' })).text).toContain(
      'You have the Pro Plan now.',
    );
    expect(await overview(portal)).toMatchObject({ plan: { name: 'Pro Plan' }, usage: { left: 100 } });
  });

  test('the way to confirm one change offers that plan alone and leads back to the Billing tab', async () => {
    const { user } = await atPortal('price_documents_basic', CARDS.alwaysAuthentication);
    const portal = await openPortal(user, {
      flow: 'subscription_update_confirm',
      price_id: 'price_documents_premium',
    });
    const page = await portal.page();
    expect(page).toContain('Premium Plan, £129');
    expect(page).not.toContain('Pro Plan, £49');
    const done = await portal.choose('Premium Plan', { answer: 'complete' });
    expect(done).toMatchObject({ status: 303, location: `${app.url}/dashboard/billing` });
    expect((await overview(portal)).plan?.name).toBe('Premium Plan');
  });

  test('while a payment is due, the card comes first', async () => {
    const portal = await atPortal('price_documents_basic', CARDS.failsLater);
    await advanceClock(app, 32);
    await settle(app);
    const again = await openPortal(portal.user);
    const { status, text } = await again.choose('Pro Plan');
    expect(status).toBe(422);
    expect(text).toContain('Please change your card first: a payment is due.');
    expect((await overview(portal)).plan?.name).toBe('Basic Plan');
  });

  test.each([
    ['a plan of the other line', 'price_courses_essential'],
    ['the plan that is held', 'price_documents_basic'],
    ['a price that there is not', 'price_1'],
  ])('%s cannot be had by a form of one’s own', async (_what, price) => {
    const portal = await atPortal('price_documents_basic');
    const { status, text } = await portal.send({ action: 'plan', price });
    expect(status).toBe(422);
    expect(text).toContain('nothing was changed');
    expect(await overview(portal)).toMatchObject({
      plan: { name: 'Basic Plan' },
      invoices: [{ status: 'paid' }],
    });
  });

  test('nobody changes another customer’s plan, and a form counts once', async () => {
    const [portal, other] = [
      await atPortal('price_documents_basic'),
      await atPortal('price_documents_basic'),
    ];
    const { subscription } = await overview(other);
    const foreign = await portal.send({
      action: 'plan',
      price: 'price_documents_pro',
      subscription: subscription?.id ?? '',
    });
    expect(foreign.status).toBe(422);
    expect((await overview(other)).plan?.name).toBe('Basic Plan');
    const token = /name="token" value="([^"]*)"/.exec(await portal.page())?.[1] ?? '';
    await portal.choose('Pro Plan', { token });
    const repeated = await portal.choose('Premium Plan', { token });
    expect(repeated.text).toContain('This page was out of date');
    expect((await overview(portal)).plan?.name).toBe('Pro Plan');
  });
});
