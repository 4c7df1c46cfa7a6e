import pg from 'pg';
import { superuserOf } from '../../../kernel/resources/database/embedded-postgres.ts';
import {
  readWalStatus,
  type WalStatus,
  writeWalStatus,
} from '../../../kernel/resources/database/wal-status.ts';
import { expireArchives } from '../backup-expiry.server.ts';
import { listErasures } from '../erasure-notes.server.ts';
import {
  type CurrentArchive,
  copyAllObjects,
  copyObject,
  openCurrent,
  readWal,
  removePieces,
  SLOT,
  type WalSource,
  waitingBytes,
} from './archive-continuation.server.ts';
import { copyCluster } from './base-copy.server.ts';
import { addErasures, listBases, putMark, putPiece, SEGMENT_BYTES, segmentOf } from './wal-archive.server.ts';

/** Days between two base copies. */
const BASE_DAYS = 7;
const DAY_MS = 24 * 3600 * 1000;
/** How often the archive says that it is complete while nothing is written. */
const MARK_MS = 10_000;
/** Pause after a failure; it doubles with each up to the longest. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** Pause after a base copy that failed. */
const BASE_RETRY_MS = 300_000;

const NOTHING: WalStatus = {
  ...{ archive: null, usable_from: null, reached_at: null, waiting_bytes: 0, base_at: null, gap: null },
  ...{ error: null, error_since: null, base_error: null, at: new Date(0).toISOString() },
};

/** Copies the WAL of the embedded database to an archive, while it is written. */
export class WalShipping {
  readonly #source: WalSource;
  #client: pg.Client | undefined;
  #current: CurrentArchive | undefined;
  #status: WalStatus;
  #failures = 0;
  #retryAt = 0;
  #baseRetryAt = 0;
  #isFirst = true;

  constructor(source: WalSource) {
    this.#source = source;
    this.#status = readWalStatus(source.dataDir) ?? NOTHING;
    if (source.objects !== undefined) source.newObjects.watch();
  }

