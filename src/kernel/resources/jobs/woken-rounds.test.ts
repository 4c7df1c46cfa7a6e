import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../database/fixed-sql.ts';
import { createJobs } from './jobs.ts';

test('a round that is woken is done at once, and once more when that came while it was at work', async () => {
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
