import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  accountOf,
  buyPlan,
  callFunction,
  insertUser,
  settle,
} from '../../../../tests/support/customers/plan-purchase.ts';
import { providerClient } from '../../../../tests/support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { openPayments, type Payments } from '../payments.server.ts';
import { providerSecrets } from '../stripe-emulator.server.ts';
import { endDeletedCustomers } from './customer-removal.server.ts';

/** The product's own payments. */
function paymentsOf({ url, resources }: TestApp): Payments {
  const { apiKey, webhook } = providerSecrets(resources.keys);
  return openPayments(resources, {
    apiKey,
    webhookSecret: webhook,
    address: async () => `${url}/test-provider`,
    now: async () => Math.floor(Date.now() / 1000),
  });
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('deleting an account ends its subscriptions at the provider, even after an outage of the provider', async () => {
  claims('Plans end with it.');
  const stripe = providerClient(app);
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await buyPlan(app, user.token, 'price_courses_essential', user.email);
  await settle(app);
  const { database } = app.resources;
  const { customer_id: customer } = await database.one(
    'select customer_id /* not null */ from public.customers where user_id = $1',
    [user.id],
  );
  await database.run('delete from auth.users where id = $1', [user.id]);
  const away = providerClient(app, 'sk_test_of_nobody');
  const payments = paymentsOf(app);
  const round = (client: typeof stripe) =>
    endDeletedCustomers(app.resources, { ...payments, stripe: client });
  const left = () => database.many('select 1 from private.customers_to_end where done_at is null');
  await round(away);
  expect(await left()).toHaveLength(1);
  await round(payments.stripe);
  const { data } = await stripe.subscriptions.list({ customer, status: 'all' });
  expect(data.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
  expect(await left()).toEqual([]);
});

test('a purchase paid on one device is claimed on another by the mailed link', async () => {
  const email = 'payer@example.com';
  const { sessionId } = await buyPlan(app, app.anonKey, 'price_documents_pro', email);
  await settle(app);
  const mails = await app.resources.mailer.kept(20);
  const mail = mails.filter(({ to }) => to === email);
  expect(mail).toHaveLength(1);
  const link = new URL(/http\S+#claim=\S+/.exec(mail[0]?.text ?? '')?.[0] ?? '');
  expect(link.origin).toBe(new URL(app.url).origin);
  expect(link.searchParams.get('session_id')).toBe(sessionId);
  const user = await insertUser(app);
  const claim = { session_id: sessionId, user_id: user.id };
  const guess = await callFunction(app, 'link-customer', user.token, { ...claim, checkout_secret: 'guess' });
  expect(guess.status).toBe(403);
  const checkout_secret = link.hash.slice('#claim='.length);
  const linked = await callFunction(app, 'link-customer', user.token, { ...claim, checkout_secret });
  expect(linked.status).toBe(200);
  expect((await accountOf(app, user)).credits).toBe(100);
  const other = await insertUser(app);
  const stolen = { session_id: sessionId, user_id: other.id, checkout_secret };
  expect((await callFunction(app, 'link-customer', other.token, stolen)).status).toBe(403);
});
