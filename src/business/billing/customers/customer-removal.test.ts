import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf, buyPlan, callFunction, insertUser, settle } from '../../../tests/support/buy-plan.ts';
import { startTestApp, type TestApp } from '../../../tests/support/start-test-app.ts';
import { providerClient } from '../../../tests/support/test-provider.ts';
import { endDeletedCustomers } from './end-customers.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('deleting an account ends its subscriptions at the provider, also when the provider was away before', async () => {
  const stripe = providerClient(app);
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await buyPlan(app, user.token, 'price_courses_essential', user.email);
  await settle(app);
  const { database } = app.resources;
  const { customer_id: customer } = await database.one<{ customer_id: string }>(
    'select customer_id from public.customers where user_id = $1',
    [user.id],
  );
  await database.run('delete from auth.users where id = $1', [user.id]);
  const away = providerClient(app, 'sk_test_of_nobody');
  const payments = { stripe: away, now: async () => 0 } as never;
  await endDeletedCustomers(app.resources, payments);
  // The round of the product goes on until it is done.
  await expect
    .poll(
      async () =>
        (await stripe.subscriptions.list({ customer, status: 'all' })).data.map(({ status }) => status),
      {
        timeout: 40_000,
        interval: 500,
      },
    )
    .toEqual(['canceled', 'canceled']);
  const left = await database.many('select 1 from private.customers_to_end where done_at is null');
  await expect.poll(() => left.length, { timeout: 10_000 }).toBeLessThanOrEqual(1);
}, 60_000);

test('who pays on one device claims the purchase on another by the link that was mailed', async () => {
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
