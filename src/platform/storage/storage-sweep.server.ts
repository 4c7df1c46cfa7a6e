import type { Resources } from '../../resources/resources.ts';

const DELETIONS_SECONDS = 10;
const DEAD_UPLOADS_SECONDS = 15;
const LEFTOVERS_SECONDS = 3600;
const BATCH = 200;

type Needed = Pick<Resources, 'database' | 'objects' | 'log'>;

/**
 * Unlinks the bytes of deleted objects. The row of the queue goes after the bytes, so a crash
 * between the two only repeats the unlinking.
 */
export async function unlinkDeleted({ database, objects }: Needed): Promise<void> {
  for (;;) {
    const batch = await database.many<{ version: string }>(
      'select version from private.object_deletions order by created_at limit $1',
      [BATCH],
    );
    const versions = batch.map(({ version }) => version);
    await objects.removeAll(versions);
    await database.run('delete from private.object_deletions where version = any($1)', [versions]);
    if (batch.length < BATCH) return;
  }
}

/** Ends uploads whose process died; triggers free their quota and give their credits back. */
export async function endDeadUploads({ database }: Needed): Promise<void> {
  await database.run('delete from private.uploads where expires_at <= now()');
  await database.run('delete from private.spent_upload_tickets where expires_at <= now()');
}

/**
 * Removes bytes that nothing points to: parts of dead uploads, and kept bytes without a row. The
 * names are read before the rows are asked, and an upload's lease becomes its row in one
 * transaction, so what is found in neither is nobody's.
 */
export async function removeLeftovers({ database, objects, log }: Needed): Promise<void> {
  const { value } = await database.one<{ value: string }>(
    `insert into private.installation (key, value) values ('object_store', $1)
     on conflict (key) do update set value = installation.value returning value`,
    [objects.id],
  );
  const copiedTo = await database.maybe('select 1 from private.installation where key = $1', [
    `object_store ${objects.id}`,
  ]);
  if (value !== objects.id && copiedTo === undefined) {
    log.warn({}, 'the database belongs to another object store: leftover files are not removed');
    return;
  }
  await inBatches(objects.received(), async (ids) => {
    for (const id of await nobodys(database, ids, 'select id::text from private.uploads')) {
      await objects.discard(id);
    }
  });
  await inBatches(objects.kept(), async (ids) => {
    const owned = 'select id::text from private.uploads union all select version from storage.objects';
    await objects.removeAll(await nobodys(database, ids, owned));
  });
}

/** Those of `ids` that the query `owned` (our own text) does not name. */
async function nobodys(database: Needed['database'], ids: string[], owned: string): Promise<string[]> {
  const rows = await database.many<{ id: string }>(
    `select id from unnest($1::text[]) as id
      where not exists (select 1 from (${owned}) as owned (name) where owned.name = id)`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Starts the periodic work of the storage service. */
export function sweepStorage(resources: Resources): void {
  const { jobs, database, settings } = resources;
  const started = new Date();
  let first = true;
  jobs.every('storage deletions', DELETIONS_SECONDS, () => unlinkDeleted(resources));
  jobs.every('dead uploads', DEAD_UPLOADS_SECONDS, async () => {
    // On an embedded database no other process is at work: what was under way before died with it.
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
  jobs.every('leftover bytes', LEFTOVERS_SECONDS, () => removeLeftovers(resources));
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
