import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { diskSpace } from '../../kernel/http/health.ts';
import { parseKeys } from '../../kernel/resources/crypto/keys.ts';
import { endLeftServer } from '../../kernel/resources/database/embedded-postgres.ts';
import { readWalStatus } from '../../kernel/resources/database/wal-status.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { withBackupOf } from './backup-bucket.server.ts';
import { shownBackup, shownPlace } from './backup-place.server.ts';
import { openBackup } from './backup-proof.server.ts';
import { configuredPassphrase, configuredPlace } from './backup-record.server.ts';
import { removeAll } from './backup-restore.server.ts';
import { checkRestored, type Verification, verifyBackup } from './backup-verification.server.ts';
import { openArchivePlace } from './wal/archive-place.server.ts';
import { momentStore, withMoment } from './wal/moment-restore.server.ts';
import { findMoment } from './wal/moment-search.server.ts';
import { walStaging } from './wal/wal-schedule.server.ts';

const JOB = 'backup.verify';
/** One at a time in all processes, because those of one machine share the scratch folder. */
const GROUP = 'nightly';
const POLICY = { retries: 2, retryDelaySeconds: 600, timeoutSeconds: 6 * 3600, concurrency: 1, perGroup: 1 };
const LOOK_SECONDS = 60;
/** How many records are kept, of successes and failures. */
const RECORDS = 500;
/** Key of `private.installation`: the newest backup whose verification was ordered. */
const ORDERED = 'backup_verification';
/** A restored database has indexes and WAL of its own: this many times its size has to be free. */
const SPACE = 2;
const LEFT_FREE = 1024 ** 3;
/** The latest second that can be restored may be this much older, in milliseconds, than the state of the archive says. */
const BEHIND_MS = 60_000;

/**
 * Restores each new daily backup into a scratch folder and checks it there, and then the latest second of the
 * archive of the write-ahead log; once for all processes of the installation.
 */
export function scheduleVerification(resources: Resources): void {
  const { jobs, settings } = resources;
  jobs.define(JOB, POLICY, async () => {
    if (settings.BACKUP_TO !== '') await verifyNewest(resources);
  });
  jobs.every('verification of the newest backup', LOOK_SECONDS, () => orderVerification(resources));
}

/** Adds the job when there is a good backup for which none was added. */
async function orderVerification({ database, jobs, settings }: Resources): Promise<void> {
  if (settings.BACKUP_TO === '') return;
  await database.transaction(async (queries) => {
    const ours = await queries.run(
      `insert into private.installation (key, value)
       select $1, id::text from private.backups where error is null order by finished_at desc limit 1
       on conflict (key) do update set value = excluded.value where installation.value <> excluded.value`,
      [ORDERED],
    );
    if (ours > 0) await jobs.add(queries, JOB, {}, { key: GROUP, group: GROUP });
  });
}

/** Verifies the newest backup and the latest second, and records both results; a failure is a result too. */
async function verifyNewest(resources: Resources): Promise<void> {
  const { settings } = resources;
  const place = configuredPlace(settings);
  await recorded(resources, 'backup', place, (scratch) => verifyNewestBackup(resources, place, scratch));
  const covers = settings.DATABASE_URL === '' && settings.BACKUP_WAL_DAYS > 0;
  if (covers && typeof readWalStatus(settings.DATA_DIR)?.usable_from === 'string')
    await recorded(resources, 'second', place, (scratch) => verifyLatestSecond(resources, place, scratch));
}

/** What was verified, for people, and the result. */
interface Verified {
  readonly what: string;
  readonly result: Pick<Verification, 'files' | 'faults'>;
}

async function verifyNewestBackup(
  { settings, objects, keys }: Resources,
  place: string,
  scratch: string,
): Promise<Verified> {
  const bucket = settings.STORAGE_URL.startsWith('s3:') ? objects : undefined;
  const verify = async (folder: string): Promise<Verified> => {
    const backup = await openBackup(folder, configuredPassphrase(settings));
    return { what: shownBackup(place, folder), result: await verifyBackup(backup, bucket, scratch) };
  };
  return withBackupOf(place, verify, { installation: keys.voice_org_id, parent: scratch });
}

