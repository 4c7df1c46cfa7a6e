import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../database/fixed-sql.ts';
import { createJobs } from './jobs.ts';

test('a woken round runs at once, and again when it was woken while running', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const { database, log } = app.resources;
  const jobs = createJobs(database, false, { log });
  let done = 0;
  let goOn = (): void => {};
  jobs.every(
    'test.round',
    3600,
    async () => {
      done += 1;
      if (done === 2) await new Promise<void>((resolve) => (goOn = resolve));
    },
    'test_round',
  );
  await jobs.start();
  onTestFinished(async () => {
    await jobs.rest(1);
    await jobs.stop();
  });
  await expect.poll(() => done).toBe(1);
  await database.run(uncheckedSql('notify test_round', 'composed'));
  await expect.poll(() => done).toBe(2);
  await database.run(uncheckedSql('notify test_round', 'composed'));
  goOn();
  await expect.poll(() => done).toBe(3);
});

test('a round for all processes is run by one, by the next when it is due, and by each process that is alone', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const { database, log } = app.resources;
  const begun: string[] = [];
  const round = async (process: string, alone: boolean) => {
    const jobs = createJobs(database, alone, { log });
    const later: string[] = [];
    jobs.everyByOne('test.shared', 3600, async () => void begun.push(process));
    // Its timer fires after the other one, so everything before it has begun.
    jobs.every('test.later', 3600, async () => void later.push(process));
    await jobs.start();
    await expect.poll(() => later).toEqual([process]);
    await jobs.rest(60);
    await jobs.stop();
  };
  await round('first', false);
  await round('second', false);
  await round('alone', true);
  expect(begun).toEqual(['first', 'alone']);
  await database.run(
    "update private.periodic_rounds set begun_at = now() - interval '1 hour' where task = 'test.shared'",
  );
  await round('third', false);
  expect(begun).toEqual(['first', 'alone', 'third']);
});
