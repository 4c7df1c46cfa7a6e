import type pg from 'pg';
import { PgBoss } from 'pg-boss';

/** Schema of the job queue's tables. */
export const JOB_SCHEMA = 'private';
/**
 * Tables of the job queue that a backup leaves out: its version, its statistics, and parts that this product
 * does not use. `queue` and `job` are copied, because a waiting job is acknowledged work.
 */
export const LEFT_OUT_JOB_TABLES: readonly string[] = [
  'version',
  'schedule',
  'subscription',
  'bam',
  'warning',
  'job_dependency',
  'queue_stats',
].map((name) => `${JOB_SCHEMA}.${name}`);

/** Creates the job queue's tables when they do not exist yet. */
export async function makeJobTables(owner: pg.ClientConfig): Promise<void> {
  const boss = new PgBoss({
    ...(owner as object),
    schema: JOB_SCHEMA,
    max: 1,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await boss.start();
  await boss.stop({ graceful: false });
}