async function verifyLatestSecond(
  { settings, objects, keys }: Resources,
  place: string,
  scratch: string,
): Promise<Verified> {
  const archives = openArchivePlace(place, walStaging(settings.DATA_DIR));
  const reached = readWalStatus(settings.DATA_DIR)?.reached_at ?? null;
  const moment = await findMoment(archives, configuredPassphrase(settings), {
    wish: undefined,
    // No data folder: the archive alone has to be enough.
    dataDir: path.join(scratch, 'none'),
    installation: keys.voice_org_id,
  });
  const end = moment.at.toISOString();
  if (reached !== null && Date.parse(reached) - moment.at.getTime() > BEHIND_MS)
    throw new Error(`The archive ends at ${end} and should reach ${reached}: a part of it is missing.`);
  const store = settings.STORAGE_URL.startsWith('s3:') ? objects : momentStore(moment);
  const result = await withMoment(moment, { dataDir: scratch, scratch: true }, (database) =>
    checkRestored(database, { keys: parseKeys(moment.base.keys), store, lost: new Set() }),
  );
  return { what: end, result };
}

/** Ends the database servers that a killed verification left, and removes its files. */
async function removeLeft(parent: string): Promise<void> {
  const folders = existsSync(parent) ? readdirSync(parent, { recursive: true, withFileTypes: true }) : [];
  // The folder of a database's files may lie elsewhere; `postgres.location` says where.
  const restored = folders.filter(({ name }) => name === 'postgres' || name === 'postgres.location');
  for (const { parentPath } of restored) {
    await endLeftServer(parentPath);
    removeAll(parentPath);
  }
  rmSync(parent, { recursive: true, force: true });
}

/** Runs a verification in a scratch folder below DATA_DIR and records how it ended. */
async function recorded(
  { database, settings, log }: Resources,
  kind: 'backup' | 'second',
  place: string,
  verify: (scratch: string) => Promise<Verified>,
): Promise<void> {
  const startedAt = new Date();
  const parent = path.join(settings.DATA_DIR, 'verification');
  let outcome: { what: string; files?: number; faults: readonly string[]; error?: string };
  try {
    await requireSpace(database, settings.DATA_DIR);
    await removeLeft(parent);
    mkdirSync(parent, { mode: 0o711 });
    const scratch = mkdtempSync(path.join(parent, 'restored-'));
    // As root the database server runs under another account, which has to enter the folder.
    chmodSync(scratch, 0o711);
    const { what, result } = await verify(scratch);
    outcome = { what, files: result.files, faults: result.faults };
  } catch (error) {
    outcome = { what: shownPlace(place), faults: [], error: (error as Error).message };
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
  const { what, files, faults, error } = outcome;
  if (error !== undefined || faults.length > 0)
    log.error({ kind, what, faults, error }, 'a backup could not be verified or has faults');
  await database.run(
    `insert into private.backup_verifications (started_at, kind, verified, file_count, faults, error)
     values ($1, $2, $3, $4, $5, $6)`,
    [startedAt, kind, what, files, [...faults], error],
  );
  await database.run(
    `delete from private.backup_verifications where id in
       (select id from private.backup_verifications order by finished_at desc offset $1)`,
    [RECORDS],
  );
}

async function requireSpace({ one }: Pick<Resources['database'], 'one'>, folder: string): Promise<void> {
  const { bytes } = await one('select pg_database_size(current_database())::float8 as bytes /* not null */');
  const wanted = bytes * SPACE + LEFT_FREE;
  const space = await diskSpace(folder);
  if (space === undefined || space.free > wanted) return;
  const mb = Math.ceil(wanted / 1024 / 1024);
  throw new Error(`A backup is verified in DATA_DIR, which needs ${mb} MB of free disk: make space.`);
}
