import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { accountOf, buyPlan, insertUser, settle } from '../../../../tests/support/customers/plan-purchase.ts';
import { providerClient } from '../../../../tests/support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { SPECIFIED_PLANS } from '../../../kernel/contract/plans.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** The command as an operator runs it, against this test's app. */
async function run(...words: string[]): Promise<{ code: number | null; said: string }> {
  const { HOST, DATA_DIR } = app.resources.settings;
  const env = { ...process.env, HOST, PORT: new URL(app.url).port, DATA_DIR };
  const child = spawn(
    process.execPath,
    [path.join(PROJECT_ROOT, 'src/cli/northline.ts'), 'billing', ...words],
    {
      env,
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, said };
}

test('sync keeps matching prices, and another amount becomes a new price that takes over the key', async () => {
  claims('Prices are in {currency} per month.');
  const stripe = providerClient(app);
  const first = await run('sync');
  expect(first).toMatchObject({ code: 0 });
  for (const plan of SPECIFIED_PLANS) expect(first.said).toContain(`${plan.priceId}  `);
  expect(first.said).not.toContain('price made');

  const [old] = (await stripe.prices.list({ lookup_keys: ['price_documents_pro'] })).data;
  const other = await stripe.prices.create({
    product: String(old?.product),
    currency: 'gbp',
    unit_amount: 4800,
    recurring: { interval: 'month' },
    lookup_key: 'price_documents_pro',
    transfer_lookup_key: true,
  });
  await stripe.products.update(String(old?.product), { name: 'Something else' });
  const second = await run('sync');
  expect(second.said).toMatch(/price_documents_pro {2}£49 {2}price_\w+ {2}price made, product changed/);
  const [made] = (await stripe.prices.list({ lookup_keys: ['price_documents_pro'] })).data;
  expect(made).toMatchObject({ unit_amount: 4900, lookup_key: 'price_documents_pro' });
  expect(made?.id).not.toBe(other.id);
  expect((await run('sync')).said).not.toContain('made');

  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_pro', user.email);
  await settle(app);
  const [subscription] = (await stripe.subscriptions.list({ status: 'all' })).data;
  expect(subscription?.items.data[0]?.price.id).toBe(made?.id);
  expect((await accountOf(app, user)).subscriptions[0]).toMatchObject({ price_id: 'price_documents_pro' });
});

test('a balance is explained entry by entry, and an operator’s correction is one of them', async () => {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  expect((await run('correct', user.email, '+5', 'for', 'the', 'wait')).code).toBe(0);
  expect((await run('correct', user.email, '-30', 'all')).code).toBe(0);
  const { code, said } = await run('explain', user.id);
  expect(code).toBe(0);
  expect(said).toContain('+25  =    25  grant · Basic Plan · invoice in_');
  expect(said).toContain('+5  =    30  correction · for the wait');
  expect(said).toContain('-30  =     0  correction · all');
  expect(said).toContain('0 credits, explained');
  expect(await run('correct', user.email, '-1', 'too much')).toMatchObject({ code: 1 });
  expect((await run('explain', 'nobody@example.com')).said).toContain(
    'There is no customer nobody@example.com.',
  );
});

test('a plan override records who, why and until when, and ends', async () => {
  const user = await insertUser(app);
  const planOf = async () =>
    (await app.resources.database.one('select private.plan_override($1) as plan', [user.id])).plan;
  expect(await planOf()).toBeNull();
  expect((await run('override', user.email, 'Pro Plan', 'Ann', 'a partner', '2999-01-01')).code).toBe(0);
  expect(await planOf()).toBe('Pro Plan');
  expect((await run('override', user.email, 'No Plan', 'Ann', 'x')).said).toContain(
    'There is no plan No Plan.',
  );
  for (const until of ['0000-01-01', '+012026-01-01'])
    expect(await run('override', user.email, 'Pro Plan', 'Ann', 'x', until)).toEqual({
      code: 1,
      said: expect.stringContaining('until is not valid: must be a time as 2026-01-31T09:30:00.000Z'),
    });
  expect((await run('override', 'nobody@example.com', 'Pro Plan', 'Ann', 'x')).said).toContain(
    'There is no user nobody@example.com.',
  );
  expect((await run('end-override', user.email, 'Bob')).code).toBe(0);
  expect(await planOf()).toBeNull();
  const rows = await app.resources.database.many(
    'select plan, reason, set_by, ended_by from private.plan_overrides where user_id = $1',
    [user.id],
  );
  expect(rows).toEqual([{ plan: 'Pro Plan', reason: 'a partner', set_by: 'Ann', ended_by: 'Bob' }]);
});
