import { FairQueue } from '../../kernel/concurrency/fair-queue.ts';
import { type Database, sqlState } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import { type ChangeBatch, deliverBatch, mayConcern, type Subscriber } from './change-delivery.server.ts';
import {
  type LostChange,
  openChangeLog,
  type Resumption,
  readMissed,
  writeCursor,
} from './change-log.server.ts';
import { type ChangeQueue, ChangeQueues, tablesOf } from './change-queue.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import { type Change, loadWatched, tableKeyOf, type Watched, watchedNow } from './visible-changes.server.ts';

/** The stream of changes of watched tables, divided by what each subscriber may see. */
export interface ChangeFeed {
  add(subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
  /** Replaces a subscriber by one with another caller; waiting changes are then read for the new one. */
  replace(old: Subscriber, next: Subscriber): void;
  /** Number of the latest change. */
  position(): number;
  /**
   * Delivers the changes after `position` from the time before the subscriber was added (its token came
   * late).
   */
  replay(subscriber: Subscriber, position: number): void;
  /**
   * Reads the log after a cursor and delivers what the subscriber missed (nothing when `since` is `''`).
   * These events carry the old cursor, so that an interrupted resumption starts over.
   */
  resume(subscriber: Subscriber, since: string): Promise<Resumption>;
  /** The watched tables. `fresh` reads them again, when a name is unknown. */
  watched(fresh?: boolean): Promise<Watched>;
  close(): Promise<void>;
}

const CHANNEL = 'realtime_changes';
/** Changes that are kept for clients whose token comes late. */
const MAX_RECENT = 1000;
/** SQLSTATE `insufficient_privilege`. */
const NO_PRIVILEGE = '42501';
/** SQLSTATE `undefined_table`, `undefined_column`: the table was created anew after the list was read. */
const OTHER_TABLE: ReadonlySet<string> = new Set(['42P01', '42703']);

/**
 * Listens to the trigger's notifications for tables of these schemas. Each caller's changes are read once per
 * batch, however many channels the caller has.
 *
 * @trigger public.customers realtime_publish
 * @trigger public.credit_transactions realtime_publish
 * @trigger public.user_files realtime_publish
 * @trigger public.subscriptions realtime_publish
 */
export async function followChanges(
  database: Database,
  log: Log,
  schemas: readonly string[],
): Promise<ChangeFeed> {
  const feed = new DatabaseChangeFeed({ database, log, schemas }, await openChangeLog(database));
  await feed.listen();
  return feed;
}

class DatabaseChangeFeed implements ChangeFeed {
  readonly #database: Database;
  readonly #log: Log;
  readonly #schemas: readonly string[];
  readonly #queues = new ChangeQueues();
  readonly #members = new Set<Subscriber>();
  readonly #slots = new FairQueue({ places: REALTIME_LIMITS.reads });
  #stops: (() => Promise<void>)[] = [];
  #epoch: string;
  #tables: Watched = new Map();
  /** The object id of each watched table when it was last seen. */
  readonly #oids = new Map<string, string>();
  #looking = false;
  #timer: NodeJS.Timeout | undefined;
  /** How many reads of the watched tables have begun, and the latest one that has ended. */
  #reloads = { begun: 0, shown: 0 };
  #arrived: Change[] = [];
  #latest = 0;
  #recent: { position: number; change: Change }[] = [];

  constructor(given: { database: Database; log: Log; schemas: readonly string[] }, epoch: string) {
    this.#database = given.database;
    this.#log = given.log;
    this.#schemas = given.schemas;
    this.#epoch = epoch;
  }

