import { open } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { PRODUCT_VERSION } from '../../../kernel/config/product-version.ts';
import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { embeddedCluster } from '../../../kernel/resources/database/embedded-postgres.ts';
import type { Log } from '../../../kernel/resources/log/log.ts';
import type { NewObjects } from '../../../kernel/resources/object-store/new-objects.ts';
import type { ObjectStore } from '../../../kernel/resources/object-store/object-store.ts';
import { BackupRefused } from '../backup-format.server.ts';
import type { ArchivePlace } from './archive-place.server.ts';
import {
  type ArchiveHeader,
  type BaseCopy,
  beginArchive,
  chainOf,
  listArchives,
  listBases,
  listPieces,
  objectName,
  openArchive,
  putFile,
  reachedBy,
  readPiece,
  SEGMENT_BYTES,
  segmentFile,
  segmentOf,
  type WalArchive,
  type WalPiece,
} from './wal-archive.server.ts';

/** The replication slot that keeps WAL on the disk until it is archived. */
export const SLOT = 'northline_wal';

/** What is archived, and where. */
export interface WalSource {
  readonly owner: pg.ClientConfig;
  readonly dataDir: string;
  readonly keys: Keys;
  /** Undefined when the files stay in their bucket. */
  readonly objects: Pick<ObjectStore, 'read' | 'kept'> | undefined;
  readonly newObjects: NewObjects;
  readonly place: ArchivePlace;
  /** '' for none. */
  readonly passphrase: string;
  /** How many days back a restore reaches. */
  readonly days: number;
  readonly log: Log;
}

/** What this process has not done yet in an archive that it opened. */
const NOTHING_DONE = { markedAt: Number.NEGATIVE_INFINITY, tiny: 0, erasures: 0 };

/** The archive that is written now. */
export interface CurrentArchive {
  readonly archive: WalArchive;
  /** Position until which WAL is archived. */
  shipped: number;
  /** Epoch ms; see `WalPiece.reached`. */
  reached: number;
  /** When the archive was last said to be complete, in milliseconds of `performance.now`. */
  markedAt: number;
  /** Pieces that the whole segment will replace. */
  small: Pick<WalPiece, 'name' | 'start'>[];
  /** How many of them, at the end, were not put together yet. */
  tiny: number;
  bases: readonly BaseCopy[];
  /** Number of erased accounts that the archive knows. */
  erasures: number;
}

/** Stops keeping WAL for an archive that is no longer wanted, which would fill the disk. */
export async function stopKeepingWal(client: Pick<pg.Client, 'query'>): Promise<void> {
  await client.query(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
    [SLOT],
  );
}

/** Bytes of WAL that PostgreSQL keeps for the archive; undefined when it does not answer. */
export async function waitingBytes(client: pg.Client | undefined): Promise<number | undefined> {
  const answer = await client
    ?.query<{ bytes: number }>(
      `select (pg_current_wal_flush_lsn() - restart_lsn)::float8 as bytes from pg_replication_slots where slot_name = $1`,
      [SLOT],
    )
    .catch(() => undefined);
  return answer?.rows[0]?.bytes;
}

interface Cluster {
  readonly cluster: string;
  readonly timeline: number;
  readonly postgres: number;
  readonly wal_level: string;
  /** `lost` when PostgreSQL has removed WAL that the slot should have kept; null without a slot. */
  readonly kept: string | null;
  readonly restart: number | null;
  readonly flushed: number;
}

/** The timeline is that of the WAL which is written: after a restore, `pg_control` names the former one for a time. */
async function readCluster(client: pg.Client): Promise<Cluster> {
  const { rows } = await client.query<Cluster>(
    `select s.system_identifier::text as cluster,
            ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline,
            current_setting('server_version_num')::int / 10000 as postgres, current_setting('wal_level') as wal_level,
            r.wal_status as kept, (r.restart_lsn - '0/0'::pg_lsn)::float8 as restart,
            (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::float8 as flushed
       from pg_control_system() s
       left join pg_replication_slots r on r.slot_name = $1`,
    [SLOT],
  );
  if (rows[0] === undefined) throw new Error('The database does not describe itself.');
  return rows[0];
}

/** Goes on with the newest archive, or begins another one where WAL would be missing between the two. */
export async function openCurrent(client: pg.Client, source: WalSource): Promise<CurrentArchive> {
  const { place, keys, passphrase } = source;
  const cluster = await readCluster(client);
  if (cluster.wal_level === 'minimal')
    throw new Error(
      'An older release started the database, which archives nothing until it is started again: stop Northline and start it.',
    );
  const newest = (await listArchives(place, keys.voice_org_id)).at(-1);
  const continued =
    newest === undefined
      ? 'There was no archive in this place.'
      : await continueArchive(newest, source, cluster).catch((error) => {
          // Nothing can follow a file that cannot be read; a place that is away is another error.
          if (error instanceof BackupRefused) return error.message;
          throw error;
        });
  if (typeof continued !== 'string') return continued;
  await stopKeepingWal(client);
  const { rows } = await client.query<{ restart: number }>(
    `select (lsn - '0/0'::pg_lsn)::float8 as restart from pg_create_physical_replication_slot($1, true)`,
    [SLOT],
  );
  const start = segmentOf(rows[0]?.restart ?? 0);
  const archive = await beginArchive(
    place,
    {
      after: newest === undefined ? 0 : Date.parse(newest.header.made_at),
      made_by: PRODUCT_VERSION,
      installation: keys.voice_org_id,
      because: continued,
      ...{ cluster: cluster.cluster, postgres: cluster.postgres, timeline: cluster.timeline, start },
    },
    { passphrase, masterSecret: keys.master_secret },
  );
  return { ...NOTHING_DONE, archive, shipped: start, reached: 0, small: [], bases: [] };
}

