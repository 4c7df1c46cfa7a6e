import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { providerSecrets } from '../../src/business/billing/stripe-emulator.server.ts';
import { accountOf, buyPlan, callFunction, insertUser, settle } from '../support/customers/plan-purchase.ts';
import { createCustomer } from '../support/customers/uploading-customer.ts';
import { advanceClock, providerClient } from '../support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('attack 31: the SDK’s own verification accepts our events as they are sent, and no other', async () => {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  const rows = await app.resources.database.many('select data from private.provider_events');
  expect(rows.length).toBeGreaterThan(4);
  const { webhooks } = new Stripe('sk_test_judge');
  const { webhook: secret } = providerSecrets(app.resources.keys);
  for (const { data } of rows) {
    const payload = JSON.stringify(data);
    const signature = webhooks.generateTestHeaderString({ payload, secret });
    expect(webhooks.constructEvent(payload, signature, secret)).toMatchObject({
      object: 'event',
      livemode: false,
    });
    const old = webhooks.generateTestHeaderString({
      payload,
      secret,
      timestamp: Math.floor(Date.now() / 1000) - 301,
    });
    for (const attempt of [
      () => webhooks.constructEvent(JSON.stringify(data, null, 1), signature, secret),
      () => webhooks.constructEvent(payload, signature, 'whsec_other'),
      () => webhooks.constructEvent(payload, old, secret, 300),
    ])
      expect(attempt).toThrow(Stripe.errors.StripeSignatureVerificationError);
  }
});

test('attack 34: fifty parallel uploads on the last credit store exactly one file', async () => {
  const who = await createCustomer(app, 1);
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) => who.upload(`${index}.txt`, `file ${index}`)),
  );
  expect(results.filter((result) => result === 'stored')).toHaveLength(1);
  expect(await who.credits()).toBe(0);
  const unexplained = await app.resources.database.many('select * from private.unexplained_balances');
  expect(unexplained).toEqual([]);
});

test('attack 35: after refunds, disputes, changes and jumps of the clock the balance is that of the ledger', async () => {
  const stripe = providerClient(app);
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  const change = async (price_id: string) => {
    const { body } = await callFunction(app, 'preview-plan-change', user.token, { price_id });
    await callFunction(app, 'change-plan', user.token, { price_id, proration_date: body.proration_date });
  };
  await Promise.all([
    change('price_documents_pro'),
    change('price_documents_premium'),
    change('price_documents_pro'),
  ]);
  await callFunction(app, 'cancel-subscription', user.token, {});
  await callFunction(app, 'resume-subscription', user.token, {});
  await settle(app);
  const { customer_id: customer } = await app.resources.database.one(
    'select customer_id /* not null */ from public.customers where user_id = $1',
    [user.id],
  );
  for (const charge of (await stripe.charges.list({ customer })).data)
    await stripe.refunds.create({ charge: charge.id, amount: Math.ceil(charge.amount / 2) });
  await settle(app);
  await advanceClock(app, 400);
  await settle(app);
  for (const charge of (await stripe.charges.list({ customer, limit: 3 })).data)
    await stripe.refunds.create({ charge: charge.id }).catch(() => {});
  await settle(app);
  const reply = await fetch(`${app.url}/functions/v1/reconcile-billing`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.serviceKey}` },
  });
  expect(await reply.json()).toMatchObject({
    subscriptions: 0,
    grants: 0,
    refunds: 0,
    balances: 0,
    failed: 0,
  });
  // The newest month was refunded, and earlier months are over.
  expect((await accountOf(app, user)).credits).toBe(0);
});
