import { COURSE_VIDEOS_BUCKET, UPLOADS_BUCKET } from '../../kernel/contract/limits.ts';
import { DEFAULT_STORAGE_MB } from '../../kernel/contract/plans.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

const SWEEP_SECONDS = 15;

/** What the files feature does for the storage service. */
export interface CreditKeeper {
  /** Releases the credit for an upload that was refused before it began. */
  uploadRefused(bucketId: string, userId: string): Promise<void>;
}

/**
 * Keeps credits and files consistent: starts the sweep that completes what a crash or a closed page left
 * unfinished, and writes the catalogue's storage allowances to the database. The rules are in SQL: an upload
 * takes a credit in `use_credits` (`migrations/baseline/08-credits.sql`), and triggers of
 * `migrations/baseline/09-files.sql` return it.
 */
export async function createCreditReservation(resources: Resources): Promise<CreditKeeper> {
  const { database, jobs, log } = resources;
  await writeAllowances(resources);
  jobs.every('open credits', SWEEP_SECONDS, () => settleOpenCredits(database, log));
  return {
    async uploadRefused(bucketId, userId) {
      if (bucketId !== UPLOADS_BUCKET && bucketId !== COURSE_VIDEOS_BUCKET) return;
      await database
        .run('select private.return_reserved_credit($1)', [userId])
        .catch((error) => log.warn({ err: error, user: userId }, 'a credit is left to the sweep'));
    },
  };
}

/** Runs one sweep; the log says what it settled. */
export async function settleOpenCredits(queries: Queries, log: Pick<Log, 'info'>): Promise<void> {
  const swept = await queries.one(
    'select returned /* not null */, adopted /* not null */ from private.sweep_credits()',
  );
  if (swept.returned + swept.adopted > 0) log.info(swept, 'open credits were settled');
}

/**
 * Writes the storage and the course uploads of every plan that a subscription may use; called again when the
 * agency has published other plans.
 */
export async function writeAllowances({
  database,
  site,
}: Pick<Resources, 'database' | 'site'>): Promise<void> {
  const allowances = [
    { price_id: '', megabytes: DEFAULT_STORAGE_MB, course_uploads: null },
    ...site.plans.known.map(({ priceId, line, limits }) => ({
      price_id: priceId,
      megabytes: limits.storageMb,
      course_uploads: line === 'courses' ? limits.creditsPerMonth : null,
    })),
  ];
  await database.transaction(async (queries) => {
    await queries.run(uncheckedSql('lock table private.plan_allowances in exclusive mode', 'command'));
    await queries.run('delete from private.plan_allowances');
    await queries.run(
      `insert into private.plan_allowances (price_id, megabytes, course_uploads)
       select price_id, megabytes, course_uploads
         from jsonb_to_recordset($1) as plan (price_id text, megabytes integer, course_uploads integer)`,
      [JSON.stringify(allowances)],
    );
  });
}