/** @returns a sentence when the archive cannot be continued */
async function continueArchive(
  newest: Parameters<typeof openArchive>[1],
  source: WalSource,
  cluster: Cluster,
): Promise<CurrentArchive | string> {
  const { place, passphrase, objects } = source;
  const reason = reasonToEnd(newest.header, cluster, passphrase);
  if (reason !== undefined) return reason;
  const archive = await openArchive(place, newest, passphrase).catch((error) => {
    if (error instanceof BackupRefused) return undefined;
    throw error;
  });
  if (archive === undefined) return 'The passphrase was changed.';
  // The copies after the pieces: what expires in between is then missing in both.
  const pieces = await listPieces(archive);
  const bases = await listBases(archive);
  const chain = neededChain(pieces, bases, archive);
  const shipped = chain.at(-1)?.end ?? archive.header.start;
  if (segmentOf(cluster.restart ?? 0) > shipped || pieces.some(({ end }) => end > shipped))
    return 'A part of the archive is missing.';
  if (shipped > cluster.flushed || !(await hasSameWal(source.dataDir, archive, chain.at(-1))))
    return 'The database was put back to an earlier state.';
  const needed = new Set(chain);
  await removePieces(
    archive,
    pieces.filter((piece) => !needed.has(piece)),
  );
  if (objects !== undefined && bases.length > 0) await copyAllObjects(archive, objects);
  return {
    ...NOTHING_DONE,
    ...{ archive, shipped, bases },
    reached: await reachedBy(archive, chain),
    small: chain.filter(({ start }) => start >= segmentOf(shipped)),
  };
}

/** The WAL that restores need, from the oldest copy on, and in any case up to its end. */
function neededChain(
  pieces: readonly WalPiece[],
  bases: readonly BaseCopy[],
  { header }: WalArchive,
): WalPiece[] {
  const oldest = segmentOf(bases[0]?.start ?? header.start);
  const last = pieces.reduce<WalPiece | undefined>(
    (best, one) => (best !== undefined && best.end >= one.end ? best : one),
    undefined,
  );
  return chainOf(pieces, Math.min(oldest, last?.start ?? oldest));
}

/** Why the log of this cluster cannot follow that of an archive; undefined when it may. */
function reasonToEnd(header: ArchiveHeader, cluster: Cluster, passphrase: string): string | undefined {
  const isSame =
    header.cluster === cluster.cluster &&
    header.timeline === cluster.timeline &&
    header.postgres === cluster.postgres;
  if (!isSame) return 'The database was restored or upgraded.';
  if ((header.encryption === null) !== (passphrase === '')) return 'The passphrase was changed.';
  if (cluster.kept === null) return 'No WAL was kept for it: it was turned off for a time.';
  return cluster.kept === 'lost'
    ? 'The database no longer has WAL that was not archived: the place of backups was away for too long.'
    : undefined;
}

/** Bytes before the server's flushed position never change, so its files can be read while it writes. */
export async function readWal(
  dataDir: string,
  timeline: number,
  start: number,
  end: number,
): Promise<Buffer> {
  const file = path.join(embeddedCluster(dataDir).folder, 'pg_wal', segmentFile(timeline, start));
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(end - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start % SEGMENT_BYTES);
    if (bytesRead < bytes.length) throw new Error(`${file} is shorter than it should be`);
    return bytes;
  } finally {
    await handle.close();
  }
}

/**
 * Whether the database still has the bytes that were archived last. A data folder that was put back (an upgrade
 * that failed, a snapshot of the machine) writes other WAL at the same positions.
 */
async function hasSameWal(
  dataDir: string,
  archive: WalArchive,
  last: WalPiece | undefined,
): Promise<boolean> {
  if (last === undefined) return true;
  try {
    const local = await readWal(dataDir, archive.header.timeline, last.start, last.end);
    return local.equals(await readPiece(archive, last));
  } catch (error) {
    // PostgreSQL has removed the segment, because all of it is archived.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

/** Removes pieces that no restore needs. */
export async function removePieces(
  { place, name }: WalArchive,
  pieces: readonly Pick<WalPiece, 'name'>[],
): Promise<void> {
  if (pieces.length > 0) await place.remove(pieces.map((piece) => `${name}/${piece.name}`));
}

/** Copies the bytes of an object; does nothing when they were deleted. */
export async function copyObject(
  archive: WalArchive,
  objects: Pick<ObjectStore, 'read'>,
  id: string,
): Promise<void> {
  const source = await objects.read(id);
  // Deleted in the meantime, or never referred to.
  if (source === undefined) return;
  try {
    await putFile(archive, objectName(id), source as AsyncIterable<Buffer>);
  } finally {
    // A place that is away does not read it to its end.
    source.destroy();
  }
}

/** Copies the bytes of every object that the archive does not have; they never change. */
export async function copyAllObjects(
  archive: WalArchive,
  objects: Pick<ObjectStore, 'read' | 'kept'>,
): Promise<void> {
  const there = new Set(await archive.place.list(`${archive.name}/objects/`));
  for await (const id of objects.kept()) {
    if (!there.has(`${archive.name}/${objectName(id)}`)) await copyObject(archive, objects, id);
  }
}
