import { existsSync, mkdirSync } from 'node:fs';
import { appendFile, chown, copyFile, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { diskSpace } from '../../../kernel/http/health.ts';
import { writeFileDurably } from '../../../kernel/resources/crypto/durable-write.ts';
import { parseKeys } from '../../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import { createDatabase, type Database } from '../../../kernel/resources/database/database.ts';
import {
  type EmbeddedPostgres,
  embeddedCluster,
  prepareClusterFolder,
  startEmbeddedPostgres,
} from '../../../kernel/resources/database/embedded-postgres.ts';
import { serverAccount } from '../../../kernel/resources/database/postgres-binaries.ts';
import { createLog } from '../../../kernel/resources/log/log.ts';
import { openDiskObjectStore } from '../../../kernel/resources/object-store/disk-object-store.ts';
import { defaultObjectFolder } from '../../../kernel/resources/object-store/object-store-open.ts';
import type { ReadableStore } from '../../../platform/storage/store-copy.server.ts';
import { BackupRefused } from '../backup-format.server.ts';
import { type RestorePlace, removeAll, requireEmpty, restoreFiles } from '../backup-restore.server.ts';
import { endRestoredKeys, eraseAgain } from '../erasure-notes.server.ts';
import type { Moment } from './moment-search.server.ts';
import { unpackTar } from './tar-reader.server.ts';
import {
  getFile,
  objectName,
  readPiece,
  SEGMENT_BYTES,
  segmentFile,
  segmentOf,
  through,
} from './wal-archive.server.ts';

/** Longest recovery, milliseconds: a week of WAL takes minutes. */
const RECOVERY_MS = 6 * 3600 * 1000;
/** PostgreSQL says so when nothing was committed after the wanted moment. */
const NOTHING_LATER = 'recovery ended before configured recovery target was reached';
const FIRST_LINE = '# Northline: recovery';

/** The result of restoring a moment. */
export interface RestoredMoment {
  readonly files: number;
  /** Sentences about missing files. */
  readonly faults: readonly string[];
}

/**
 * Restores a moment into an empty data folder, with the embedded database. keys.json comes last, so that a
 * killed restore cannot be started as an installation.
 *
 * @throws BackupRefused with a sentence; nothing is left in the data folder in that case
 */
export async function restoreMoment(moment: Moment, place: RestorePlace): Promise<RestoredMoment> {
  if (place.DATABASE_URL !== '')
    throw new BackupRefused(
      'With DATABASE_URL a moment is restored with the tool of your database: see docs/operators-guide.md, Restore any second.',
    );
  const dataDir = place.DATA_DIR;
  requireEmpty(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  try {
    return await withMoment(moment, { dataDir, scratch: false }, async (database) => {
      await eraseAgain(database, moment.erased, moment.at);
      await endRestoredKeys(database);
      // The workers of these jobs are not in this installation.
      await database.run(
        "update private.job set state = 'retry', start_after = now() where state = 'active'",
      );
      const isHere = !place.STORAGE_URL.startsWith('s3:');
      const faults = await restoreFiles(database, isHere ? momentStore(moment) : undefined, place);
      const { files } = await database.one(
        'select count(*)::integer as files /* not null */ from storage.objects',
      );
      writeFileDurably(path.join(dataDir, 'keys.json'), moment.base.keys);
      return { files, faults: faults.map(({ object, what }) => `${object}: ${what}.`) };
    });
  } catch (error) {
    removeAll(dataDir);
    throw error;
  }
}

/**
 * Restores a moment's database into a folder and runs `work` on it.
 *
 * @param scratch true when the folder is removed afterwards, so that nothing has to wait for the disk
 */
export async function withMoment<T>(
  moment: Moment,
  { dataDir, scratch }: { readonly dataDir: string; readonly scratch: boolean },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const server = await recover(moment, dataDir, scratch);
  const database = createDatabase({
    owner: server.owner,
    api: server.owner,
    poolSize: 2,
    log: createLog('error'),
  });
  try {
    return await work(database);
  } finally {
    await database.close();
    await server.stop();
  }
}

/** The files of the archive, and those of a surviving disk that it does not have yet. */
export function momentStore({ archive, tail }: Moment): ReadableStore {
  return {
    async read(id) {
      const stored = await getFile(archive, objectName(id));
      if (stored !== undefined) return Readable.from(stored, { objectMode: false });
      const folder = tail === undefined ? undefined : defaultObjectFolder({ DATA_DIR: tail });
      return folder !== undefined && existsSync(folder) ? openDiskObjectStore(folder).read(id) : undefined;
    },
  };
}

async function recover(moment: Moment, dataDir: string, scratch: boolean): Promise<EmbeddedPostgres> {
  const folder = prepareClusterFolder(dataDir);
  await requireSpace(moment, path.dirname(folder));
  const account = serverAccount();
  const tar = await getFile(moment.archive, `${moment.base.name}.tar.gz`);
  if (tar === undefined) throw new BackupRefused(`The copy ${moment.base.name} of the database is missing.`);
  await unpackTar(through(tar, createGunzip()), folder, { account, durable: !scratch });
  const wal = path.join(folder, 'pg_wal');
  await writeWal(moment, wal);
  if (moment.tail !== undefined) await copyTail(moment, embeddedCluster(moment.tail).folder, wal);
  const settings = path.join(folder, 'postgresql.auto.conf');
  const own = (await readFile(settings, 'utf8')).split(FIRST_LINE)[0] ?? '';
  await writeFile(path.join(folder, 'recovery.signal'), '');
  await appendFile(settings, recoverySettings(moment.isWhole ? undefined : moment.at));
  if (account !== undefined) {
    for (const name of await readdir(wal)) await chown(path.join(wal, name), account.uid, account.gid);
    await chown(path.join(folder, 'recovery.signal'), account.uid, account.gid);
  }
  const { master_secret: secret } = parseKeys(moment.base.keys);
  const password = derivedSecret({ master_secret: secret }, 'postgres').toString('base64url');
  const start = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres(dataDir, password, { recoveryMs: RECOVERY_MS, scratch });
  const server = await start().catch(async (error: Error) => {
    if (!error.message.includes(NOTHING_LATER)) throw error;
    await writeFile(settings, own + recoverySettings(undefined));
    return start();
  });
  await writeFile(settings, own);
  return server;
}

/** Recovery from the files in `pg_wal` alone, to `at` or as far as they go. */
function recoverySettings(at: Date | undefined): string {
  const target =
    at === undefined
      ? []
      : [`recovery_target_time = '${at.toISOString().replace('T', ' ').replace('Z', '+00')}'`];
  const lines = [
    FIRST_LINE,
    "restore_command = 'false'",
    ...["recovery_target_timeline = 'current'", "recovery_target_action = 'promote'", 'hot_standby = off'],
    ...target,
  ];
  return `${lines.join('\n')}\n`;
}

async function requireSpace({ base, pieces }: Moment, folder: string): Promise<void> {
  const wal = (pieces.at(-1)?.end ?? base.start) - segmentOf(base.start) + SEGMENT_BYTES;
  const wanted = base.bytes + wal;
  const space = await diskSpace(folder);
  if (space === undefined || space.free > wanted) return;
  const mb = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);
  throw new BackupRefused(
    `This restore needs up to ${mb(wanted)} MB of disk, and ${mb(space.free)} MB are free.`,
  );
}

/** Writes the pieces as the segment files that PostgreSQL reads; the end of the last one stays empty. */
async function writeWal({ archive, pieces }: Moment, folder: string): Promise<void> {
  for (const piece of pieces) {
    const bytes = await readPiece(archive, piece);
    const file = path.join(folder, segmentFile(archive.header.timeline, piece.start));
    const handle = await open(file, existsSync(file) ? 'r+' : 'w', 0o600);
    try {
      await handle.write(bytes, 0, bytes.length, piece.start % SEGMENT_BYTES);
      await handle.truncate(SEGMENT_BYTES);
    } finally {
      await handle.close();
    }
  }
}

/** Copies the segments of a surviving disk from the one on in which the archive ends. */
async function copyTail({ archive, base, pieces }: Moment, cluster: string, folder: string): Promise<void> {
  const { timeline } = archive.header;
  for (let at = segmentOf(pieces.at(-1)?.end ?? base.start); ; at += SEGMENT_BYTES) {
    const name = segmentFile(timeline, at);
    const file = path.join(cluster, 'pg_wal', name);
    if (!existsSync(file)) return;
    await rm(path.join(folder, name), { force: true });
    await copyFile(file, path.join(folder, name));
  }
}
