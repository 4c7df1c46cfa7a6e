import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDueWork } from '../../../packages/stripe-emulator/src/ledger/renewal-round.ts';
import {
  changeCard,
  endSubscription,
  updateSubscription,
} from '../../../packages/stripe-emulator/src/ledger/subscription-cycles.ts';
import type { CardBehaviour } from '../../../packages/stripe-emulator/src/ledger/test-cards.ts';
import { itemOf, type SubscriptionObject } from '../../../packages/stripe-emulator/src/object-shapes.ts';
import { providerNow } from '../../../packages/stripe-emulator/src/provider-clock.ts';
import { changeAt, lockObject } from '../../../packages/stripe-emulator/src/provider-store.ts';
import {
  buyPlan,
  insertUser,
  settle,
  type TestUser,
} from '../../../tests/support/customers/plan-purchase.ts';
import { propertyRuns } from '../../../tests/support/property-runs.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { syncCustomer } from './customers/subscription-sync.server.ts';
import { openPayments, type Payments } from './payments.server.ts';
import { providerHost, providerSecrets } from './stripe-emulator.server.ts';

let app: TestApp;
let payments: Payments;
beforeAll(async () => {
  app = await startTestApp();
  const { apiKey, webhook } = providerSecrets(app.resources.keys);
  payments = openPayments(app.resources, {
    apiKey,
    webhookSecret: webhook,
    address: async () => `${app.url}/test-provider`,
    now: () => providerNow(app.resources.database),
  });
});
afterAll(() => app.close());

type Step =
  | { kind: 'renew' }
  | { kind: 'cancel' | 'resume' | 'end' }
  | { kind: 'card'; behaviour: CardBehaviour }
  | { kind: 'replay'; seed: number; copies: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.constant<Step>({ kind: 'renew' }),
    fc.constantFrom<Step>({ kind: 'cancel' }, { kind: 'resume' }),
    fc.constant<Step>({ kind: 'end' }),
    fc.constantFrom<Step>(
      { kind: 'card', behaviour: 'succeeds' },
      { kind: 'card', behaviour: 'fails_later' },
      { kind: 'card', behaviour: 'authentication' },
    ),
    fc.record({
      kind: fc.constant('replay' as const),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
  ),
  { minLength: 1, maxLength: 8 },
);

interface Account {
  readonly user: TestUser;
  readonly customer: string;
  readonly subscription: string;
}

async function openAccount(price: string): Promise<Account> {
  const user = await insertUser(app);
  await buyPlan(app, user.token, price, user.email);
  const row = await app.resources.database.one(
    `select c.customer_id as customer /* not null */, o.id as subscription from public.customers c
     join private.provider_objects o on o.customer = c.customer_id and o.kind = 'subscription'
     where c.user_id = $1`,
    [user.id],
  );
  return { user, ...row };
}

/** Does one thing at the provider, or to its events on their way. */
async function happen(account: Account, step: Step): Promise<void> {
  const { database } = app.resources;
  if (step.kind === 'replay') return replay(account, step);
  const read = () =>
    database.transaction((queries) => lockObject(queries, 'subscription', account.subscription));
  const subscription = (await read())?.data as SubscriptionObject;
  if (subscription.status === 'canceled') return;
  const now = itemOf(subscription).current_period_end;
  if (step.kind === 'renew')
    return runDueWork(providerHost(app.resources), now, { customer: account.customer });
  await database.transaction(async (queries) => {
    const change = changeAt(providerHost(app.resources), queries, now);
    const current = (await lockObject(queries, 'subscription', account.subscription))
      ?.data as SubscriptionObject;
    if (step.kind === 'card') {
      const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040, behaviour: step.behaviour };
      await changeCard(change, current, card, account.user.email);
    } else if (step.kind === 'end') await endSubscription(change, current);
    else await updateSubscription(change, current, { cancel_at_period_end: step.kind === 'cancel' });
  });
}