  async listen(): Promise<void> {
    this.#stops = await Promise.all([
      this.#database.listen(
        CHANNEL,
        (payload) => this.#onNotification(payload),
        () => this.#onReconnect(),
      ),
      this.#database.listen('pgrst', () => this.#onSchemaChange()),
    ]);
    await this.#reload();
    // When the owner of the database is no superuser, no event trigger reports schema changes.
    this.#timer = setInterval(() => void this.#look(), REALTIME_LIMITS.tableLook).unref();
  }

  add(subscriber: Subscriber): void {
    this.#members.add(subscriber);
    this.#queues.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#members.delete(subscriber);
    this.#queues.remove(subscriber);
  }

  replace(old: Subscriber, next: Subscriber): void {
    const waiting = this.#queues
      .ofCaller(old.caller)
      .flatMap((queue) => (queue.members.has(old) ? [...queue.reading, ...queue.waiting] : []));
    this.remove(old);
    this.add(next);
    this.#deliverSeparately(next, waiting);
  }

  position(): number {
    return this.#latest;
  }

  replay(subscriber: Subscriber, position: number): void {
    const first = this.#recent[0]?.position ?? this.#latest + 1;
    if (position + 1 < first && position < this.#latest) {
      subscriber.resync();
      return;
    }
    const missed = this.#recent.filter((entry) => entry.position > position);
    this.#deliverSeparately(
      subscriber,
      missed.map((entry) => entry.change),
    );
  }

  async resume(subscriber: Subscriber, since: string): Promise<Resumption> {
    const { changes, cursor } = await readMissed(this.#database, since, [...tablesOf(subscriber).values()]);
    const kept = (changes ?? []).filter((change): change is Change => change.type !== 'RESYNC');
    const complete = changes !== undefined && kept.length === changes.length;
    if (!complete) return { complete, cursor, found: [] };
    const wanted = kept.filter((change) => mayConcern(subscriber, change));
    for (const batch of batchesByTable(wanted)) {
      const members = new Set([subscriber]);
      await this.#deliver({ caller: subscriber.caller, members, changes: batch, cursorOf: () => since });
    }
    return { complete, cursor, found: kept.map(({ id }) => id) };
  }

  async watched(fresh = false): Promise<Watched> {
    return fresh ? this.#reload() : this.#tables;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  async #reload(): Promise<Watched> {
    this.#reloads.begun += 1;
    const turn = this.#reloads.begun;
    const tables = await loadWatched(this.#database, this.#schemas);
    // A slow read must not bring back a table that a later read has seen disappear.
    if (turn > this.#reloads.shown) {
      this.#reloads.shown = turn;
      this.#tables = tables;
      this.#resyncRemade();
    }
    return this.#tables;
  }

  /**
   * Rows, columns and rights of a table that was dropped and created anew are different: its followers have
   * to join again.
   */
  #resyncRemade(): void {
    for (const [key, { oid }] of this.#tables) {
      const before = this.#oids.get(key);
      this.#oids.set(key, oid);
      if (before === undefined || before === oid) continue;
      for (const queue of this.#queues.ofTable(key)) resyncAll(queue.members);
    }
  }

  #onSchemaChange(): void {
    this.#reloadSoon();
    void this.#look();
  }

  /**
   * Checks whether a followed table was dropped and created anew; one that was published again is watched.
   */
  async #look(): Promise<void> {
    const followed = this.#queues.followed();
    if (this.#looking || followed.size === 0) return;
    this.#looking = true;
    try {
      const watched = await watchedNow(this.#database, followed.values());
      const gone = [...followed].filter(([key]) => !watched.has(key)).map(([, table]) => table);
      for (const { name, schema } of gone)
        await this.#database.one('select realtime.watch_published($1, $2)', [name, [schema]]);
      const again = gone.length === 0 ? watched : await watchedNow(this.#database, followed.values());
      if ([...again].some(([key, oid]) => this.#oids.get(key) !== oid)) await this.#reload();
    } catch (error) {
      this.#log.warn({ err: error }, 'the followed tables could not be checked');
    } finally {
      this.#looking = false;
    }
  }

  #reloadSoon(): void {
    this.#reload().catch((error) =>
      this.#log.warn({ err: error }, 'the watched tables could not be read again'),
    );
  }

  /** Notifications were missed while the connection was broken. */
  #onReconnect(): void {
    this.#reloadSoon();
    openChangeLog(this.#database)
      .then((epoch) => {
        this.#epoch = epoch;
      })
      .catch((error) => this.#log.warn({ err: error }, 'the log of changes could not be opened'))
      .finally(() => resyncAll(this.#members));
  }

  #onNotification(payload: string): void {
    const change = JSON.parse(payload) as Change | LostChange;
    if (change.type === 'RESYNC') {
      for (const queue of this.#queues.ofTable(tableKeyOf(change))) resyncAll(queue.members);
      return;
    }
    // All notifications of a commit arrive together, so they are read together.
    if (this.#arrived.length === 0) setImmediate(() => this.#enqueueArrived());
    this.#arrived.push(change);
  }

  #enqueueArrived(): void {
    const changes = this.#arrived;
    this.#arrived = [];
    for (const change of changes) {
      this.#latest += 1;
      this.#recent.push({ position: this.#latest, change });
      for (const queue of this.#queues.ofTable(tableKeyOf(change))) {
        if ([...queue.members].some((member) => mayConcern(member, change))) this.#enqueue(queue, change);
      }
    }
    if (this.#recent.length > 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT);
  }

  #enqueue(queue: ChangeQueue, change: Change): void {
    queue.waiting.push(change);
    if (queue.waiting.length > REALTIME_LIMITS.waitingChanges) {
      queue.waiting = [];
      resyncAll(queue.members);
    } else if (!queue.running) this.#start(queue);
  }

  #start(queue: ChangeQueue): void {
    queue.running = true;
    this.#drain(queue).catch((error) => this.#log.error({ err: error }, 'changes could not be delivered'));
  }

  async #drain(queue: ChangeQueue): Promise<void> {
    const { caller, members } = queue;
    try {
      while (queue.waiting.length > 0 && members.size > 0) {
        const changes = queue.waiting.splice(0, REALTIME_LIMITS.readBatch);
        queue.reading = changes;
        await this.#deliver({ caller, members, changes, cursorOf: this.#cursorsOf(queue) });
        queue.reading = [];
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'changes could not be read for a subscriber');
      queue.waiting = [];
      resyncAll(members);
    } finally {
      queue.reading = [];
      this.#queues.release(queue);
      queue.running = false;
    }
  }

  /** Reads and delivers changes of one table; a caller who may not read it (any more) gets none. */
  async #deliver(batch: ChangeBatch): Promise<void> {
    const [first] = batch.changes;
    if (first === undefined) return;
    const key = tableKeyOf(first);
    const table = this.#tables.get(key) ?? (await this.#reload()).get(key);
    if (table === undefined) return;
    await this.#slots.run('reads', async () => {
      try {
        await deliverBatch(this.#database, table, batch);
      } catch (error) {
        const code = sqlState(error)?.code ?? '';
        if (code === NO_PRIVILEGE) return;
        const again = OTHER_TABLE.has(code) ? (await this.#reload()).get(key) : undefined;
        if (again === undefined) throw error;
        await deliverBatch(this.#database, again, batch);
      }
    });
  }

  /**
   * A cursor promises that everything before it was delivered, so it must not pass changes that still wait in
   * the caller's other queues.
   */
  #cursorsOf(queue: ChangeQueue): (change: Change) => string {
    let held: number | undefined;
    const heldByOthers = () =>
      this.#queues
        .ofCaller(queue.caller)
        .filter((other) => other !== queue)
        .flatMap(({ waiting, reading }) => [...reading, ...waiting])
        .reduce((least, change) => Math.min(least, change.xid), Number.POSITIVE_INFINITY);
    return ({ horizon, xid, id }) => {
      held ??= heldByOthers();
      const epoch = this.#epoch;
      return held === Number.POSITIVE_INFINITY
        ? writeCursor({ epoch, from: horizon, xid, id })
        : writeCursor({ epoch, from: Math.min(horizon, held), xid: 0, id: 0 });
    };
  }

  /** Delivers changes to one subscriber, outside of its shared queue. */
  #deliverSeparately(subscriber: Subscriber, changes: readonly Change[]): void {
    for (const table of tablesOf(subscriber).keys()) {
      const waiting = changes.filter((one) => tableKeyOf(one) === table && mayConcern(subscriber, one));
      if (waiting.length > 0) this.#start(this.#queues.addCatchUp(subscriber, waiting));
    }
  }
}

/** Groups successive changes of the same table, in order; each group is at most one batch of a read. */
function batchesByTable(changes: readonly Change[]): Change[][] {
  const batches: Change[][] = [];
  for (const change of changes) {
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < REALTIME_LIMITS.readBatch;
    const [first] = last ?? [];
    if (fits && first?.table === change.table && first.schema === change.schema) last.push(change);
    else batches.push([change]);
  }
  return batches;
}

function resyncAll(members: ReadonlySet<Subscriber>): void {
  for (const member of [...members]) member.resync();
}
