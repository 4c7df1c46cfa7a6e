import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf, buyPlan, insertUser, settle } from '../../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** The command as an operator runs it, against this test's app. */
async function runCommand(...words: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(
    process.execPath,
    [path.join(PROJECT_ROOT, 'src/cli/northline.ts'), 'billing', ...words],
    {
      env: { ...process.env, PORT: new URL(app.url).port, DATA_DIR: app.resources.settings.DATA_DIR },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [out, err, code] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code, out: out.join(''), err: err.join('') };
}

test('after a purchase there is no drift; a lost or wrong row is found once and repaired', async () => {
  const { database } = app.resources;
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_pro', user.email);
  await settle(app);
  const before = await accountOf(app, user);
  expect(before.credits).toBe(100);

  const clean = await runCommand('reconcile');
  expect(clean.err).toBe('');
  expect(clean.out).toContain('customers: 1\n');
  expect(clean.out).toContain('drift: 0\n');
  expect(clean.code).toBe(0);

  await database.transaction(async (queries) => {
    await queries.run("update public.subscriptions set status = 'canceled', tier = 'basic'");
    await queries.run('delete from public.credit_transactions where user_id = $1', [user.id]);
    await queries.run('update public.customers set credits = 0 where user_id = $1', [user.id]);
  });
  const repaired = await runCommand('reconcile');
  expect(repaired.out).toContain('subscriptions: 1\ngrants: 1\nrefunds: 0\nunderway: 0\n');
  expect(repaired.out).toContain('drift: 2\n');
  expect(await accountOf(app, user)).toEqual(before);
  expect((await runCommand('reconcile')).out).toContain('drift: 0\n');
});

test('a balance that its ledger does not explain is reported and left to the operator', async () => {
  const user = await insertUser(app);
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  const change = (by: number) =>
    app.resources.database.run('update public.customers set credits = credits + $2 where user_id = $1', [
      user.id,
      by,
    ]);
  await change(7);
  const { code, out } = await runCommand('reconcile');
  expect(out).toContain('balances: 1\n');
  expect(code).toBe(1);
  expect((await accountOf(app, user)).credits).toBe(32);
  await change(-7);
});

test('a customer at the provider who bought nothing from us gets no account row', async () => {
  const count = () => app.resources.database.one('select count(*)::int as rows from public.customers');
  const before = await count();
  await app.resources.database.run(
    `insert into private.provider_objects (id, kind, customer, data) values ('cus_other', 'customer', 'cus_other',
       '{"id":"cus_other","object":"customer","livemode":false,"invoice_settings":{"default_payment_method":null}}')`,
  );
  expect((await runCommand('reconcile')).out).toContain('failed: 0\n');
  expect(await count()).toEqual(before);
});

test('an unknown word gets a list of the possible ones', async () => {
  const { code, err } = await runCommand('everything');
  expect(code).toBe(2);
  expect(err).toContain('northline billing reconcile');
});
