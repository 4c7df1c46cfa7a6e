import { BACKUP_UNDER_WAY } from '../../kernel/resources/database/backup-lock.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

const DELETIONS_SECONDS = 10;
const DEAD_UPLOADS_SECONDS = 15;
const LEFTOVERS_SECONDS = 3600;
const BATCH = 200;

type SweepParts = Pick<Resources, 'database' | 'objects' | 'log'>;

/**
 * Deletes the bytes of deleted objects, unless a backup is under way that may name them. The queue's row is
 * deleted after the bytes, so a crash between the two only repeats the deletion.
 */
export async function unlinkDeleted({ database, objects }: SweepParts): Promise<void> {
  for (;;) {
    const batch = await database.many(
      `select version from private.object_deletions where not ${BACKUP_UNDER_WAY} order by created_at limit $1`,
      [BATCH],
    );
    const versions = batch.map(({ version }) => version);
    await objects.removeAll(versions);
    await database.run('delete from private.object_deletions where version = any($1)', [versions]);
    if (batch.length < BATCH) return;
  }
}

/** Ends uploads whose process died; triggers release their quota and their credits. */
export async function endDeadUploads({ database }: SweepParts): Promise<void> {
  await database.run('delete from private.uploads where expires_at <= now()');
  await database.run('delete from private.spent_upload_tickets where expires_at <= now()');
}

/**
 * Whether the store belongs to this database. The first store is recorded. Another one is accepted when the
 * files were copied to it (`storage copy`), or when no files exist yet.
 */
async function isOwnStore({ database, objects }: SweepParts): Promise<boolean> {
  const { value } = await database.one(
    `insert into private.installation (key, value) values ('object_store', $1)
     on conflict (key) do update set value = case
       when exists (select from storage.objects where version is not null) then installation.value
       else excluded.value end returning value`,
    [objects.id],
  );
  if (value === objects.id) return true;
  const copied = await database.maybe('select 1 from private.installation where key = $1', [
    `object_store ${objects.id}`,
  ]);
  return copied !== undefined;
}

/** @throws Error with one sentence for the operator when the store does not belong to this database */
export async function requireOwnStore(parts: SweepParts): Promise<void> {
  if (await isOwnStore(parts)) return;
  throw new Error(
    "The store of files is not the one that holds this database's files: set STORAGE_URL (or DATA_DIR) back, or copy the files to it first with npm run northline -- storage copy FROM TO.",
  );
}

/**
 * Deletes bytes to which nothing refers: parts of dead uploads, and stored bytes without a row. The names are
 * read before the rows. An upload's lease becomes its row in one transaction, so bytes with neither are
 * unreferenced.
 */
export async function removeLeftovers(parts: SweepParts): Promise<void> {
  const { database, objects, log } = parts;
  if (!(await isOwnStore(parts))) {
    log.warn({}, 'the database belongs to another object store: leftover files are not removed');
    return;
  }
  await inBatches(objects.received(), async (ids) => {
    for (const id of await unreferenced(database, ids, 'select id::text from private.uploads')) {
      await objects.discard(id);
    }
  });
  await inBatches(objects.kept(), async (ids) => {
    const owned = 'select id::text from private.uploads union all select version from storage.objects';
    await objects.removeAll(await unreferenced(database, ids, owned));
  });
}

/** Those of `ids` that the query `owned` (our own text) does not return. */
async function unreferenced(
  database: SweepParts['database'],
  ids: string[],
  owned: string,
): Promise<string[]> {
  const rows = await database.many(
    uncheckedSql<{ id: string }>(
      `select id from unnest($1::text[]) as id
        where not exists (select 1 from (${owned}) as owned (name) where owned.name = id) and not ${BACKUP_UNDER_WAY}`,
      'composed',
    ),
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Starts the periodic work of the storage service. */
export function sweepStorage(resources: Resources): void {
  const { jobs, database, settings } = resources;
  const started = new Date();
  let first = true;
  jobs.every('bytes of deleted objects', DELETIONS_SECONDS, () => unlinkDeleted(resources));
  jobs.every('dead uploads', DEAD_UPLOADS_SECONDS, async () => {
    // On an embedded database no other process works, so what was under way before this start died with its
    // process.
    if (first && settings.DATABASE_URL === '') {
      await database.run(
        `delete from private.uploads where created_at < $1
            and id not in (select id from private.resumable_uploads)`,
        [started],
      );
    }
    first = false;
    await endDeadUploads(resources);
  });
  jobs.everyByOne('leftover bytes', LEFTOVERS_SECONDS, () => removeLeftovers(resources));
}

async function inBatches(ids: AsyncIterable<string>, work: (ids: string[]) => Promise<void>): Promise<void> {
  let batch: string[] = [];
  for await (const id of ids) {
    batch.push(id);
    if (batch.length < BATCH) continue;
    await work(batch);
    batch = [];
  }
  if (batch.length > 0) await work(batch);
}
