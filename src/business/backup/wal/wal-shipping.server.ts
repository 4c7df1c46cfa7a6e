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
/** Pause after a base copy, or a removal of what is too old, that failed. */
const CARE_RETRY_MS = 300_000;
/** A clock is put back when it shows this many milliseconds less. */
const CLOCK_MS = 60_000;
/** As many small pieces are put together to one, which a restore from a bucket reads faster. */
const TOGETHER = 60;
/** A deletion waits this long, in milliseconds, for the copy of a file to a place that is away; with a try, less than an hour. */
const DELETION_MS = 3300 * 1000;

const NOTHING: WalStatus = {
  ...{ archive: null, usable_from: null, reached_at: null, waiting_bytes: 0, base_at: null, gap: null },
  ...{ error: null, error_since: null, base_error: null, is_complete: false, at: new Date(0).toISOString() },
};

/** Copies the WAL of the embedded database to an archive, while it is written. */
export class WalShipping {
  readonly #source: WalSource;
  #client: pg.Client | undefined;
  #current: CurrentArchive | undefined;
  #status: WalStatus;
  #failures = 0;
  /** Moments of the clock that is never put back, milliseconds; so a wrong clock stops nothing. */
  #retryAt = 0;
  #baseRetryAt = 0;
  #tidyAt = 0;
  #isFirst = true;

  constructor(source: WalSource) {
    this.#source = source;
    this.#status = readWalStatus(source.dataDir) ?? NOTHING;
    if (source.objects !== undefined) source.newObjects.watch();
  }