/** Sends some old events of the customer again, duplicated and in another order, some with new ids. */
async function replay(account: Account, { seed, copies }: { seed: number; copies: number }): Promise<void> {
  const rows = await app.resources.database.many(
    `select data from private.provider_events where data #>> '{data,object,customer}' = $1
     order by md5(id || $2) limit 6`,
    [account.customer, String(seed)],
  );
  const sends = rows.flatMap(({ data }, index) =>
    Array.from({ length: copies }, (_, copy) => ({
      ...data,
      id: index % 2 === 0 ? data.id : `${data.id}_${seed}_${copy % 2}`,
    })),
  );
  await Promise.all(
    sends.map(async (event) => {
      const payload = JSON.stringify(event);
      const secret = providerSecrets(app.resources.keys).webhook;
      const signature = payments.stripe.webhooks.generateTestHeaderString({ payload, secret });
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      const reply = await fetch(`${app.url}/webhooks/stripe`, { method: 'POST', headers, body: payload });
      expect(reply.status).toBe(200);
    }),
  );
}

/** Our state equals the provider's, and the ledger explains the balance. */
async function expectEqual(account: Account): Promise<void> {
  const { database } = app.resources;
  const theirs = await payments.stripe.subscriptions.retrieve(account.subscription);
  const item = theirs.items.data[0];
  const ours = await database.many(
    `select status, cancel_at_period_end, price_id,
       extract(epoch from current_period_start)::int as period_start,
       extract(epoch from current_period_end)::int as period_end
     from public.subscriptions where subscription_id = $1`,
    [account.subscription],
  );
  expect(ours).toEqual([
    {
      status: theirs.status,
      cancel_at_period_end: theirs.cancel_at_period_end,
      price_id: item?.price.id,
      period_start: item?.current_period_start,
      period_end: item?.current_period_end,
    },
  ]);
  const paid = await payments.stripe.invoices
    .list({ customer: account.customer, status: 'paid', limit: 100 })
    .autoPagingToArray({ limit: 1000 });
  const allowance = app.resources.site.plans.find(item?.price.id ?? '')?.limits.creditsPerMonth ?? 0;
  const balance = await database.one(
    `select c.credits, (select coalesce(sum(t.amount), 0)::int from public.credit_transactions t
       where t.customer_row = c.id and t.state <> 'returned') as ledger
     from public.customers c where c.user_id = $1`,
    [account.user.id],
  );
  // The rest of a month's credits lapses when the next month is paid.
  expect(paid.length).toBeGreaterThan(0);
  expect(balance).toEqual({ credits: allowance, ledger: allowance });
}

test('after any history of renewals, failures, cancellations and replayed events our state equals the provider’s', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 4, maxLength: 4 }),
      fc.constantFrom('price_documents_basic', 'price_courses_professional'),
      async (histories, price) => {
        const accounts = await Promise.all(histories.map(() => openAccount(price)));
        await Promise.all(
          accounts.map(async (account, index) => {
            for (const step of histories[index] ?? []) await happen(account, step);
          }),
        );
        await settle(app);
        for (const account of accounts) await expectEqual(account);
      },
    ),
    { numRuns: propertyRuns(2) },
  );
});

test('a slow worker’s older data never overwrites a quick worker’s newer data', async () => {
  const account = await openAccount('price_documents_basic');
  await settle(app);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: hasRead, resolve: reading } = Promise.withResolvers<void>();
  // Here, something happens between reading and writing: when the provider's time is asked for.
  const slow: Payments = {
    ...payments,
    async now() {
      reading();
      await released;
      return payments.now();
    },
  };
  const late = syncCustomer(app.resources, slow, account.customer);
  await hasRead;
  await payments.stripe.subscriptions.cancel(account.subscription);
  await syncCustomer(app.resources, payments, account.customer);
  // No webhook arrives after the late write.
  await settle(app);
  release();
  await late;
  await expectEqual(account);
});
