import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDueWork } from '../../../../packages/stripe-emulator/src/ledger/renewal-round.ts';
import { payWithCard } from '../../../../tests/support/customers/card-payment.ts';
import {
  buyPlan,
  CARDS,
  callFunction,
  insertUser,
  settle,
  type TestUser,
} from '../../../../tests/support/customers/plan-purchase.ts';
import { providerClient } from '../../../../tests/support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { readCreditPacks } from '../../../kernel/config/credit-packs.ts';
import { providerHost } from '../stripe-emulator.server.ts';
import type { BillingOverview } from '../subscription/billing-management.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CREDIT_PACKS: '50=3000, 10=700' } });
});
afterAll(() => app.close());

const order = (user: Pick<TestUser, 'token'>, credits: number, more: object = {}) =>
  callFunction(app, 'buy-credits', user.token, {
    credits,
    success_url: `${app.url}/success`,
    cancel_url: `${app.url}/dashboard/billing`,
    ...more,
  });

async function buyCredits(user: TestUser, credits: number): Promise<string> {
  const { status, body } = await order(user, credits);
  expect(status).toBe(200);
  const page = await (await fetch(body.url ?? '')).text();
  expect(page).toContain('Pay once for');
  expect(page).toContain('now, once.');
  const paid = await payWithCard(body.url ?? '', CARDS.succeeds, user.email);
  expect(paid.redirectedTo).toBe(`${app.url}/success?session_id=${body.session_id}`);
  await settle(app);
  return body.session_id ?? '';
}

const overview = async (user: TestUser): Promise<BillingOverview> =>
  (await callFunction(app, 'billing-overview', user.token, {})).body as unknown as BillingOverview;

async function customerOf(user: TestUser): Promise<string> {
  const { customer_id: id } = await app.resources.database.one(
    'select customer_id /* not null */ from public.customers where user_id = $1',
    [user.id],
  );
  return id;
}

test('the packs for sale are those of the setting, smallest first', async () => {
  const user = await insertUser(app);
  expect((await callFunction(app, 'credit-packs', user.token, {})).body).toEqual({
    packs: [
      { credits: 10, amount_pence: 700 },
      { credits: 50, amount_pence: 3000 },
    ],
    currency: 'GBP',
  });
  expect(readCreditPacks('')).toEqual([]);
  for (const wrong of ['10', '10=7.00', '10=700,10=800', '0=700', '10=5'])
    expect(readCreditPacks(wrong)).toBeUndefined();
});

test('an account that will be deleted buys no credits', async () => {
  const user = await insertUser(app);
  const { database } = app.resources;
  await database.run("update auth.users set deletion_due_at = now() + interval '30 days' where id = $1", [
    user.id,
  ]);
  expect(await order(user, 10)).toMatchObject({ status: 409, body: { code: 'account_leaving' } });
});

test('Paid once. Each uploads one document, and they do not lapse: also without a plan, and on an invoice', async () => {
  const user = await insertUser(app);
  const session = await buyCredits(user, 10);
  expect((await callFunction(app, 'checkout-outcome', app.anonKey, { session_id: session })).body).toEqual({
    paid: true,
  });
  const after = await overview(user);
  expect(after).toMatchObject({ plan: null, usage: { left: 10 } });
  expect(after.invoices).toMatchObject([{ status: 'paid', amount_pence: 700, refunded_pence: 0 }]);
  const pdf = await fetch(app.url + (after.invoices[0]?.pdf_url ?? ''), {
    headers: { authorization: `Bearer ${user.token}` },
  });
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  // The credits are granted once, however often the invoice is read, even a year later.
  await runDueWork(providerHost(app.resources), Math.floor(Date.now() / 1000) + 365 * 24 * 3600, {
    customer: await customerOf(user),
  });
  await callFunction(app, 'reconcile-billing', app.serviceKey, {});
  expect((await overview(user)).usage.left).toBe(10);
});

test('bought credits are added to those of a plan, outlive its month, and a refund takes back the unspent ones', async () => {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  await buyCredits(user, 50);
  expect((await overview(user)).usage).toMatchObject({ left: 75, included: 25 });
  const invoice = (await overview(user)).invoices.find(({ amount_pence: pence }) => pence === 3000);
  const stripe = providerClient(app);
  const { payments } = await stripe.invoices.retrieve(invoice?.id ?? '', { expand: ['payments'] });
  await stripe.refunds.create({ payment_intent: String(payments?.data[0]?.payment.payment_intent) });
  await settle(app);
  expect((await overview(user)).usage.left).toBe(25);
});

test('an unknown number, a foreign address and a missing account are refused, and a declined card grants nothing', async () => {
  const user = await insertUser(app);
  expect(await order(user, 11)).toMatchObject({ status: 400, body: { code: 'unknown_pack' } });
  expect(await order(user, 10, { success_url: 'https://evil.example/' })).toMatchObject({
    status: 400,
    body: { code: 'foreign_address' },
  });
  expect((await order({ token: app.anonKey }, 10)).status).toBe(401);
  const { body } = await order(user, 10);
  const declined = await payWithCard(body.url ?? '', CARDS.declined, user.email);
  expect(declined.redirectedTo).toBeUndefined();
  await settle(app);
  expect(await overview(user)).toMatchObject({ usage: { left: 0 }, invoices: [] });
});

test('attack: only an invoice that our key marked grants these credits, and never more than were paid for', async () => {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  const stripe = providerClient(app);
  // The field is not read from the customer or from a subscription, which a portal may show.
  await stripe.customers.update(await customerOf(user), { metadata: { northline_credits: '1000' } });
  const { subscription } = await overview(user);
  await stripe.subscriptions.update(subscription?.id ?? '', { metadata: { northline_credits: '1000' } });
  await settle(app);
  expect((await overview(user)).usage.left).toBe(25);
});