  /** Copies what is new; about each second. Failures are in the status, and repeated later. */
  async ship(): Promise<void> {
    if (performance.now() < this.#retryAt) return;
    try {
      const client = await this.#connect();
      if (this.#isFirst) {
        await this.#source.place.removeUnfinished(`wal-${this.#source.keys.voice_org_id}-`);
        this.#isFirst = false;
      }
      this.#current ??= await this.#open(client);
      const current = this.#current;
      await shipOnce(client, this.#source, current);
      this.#failures = 0;
      this.#noteState(current, { waiting_bytes: 0, error: null, error_since: null, is_complete: false });
    } catch (error) {
      await this.#fail(error as Error);
    }
  }

  /** Archives what was committed last, when nothing is acknowledged any more, and says so. */
  async finish(): Promise<void> {
    // A place that is away at the moment would only delay the stop.
    if (this.#status.error === null) await this.ship();
    if (this.#status.error === null) this.#note({ is_complete: true });
    await this.close();
  }

  /** Makes a base copy when one is due, and otherwise removes once a day what is too old. @throws Error with a sentence */
  async care(): Promise<void> {
    const now = performance.now();
    if (this.#current === undefined) return;
    if (this.needsBase() && now >= this.#baseRetryAt) await this.makeBase();
    else if (now >= this.#tidyAt) await this.#tidy(this.#current);
  }

  /** Whether a base copy is due: there is none, the newest is a week old, or the clock was put back behind it. */
  needsBase(): boolean {
    if (this.#current === undefined) return false;
    const newest = this.#current.bases.at(-1);
    const age = newest === undefined ? undefined : Date.now() - Date.parse(newest.usable_from);
    return age === undefined || age > BASE_DAYS * DAY_MS || age < -CLOCK_MS;
  }

  /** Makes a base copy and removes what is too old. @throws Error with a sentence, which is in the status too */
  async makeBase(): Promise<void> {
    try {
      await this.#makeBase();
      this.#note({ base_error: null });
    } catch (error) {
      this.#baseRetryAt = performance.now() + CARE_RETRY_MS;
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
    const { owner, dataDir, objects, log } = this.#source;
    await copyCluster(into.archive, { owner, dataDir }, async () => {
      if (objects !== undefined) await copyAllObjects(into.archive, objects);
    });
    // An archive that ended in the meantime is not the one that the state speaks of.
    const current = this.#current;
    if (current?.archive.name !== into.archive.name) return;
    current.bases = await listBases(current.archive);
    this.#noteState(current);
    log.info({ archive: current.archive.name }, 'a base copy of the database was made');
    await this.#tidy(current);
  }

  async #tidy({ archive }: CurrentArchive): Promise<void> {
    const { days, objects, log } = this.#source;
    this.#tidyAt = performance.now() + CARE_RETRY_MS;
    const removed = await expireArchives(archive, { days, now: new Date(), objects });
    this.#tidyAt = performance.now() + DAY_MS;
    // The next round opens the archive again, and so notices what is missing in it.
    this.#current = undefined;
    log.info({ archive: archive.name, removed }, 'what no restore needs was removed from the archive');
  }

  async #open(client: pg.Client): Promise<CurrentArchive> {
    const { archive: before, usable_from: usable, reached_at: reached, gap } = this.#status;
    const current = await openCurrent(client, this.#source);
    const { name, header } = current.archive;
    if (before !== null && before !== name) {
      this.#source.log.error({ because: header.because }, 'the archive of the write-ahead log begins anew');
      // One that ended before its first copy is a part of the gap before it.
      const from = usable === null ? (gap?.from ?? null) : reached;
      this.#note({ gap: { from, to: null, because: header.because } });
    }
    return current;
  }

  async #fail(error: Error): Promise<void> {
    this.#current = undefined;
    this.#failures += 1;
    this.#retryAt =
      performance.now() + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1));
    if (this.#status.error !== error.message)
      this.#source.log.error({ err: error }, 'the write-ahead log is not archived at the moment');
    this.#note({
      error: error.message,
      is_complete: false,
      error_since: this.#status.error_since ?? new Date().toISOString(),
      waiting_bytes: (await waitingBytes(this.#client)) ?? this.#status.waiting_bytes,
    });
    await this.#source.newObjects.giveUp(DELETION_MS);
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

  #noteState(current: CurrentArchive, changes: Partial<WalStatus> = {}): void {
    const state = stateOf(current);
    const { gap } = this.#status;
    const to = gap?.to ?? state.usable_from ?? null;
    this.#note({ ...state, gap: gap === null ? null : { ...gap, to }, ...changes });
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
  // Before the WAL too, so that no erasure is in the archive and not in its notes.
  await putErasures(client, current);
  const isNew = current.shipped < end;
  while (current.shipped < end) await shipSegment(client, source.dataDir, current, { at, end });
  current.reached = at;
  const now = performance.now();
  if (now - current.markedAt < MARK_MS) return;
  if (!isNew) await putMark(archive, at, end);
  current.markedAt = now;
}

/**
 * Archives the WAL up to `end`, or to the end of the segment, which then replaces its pieces. So does a piece that is
 * put together from many.
 */
async function shipSegment(
  client: pg.Client,
  dataDir: string,
  current: CurrentArchive,
  { at, end }: { readonly at: number; readonly end: number },
): Promise<void> {
  const { archive, shipped, small, tiny } = current;
  const segment = segmentOf(shipped);
  const stop = Math.min(segment + SEGMENT_BYTES, end);
  const isWhole = stop === segment + SEGMENT_BYTES;
  const together = isWhole ? small : small.slice(small.length - (tiny + 1 === TOGETHER ? tiny : 0));
  const start = isWhole ? segment : (together[0]?.start ?? shipped);
  const bytes = await readWal(dataDir, archive.header.timeline, start, stop);
  const name = await putPiece(archive, bytes, { start, reached: stop === end ? at : current.reached });
  current.shipped = stop;
  current.small = isWhole ? [] : [...small.slice(0, small.length - together.length), { name, start }];
  current.tiny = isWhole || together.length > 0 ? 0 : tiny + 1;
  await removePieces(
    archive,
    together.filter((one) => one.name !== name),
  );
  if (isWhole)
    await client.query("select pg_replication_slot_advance($1, '0/0'::pg_lsn + $2::numeric)", [SLOT, stop]);
}

/** Adds the accounts erased so far, so that a restore to an earlier second erases them again. */
async function putErasures(client: pg.Client, current: CurrentArchive): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::integer as count from private.erasures',
  );
  const count = rows[0]?.count ?? 0;
  if (count === current.erasures) return;
  const { place, header } = current.archive;
  await addErasures(
    place,
    header.installation,
    await listErasures(async (text) => (await client.query(text)).rows),
  );
  current.erasures = count;
}
