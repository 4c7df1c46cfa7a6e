import { open } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { PRODUCT_VERSION } from '../../../kernel/config/product-version.ts';
import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { embeddedCluster } from '../../../kernel/resources/database/embedded-postgres.ts';
import type { Log } from '../../../kernel/resources/log/log.ts';
import type { NewObjects } from '../../../kernel/resources/object-store/new-objects.ts';
import type { ObjectStore } from '../../../kernel/resources/object-store/object-store.ts';
import { BackupRefused } from '../backup-archive.server.ts';
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

/** The archive that is written now. */
export interface CurrentArchive {
  readonly archive: WalArchive;
  /** Position until which WAL is archived. */
  shipped: number;
  /** Epoch ms; see `WalPiece.reached`. */
  reached: number;
  markedAt: number;
  /** Names of pieces that the whole segment will replace. */
  small: string[];
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

async function readCluster(client: pg.Client): Promise<Cluster> {
  const { rows } = await client.query<Cluster>(
    `select s.system_identifier::text as cluster, c.timeline_id as timeline,
            current_setting('server_version_num')::int / 10000 as postgres, current_setting('wal_level') as wal_level,
            r.wal_status as kept, (r.restart_lsn - '0/0'::pg_lsn)::float8 as restart,
            (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::float8 as flushed
       from pg_control_system() s cross join pg_control_checkpoint() c
       left join pg_replication_slots r on r.slot_name = $1`,
    [SLOT],
  );
  if (rows[0] === undefined) throw new Error('The database does not describe itself.');
  return rows[0];
}

/**
 * Goes on with the newest archive, or begins another one where WAL would be missing between the two.
 * `replaces`: there was another one before.
 */
export async function openCurrent(
  client: pg.Client,
  source: WalSource,
): Promise<{ current: CurrentArchive; replaces: boolean }> {
  const { place, keys, passphrase } = source;
  const cluster = await readCluster(client);
  if (cluster.wal_level === 'minimal')
    throw new Error(
      'An older release started the database, which archives nothing until it is started again: stop Northline and start it.',
    );
  const newest = (await listArchives(place, keys.voice_org_id)).at(-1);
  const continued =
    newest === undefined ? 'This is the first archive.' : await continueArchive(newest, source, cluster);
  if (typeof continued !== 'string') return { current: continued, replaces: false };
  await stopKeepingWal(client);
  const { rows } = await client.query<{ restart: number }>(
    `select (lsn - '0/0'::pg_lsn)::float8 as restart from pg_create_physical_replication_slot($1, true)`,
    [SLOT],
  );
  const start = segmentOf(rows[0]?.restart ?? 0);
  const archive = await beginArchive(
    place,
    {
      made_by: PRODUCT_VERSION,
      installation: keys.voice_org_id,
      because: continued,
      ...{ cluster: cluster.cluster, postgres: cluster.postgres, timeline: cluster.timeline, start },
    },
    { passphrase, masterSecret: keys.master_secret },
  );
  const current = { archive, shipped: start, reached: 0, markedAt: 0, small: [], bases: [], erasures: 0 };
  return { current, replaces: newest !== undefined };
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
  const pieces = await listPieces(archive);
  const chain = chainOf(pieces, pieces[0]?.start ?? archive.header.start);
  const shipped = chain.at(-1)?.end ?? archive.header.start;
  if (segmentOf(cluster.restart ?? 0) > shipped || pieces.some(({ end }) => end > shipped))
    return 'A part of the archive is missing.';
  if (shipped > cluster.flushed || !(await hasSameWal(source.dataDir, archive, chain.at(-1))))
    return 'The database was put back to an earlier state.';
  const covered = pieces.filter((piece) => !chain.includes(piece)).map(({ name }) => name);
  await removePieces(archive, covered);
  const bases = await listBases(archive);
  if (objects !== undefined && bases.length > 0) await copyAllObjects(archive, objects);
  return {
    archive,
    shipped,
    reached: await reachedBy(archive, chain),
    markedAt: 0,
    small: chain.filter(({ start }) => start >= segmentOf(shipped)).map(({ name }) => name),
    bases,
    erasures: 0,
  };
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

/** Removes pieces by their names. */
export async function removePieces({ place, name }: WalArchive, pieces: readonly string[]): Promise<void> {
  if (pieces.length > 0) await place.remove(pieces.map((piece) => `${name}/${piece}`));
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
