import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newEmail } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { uncheckedSql } from '../resources/database/fixed-sql.ts';
import type { Resources } from '../resources/resources.ts';
import { openSharedLimits } from './shared-limits.ts';

/** Limits per hour, so that no token comes back even on a slow machine. */
const settings = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', AUTH_ANONYMOUS: 'true' };
const LIMIT = { name: 'test', count: 30, seconds: 36_000 };

let app: TestApp;
let beside: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings });
  beside = await startTestApp({ settings, beside: app });
});
afterAll(async () => {
  await beside?.close();
  await app?.close();
});

/** The limits as one process opens them, and its sweep. */
function openLimits() {
  const sweeps: (() => Promise<void>)[] = [];
  const jobs = { every: (_name: string, _seconds: number, sweep: () => Promise<void>) => sweeps.push(sweep) };
  const limits = openSharedLimits({ ...app.resources, jobs: jobs as unknown as Resources['jobs'] });
  return { limits, sweep: async () => Promise.all(sweeps.map((each) => each())) };
}

const change = (text: string) => app.resources.database.run(uncheckedSql(text, 'composed'));
const signUp = (at: TestApp, address: string) =>
  callAuth(at, 'POST', '/signup', { body: {}, headers: { 'x-forwarded-for': address } });
const guess = (at: TestApp, email: string, address: string) =>
  callAuth(at, 'POST', '/verify', {
    body: { type: 'email', email, token: '000000' },
    headers: { 'x-forwarded-for': address },
  });

test('attack 18: the hourly limit of an address covers all processes together, and a restart forgets nothing', async () => {
  const statuses: number[] = [];
  for (let round = 0; round < 30; round += 1)
    statuses.push((await signUp(round % 3 === 0 ? beside : app, '198.51.100.1')).status);
  expect(statuses).toEqual(Array(30).fill(200));
  const restarted = await startTestApp({ settings, beside: app });
  for (const process of [app, beside, restarted]) {
    const refused = await signUp(process, '198.51.100.1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signUp(process, '198.51.100.2')).status).toBe(200);
  }
  await restarted.close();
});

test('attack 18: codes of one account are guessed thirty times an hour, over all processes and addresses', async () => {
  const email = newEmail();
  const statuses: number[] = [];
  for (let round = 0; round < 31; round += 1)
    statuses.push((await guess(round % 2 === 0 ? app : beside, email, `198.51.101.${round}`)).status);
  expect(statuses).toEqual([...Array(30).fill(403), 429]);
});

test('of simultaneous requests in several processes as many pass as there are tokens', async () => {
  const [one, two] = [openLimits().limits, openLimits().limits];
  const waits = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : two).take(LIMIT, 'at once')),
  );
  expect(waits.filter((wait) => wait === 0)).toHaveLength(30);
});

test('tokens come back with time, a clock that was set back locks nobody out, and full buckets are removed', async () => {
  const { limits, sweep } = openLimits();
  const empty = { name: 'test of time', count: 1, seconds: 3600 };
  expect(await limits.take(empty, 'somebody')).toBe(0);
  expect(await limits.take(empty, 'somebody')).toBeGreaterThan(3500);
  expect(await limits.take(empty, 'somebody else')).toBe(0);
  await change(
    "update private.rate_limits set full_at = full_at - interval '1 hour' where name = 'test of time'",
  );
  expect(await limits.take(empty, 'somebody')).toBe(0);
  await change(
    "update private.rate_limits set full_at = full_at + interval '1 year' where name = 'test of time'",
  );
  expect(await limits.take(empty, 'somebody')).toBe(0);
  expect(await limits.take(empty, 'somebody')).toBeGreaterThan(3500);
  await change(
    "update private.rate_limits set full_at = full_at - interval '2 years' where name = 'test of time'",
  );
  await sweep();
  const rows = await app.resources.database.many(
    uncheckedSql("select 1 from private.rate_limits where name = 'test of time'", 'composed'),
  );
  expect(rows).toEqual([]);
});

test('a token taken in a failed transaction is not lost, and the table contains no personal data', async () => {
  const { limits } = openLimits();
  const single = { name: 'test of transactions', count: 1, seconds: 3600 };
  const failing = app.resources.database.transaction(async (queries) => {
    expect(await limits.take(single, 'anna@example.com', queries)).toBe(0);
    throw new Error('undone');
  });
  await expect(failing).rejects.toThrow('undone');
  expect(await limits.take(single, 'anna@example.com')).toBe(0);
  const rows = await app.resources.database.many(
    uncheckedSql<{ subject: Buffer }>(
      "select subject from private.rate_limits where name = 'test of transactions'",
      'composed',
    ),
  );
  expect(rows.map(({ subject }) => [subject.length, subject.includes('anna')])).toEqual([[16, false]]);
});
