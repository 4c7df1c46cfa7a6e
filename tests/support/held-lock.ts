import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import type { TestApp } from './test-app.ts';

/**
 * Forces the order of a race: the product reads, then the test makes a change, then the product acts. The
 * change is made on a separate connection, and committed only when a statement of the product waits for it.
 *
 * @param last a second change with the same values, made while the product waits
 * @returns the product's result
 */
export async function overtake<Result>(
  app: TestApp,
  work: () => Promise<Result>,
  [text, values, last]: readonly [text: string, values: readonly unknown[], last?: string],
): Promise<Result> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query(text, [...values]);
  const isAwaited = async (): Promise<boolean> => {
    const { rowCount } = await client.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and pg_backend_pid() = any (pg_blocking_pids(pid))`,
    );
    return rowCount !== 0;
  };
  const commit = async (): Promise<void> => {
    await expect.poll(isAwaited).toBe(true);
    if (last !== undefined) await client.query(last, [...values]);
    await client.query('commit');
  };
  const [result] = await Promise.all([work(), commit()]);
  return result;
}
