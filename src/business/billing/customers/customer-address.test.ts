import { afterAll, beforeAll, expect, test } from 'vitest';
import { buyPlan, insertUser, settle } from '../../../../tests/support/customers/plan-purchase.ts';
import { providerClient } from '../../../../tests/support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { tellAddresses } from './customer-address.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function customerOf(): Promise<{ userId: string; email: string; customer: string }> {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  const { customer } = await app.resources.database.one(
    'select customer_id as customer /* not null */ from public.customers where user_id = $1',
    [user.id],
  );
  return { userId: user.id, email: user.email, customer };
}

const move = (userId: string, email: string) =>
  app.resources.database.run('update auth.users set email = $2 where id = $1', [userId, email]);
const waiting = () => app.resources.database.many('select customer_id from private.customers_to_address');

test('an account’s new address reaches the payment provider at once', async () => {
  const { userId, customer } = await customerOf();
  await move(userId, 'new@harbour.example');
  await expect.poll(waiting).toEqual([]);
  expect(await providerClient(app).customers.retrieve(customer)).toMatchObject({
    email: 'new@harbour.example',
  });
});

test('a customer with an address of its own for bills keeps it', async () => {
  const { userId, customer } = await customerOf();
  await providerClient(app).customers.update(customer, { email: 'accounts@harbour.example' });
  await move(userId, 'other@harbour.example');
  await expect.poll(waiting).toEqual([]);
  expect(await providerClient(app).customers.retrieve(customer)).toMatchObject({
    email: 'accounts@harbour.example',
  });
});

test('a provider that does not answer is told in a later round', async () => {
  const { userId, customer, email } = await customerOf();
  // Recorded without waking the product's own round.
  await app.resources.database.run(
    'insert into private.customers_to_address (customer_id, user_id, former) values ($1, $2, $3)',
    [customer, userId, email],
  );
  await tellAddresses(app.resources, { stripe: providerClient(app, 'sk_test_of_nobody') });
  expect(await waiting()).toEqual([{ customer_id: customer }]);
  await tellAddresses(app.resources, { stripe: providerClient(app) });
  expect(await waiting()).toEqual([]);
});
