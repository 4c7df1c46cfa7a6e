import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** A queue of the product whose jobs wait because their time has not come. */
const QUEUE = 'work-payment-event';

test('no worker takes a waiting keyed job before the transaction that relies on it has ended', async () => {
  const { database, jobs } = app.resources;
  const key = randomUUID();
  const waiting = () =>
    database.many(
      "select start_after from private.job where name = $1 and singleton_key = $2 and state = 'created' for update skip locked",
      [QUEUE, key],
    );
  const [far, near] = [new Date(Date.now() + 3_600_000), new Date(Date.now() + 1_800_000)];
  await jobs.add(database, QUEUE, { event: 'none' }, { key, after: far });
  expect(await waiting()).toHaveLength(1);
  await database.transaction(async (queries) => {
    await jobs.add(queries, QUEUE, { event: 'none' }, { key, after: near });
    // Takes the job as a worker would, on a connection of its own.
    expect(await waiting()).toEqual([]);
  });
  const [job, ...others] = await waiting();
  expect(others).toEqual([]);
  expect(job?.start_after).toEqual(near);
});

test('a keyed job that is rolled back leaves the waiting one unchanged', async () => {
  const { database, jobs } = app.resources;
  const key = randomUUID();
  const after = new Date(Date.now() + 3_600_000);
  await jobs.add(database, QUEUE, { event: 'none' }, { key, after });
  const given = new Error('given up');
  const attempt = database.transaction(async (queries) => {
    await jobs.add(queries, QUEUE, { event: 'none' }, { key });
    throw given;
  });
  await expect(attempt).rejects.toBe(given);
  const rows = await database.many(
    'select start_after from private.job where name = $1 and singleton_key = $2',
    [QUEUE, key],
  );
  expect(rows).toEqual([{ start_after: after }]);
});