  /** Copies what is new; about each second. Failures are in the status, and repeated later. */
  async ship(): Promise<void> {
    if (Date.now() < this.#retryAt) return;
    try {
      const client = await this.#connect();
      if (this.#isFirst) {
        await this.#source.place.removeUnfinished(`wal-${this.#source.keys.voice_org_id}-`);
        this.#isFirst = false;
      }
      this.#current ??= await this.#open(client);
      await shipOnce(client, this.#source, this.#current);
      this.#failures = 0;
      this.#note({ ...stateOf(this.#current), waiting_bytes: 0, error: null, error_since: null });
    } catch (error) {
      await this.#fail(error as Error);
    }
  }

  /** Whether a base copy is due: there is none, or the newest is a week old. */
  needsBase(): boolean {
    if (this.#current === undefined || Date.now() < this.#baseRetryAt) return false;
    const newest = this.#current.bases.at(-1);
    return newest === undefined || Date.now() - Date.parse(newest.usable_from) > BASE_DAYS * DAY_MS;
  }

  /** Makes a base copy and removes what is too old. @throws Error with a sentence, which is in the status too */
  async makeBase(): Promise<void> {
    try {
      await this.#makeBase();
      this.#note({ base_error: null });
    } catch (error) {
      this.#baseRetryAt = Date.now() + BASE_RETRY_MS;
      this.#note({ base_error: (error as Error).message });
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#client?.end();
  }

  async #makeBase(): Promise<void> {
    const into = this.#current;
    if (into === undefined) throw new Error(this.#status.error ?? 'The archive is not open yet.');
    const { owner, dataDir, objects, days, log } = this.#source;
    const made = await copyCluster(into.archive, { owner, dataDir }, async () => {
      if (objects !== undefined) await copyAllObjects(into.archive, objects);
    });
    // An archive that ended in the meantime is not the one that the state speaks of.
    const current = this.#current;
    if (current?.archive.name !== into.archive.name) return;
    current.bases = await listBases(current.archive);
    this.#note(stateOf(current));
    const { gap } = this.#status;
    if (gap !== null && gap.to === null) this.#note({ gap: { ...gap, to: made.usable_from } });
    const removed = await expireArchives(current.archive, { days, now: new Date(), objects });
    current.bases = await listBases(current.archive);
    log.info({ archive: current.archive.name, removed }, 'a base copy of the database was made');
  }

  async #open(client: pg.Client): Promise<CurrentArchive> {
    const { current, replaces } = await openCurrent(client, this.#source);
    const { because } = current.archive.header;
    if (replaces) {
      this.#source.log.error({ because }, 'the archive of the write-ahead log begins anew');
      this.#note({ gap: { from: this.#status.reached_at, to: null, because } });
    }
    return current;
  }

  async #fail(error: Error): Promise<void> {
    this.#current = undefined;
    this.#failures += 1;
    this.#retryAt = Date.now() + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1));
    if (this.#status.error !== error.message)
      this.#source.log.error({ err: error }, 'the write-ahead log is not archived at the moment');
    this.#note({
      error: error.message,
      error_since: this.#status.error_since ?? new Date().toISOString(),
      waiting_bytes: (await waitingBytes(this.#client)) ?? this.#status.waiting_bytes,
    });
  }

  async #connect(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const client = new pg.Client({
      ...superuserOf(this.#source.owner),
      application_name: 'northline wal archive',
      keepAlive: true,
    });
    client.on('error', () => {});
    client.once('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    this.#client = client;
    return client;
  }

  #note(changes: Partial<WalStatus>): void {
    this.#status = { ...this.#status, ...changes, at: new Date().toISOString() };
    writeWalStatus(this.#source.dataDir, this.#status);
  }
}

function stateOf({ archive, bases, reached }: CurrentArchive): Partial<WalStatus> {
  return {
    archive: archive.name,
    usable_from: bases[0]?.usable_from ?? null,
    base_at: bases.at(-1)?.usable_from ?? null,
    reached_at: reached === 0 ? null : new Date(reached).toISOString(),
  };
}

async function shipOnce(client: pg.Client, source: WalSource, current: CurrentArchive): Promise<void> {
  const { archive } = current;
  const { rows } = await client.query<{ at: number; end: number }>(
    `select extract(epoch from clock_timestamp())::float8 * 1000 as at,
            (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::float8 as end`,
  );
  const { at, end } = { at: Math.floor(rows[0]?.at ?? 0), end: rows[0]?.end ?? 0 };
  // A file is stored before the row that names it is committed, so these are all that the WAL up to `end` names.
  for (const id of source.newObjects.waiting()) {
    if (source.objects !== undefined) await copyObject(archive, source.objects, id);
    await source.newObjects.copied(id);
  }
  const isNew = current.shipped < end;
  while (current.shipped < end) await shipSegment(client, source.dataDir, current, { at, end });
  current.reached = at;
  if (Date.now() - current.markedAt > MARK_MS) {
    if (!isNew) await putMark(archive, at, end);
    await putErasures(client, current);
    current.markedAt = Date.now();
  }
}

/** Archives the WAL up to `end`, or to the end of the segment, which then replaces its pieces. */
async function shipSegment(
  client: pg.Client,
  dataDir: string,
  current: CurrentArchive,
  { at, end }: { readonly at: number; readonly end: number },
): Promise<void> {
  const { archive, shipped } = current;
  const segment = segmentOf(shipped);
  const stop = Math.min(segment + SEGMENT_BYTES, end);
  const isWhole = stop === segment + SEGMENT_BYTES;
  const start = isWhole ? segment : shipped;
  const bytes = await readWal(dataDir, archive.header.timeline, start, stop);
  const name = await putPiece(archive, bytes, { start, reached: stop === end ? at : current.reached });
  current.shipped = stop;
  if (!isWhole) {
    current.small.push(name);
    return;
  }
  const replaced = current.small.filter((one) => one !== name);
  current.small = [];
  await removePieces(archive, replaced);
  await client.query("select pg_replication_slot_advance($1, '0/0'::pg_lsn + $2::numeric)", [SLOT, stop]);
}

/** Adds the accounts erased so far, so that a restore to an earlier second erases them again. */
async function putErasures(client: pg.Client, current: CurrentArchive): Promise<void> {
  const erased = await listErasures(async (text) => (await client.query(text)).rows);
  const count = Object.keys(erased).length;
  if (count === current.erasures) return;
  await addErasures(current.archive, erased);
  current.erasures = count;
}
