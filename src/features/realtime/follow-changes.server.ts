import type { Caller } from '../../resources/database/caller.ts';
import { type Database, sqlState } from '../../resources/database/database.ts';
import type { Log } from '../../resources/log/log.ts';
import {
  type LostChange,
  openChangeLog,
  type Resumption,
  readMissed,
  writeCursor,
} from './change-log.server.ts';
import { deliverBatchTo, mayConcern, type Subscriber } from './deliver-changes.server.ts';
import { type Change, loadWatched, type Watched } from './read-changes.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';

/** The stream of changes of watched tables, split by what each subscriber may see. */
export interface ChangeFeed {
  add(subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
  /** Puts a channel with another caller in the place of one; what waited for the old one is read for the new. */
  replace(old: Subscriber, next: Subscriber): void;
  /** Number of the latest change. */
  position(): number;
  /** Gives a subscriber the changes after `position` that came before it was added (a token that came late). */
  replay(subscriber: Subscriber, position: number): void;
  /**
   * Reads the log after a cursor and gives the subscriber what it missed (`since` `''` is nothing).
   * While that goes on the events carry the same cursor, so that a broken resumption starts over.
   */
  resume(subscriber: Subscriber, since: string): Promise<Resumption>;
  /** The watched tables; `fresh` reads them anew, for a name that is not known. */
  watched(fresh?: boolean): Promise<Watched>;
  close(): Promise<void>;
}

/** Changes of one table on their way to the subscribers that share a caller. */
interface Lane {
  readonly caller: Caller;
  readonly table: string;
  readonly members: Set<Subscriber>;
  waiting: Change[];
  /** Those that are being read. */
  reading: readonly Change[];
  running: boolean;
}

const CHANNEL = 'realtime_changes';
/** Changes that are kept for tokens that come late. */
const MAX_RECENT = 1000;

/** Listens to the trigger's notifications. One read per caller and batch, however many channels that caller has. */
export async function followChanges(database: Database, log: Log): Promise<ChangeFeed> {
  const lanes = new Map<string, Map<string, Lane>>();
  const members = new Set<Subscriber>();
  /** Lanes of one subscriber that catches up. */
  const extra = new Set<Lane>();
  let epoch = await openChangeLog(database);
  let tables: Watched = new Map();
  let arrived: Change[] = [];
  let free: number = REALTIME_LIMITS.reads;
  const turns: (() => void)[] = [];
  let latest = 0;
  let recent: { position: number; change: Change }[] = [];

  const reload = async (): Promise<Watched> => {
    tables = await loadWatched(database);
    return tables;
  };
  const reloadSoon = (): void => {
    reload().catch((error) => log.warn({ err: error }, 'the watched tables could not be read again'));
  };

  function heard(payload: string): void {
    const change = JSON.parse(payload) as Change | LostChange;
    if (change.type === 'RESYNC') {
      for (const lane of lanes.get(change.table)?.values() ?? []) resyncAll(lane.members);
      return;
    }
    if (arrived.length === 0) setImmediate(flush);
    arrived.push(change);
  }

  /** All notifications of a commit arrive together, so they are read together. */
  function flush(): void {
    const changes = arrived;
    arrived = [];
    for (const change of changes) {
      latest += 1;
      recent.push({ position: latest, change });
      for (const lane of lanes.get(change.table)?.values() ?? []) {
        if (![...lane.members].some((member) => mayConcern(member, change))) continue;
        lane.waiting.push(change);
        if (lane.waiting.length > REALTIME_LIMITS.waitingChanges) {
          lane.waiting = [];
          resyncAll(lane.members);
        } else if (!lane.running) {
          lane.running = true;
          run(lane).catch((error) => log.error({ err: error }, 'changes could not be delivered'));
        }
      }
    }
    if (recent.length > 2 * MAX_RECENT) recent = recent.slice(-MAX_RECENT);
  }

  async function run(lane: Lane): Promise<void> {
    try {
      while (lane.waiting.length > 0 && lane.members.size > 0) {
        const batch = lane.waiting.splice(0, REALTIME_LIMITS.readBatch);
        lane.reading = batch;
        await takeTurn();
        try {
          await deliverBatch(lane, batch);
        } catch (error) {
          // Who may not read the table (any more) sees nothing of it.
          if (sqlState(error)?.code !== '42501') throw error;
        } finally {
          lane.reading = [];
          free += 1;
          turns.shift()?.();
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'changes could not be read for a subscriber');
      lane.waiting = [];
      resyncAll(lane.members);
    } finally {
      extra.delete(lane);
      lane.running = false;
    }
  }

  async function takeTurn(): Promise<void> {
    if (free <= 0) await new Promise<void>((resolve) => turns.push(resolve));
    free -= 1;
  }

  async function deliverBatch(lane: Lane, batch: Change[]): Promise<void> {
    const table = tables.get(lane.table) ?? (await reload()).get(lane.table);
    if (table === undefined) return;
    await deliverBatchTo(database, lane, table, batch, cursorsOf(lane));
  }

  /** A cursor says that everything before it was delivered, so it stays behind what other lanes still hold. */
  function cursorsOf(lane: Lane): (change: Change) => string {
    let held: number | undefined;
    const beside = () => {
      const others = lanesOf(lane.caller).filter((one) => one !== lane);
      return others
        .flatMap(({ waiting, reading }) => [...reading, ...waiting])
        .reduce((least, { xid }) => Math.min(least, xid), Number.POSITIVE_INFINITY);
    };
    return ({ horizon, xid, id }) => {
      held ??= beside();
      const free = held === Number.POSITIVE_INFINITY;
      return writeCursor(
        free ? { epoch, from: horizon, xid, id } : { epoch, from: Math.min(horizon, held), xid: 0, id: 0 },
      );
    };
  }

  async function catchUp(subscriber: Subscriber, changes: readonly Change[], since: string): Promise<void> {
    const lane = { caller: subscriber.caller, members: new Set([subscriber]) };
    for (let at = 0; at < changes.length; ) {
      const name = changes[at]?.table ?? '';
      const end = changes.findIndex(
        (one, n) => n > at && (one.table !== name || n - at >= REALTIME_LIMITS.readBatch),
      );
      const batch = changes.slice(at, end === -1 ? undefined : end);
      at += batch.length;
      const table = tables.get(name) ?? (await reload()).get(name);
      if (table === undefined) continue;
      await takeTurn();
      try {
        await deliverBatchTo(database, lane, table, batch, () => since);
      } catch (error) {
        if (sqlState(error)?.code !== '42501') throw error;
      } finally {
        free += 1;
        turns.shift()?.();
      }
    }
  }

  function add(subscriber: Subscriber): void {
    members.add(subscriber);
    for (const table of tablesOf(subscriber)) {
      const byCaller = lanes.get(table) ?? new Map<string, Lane>();
      lanes.set(table, byCaller);
      const key = callerKey(subscriber.caller);
      const lane = byCaller.get(key) ?? {
        caller: subscriber.caller,
        table,
        members: new Set(),
        waiting: [],
        reading: [],
        running: false,
      };
      byCaller.set(key, lane);
      lane.members.add(subscriber);
    }
  }
  function remove(subscriber: Subscriber): void {
    members.delete(subscriber);
    const key = callerKey(subscriber.caller);
    for (const byCaller of lanes.values()) {
      const lane = byCaller.get(key);
      if (lane === undefined) continue;
      lane.members.delete(subscriber);
      if (lane.members.size === 0) byCaller.delete(key);
    }
  }

  /** Gives one subscriber changes that its lane does not bring. */
  function sendAside(subscriber: Subscriber, changes: readonly Change[]): void {
    for (const table of tablesOf(subscriber)) {
      const waiting = changes.filter((one) => one.table === table && mayConcern(subscriber, one));
      if (waiting.length === 0) continue;
      const members = new Set([subscriber]);
      const lane: Lane = { caller: subscriber.caller, table, members, waiting, reading: [], running: true };
      extra.add(lane);
      run(lane).catch((error) => log.error({ err: error }, 'changes could not be delivered'));
    }
  }

  function lanesOf(caller: Caller): Lane[] {
    const key = callerKey(caller);
    const own = [...lanes.values()].flatMap((byCaller) => byCaller.get(key) ?? []);
    return [...own, ...[...extra].filter((lane) => callerKey(lane.caller) === key)];
  }

  const stops = await Promise.all([
    database.listen(CHANNEL, heard, () => {
      reloadSoon();
      openChangeLog(database)
        .then((opened) => {
          epoch = opened;
        })
        .catch((error) => log.warn({ err: error }, 'the log of changes could not be opened'))
        .finally(() => resyncAll(members));
    }),
    database.listen('pgrst', reloadSoon),
  ]);
  await reload();

  return {
    add,
    remove,
    replace(old, next) {
      const waiting = lanesOf(old.caller).flatMap((lane) =>
        lane.members.has(old) ? [...lane.reading, ...lane.waiting] : [],
      );
      remove(old);
      add(next);
      sendAside(next, waiting);
    },
    position: () => latest,
    replay(subscriber, position) {
      const first = recent[0]?.position ?? latest + 1;
      if (position + 1 < first && position < latest) {
        subscriber.resync();
        return;
      }
      const missed = recent.filter((entry) => entry.position > position);
      sendAside(
        subscriber,
        missed.map((entry) => entry.change),
      );
    },
    async resume(subscriber, since) {
      const { changes, cursor } = await readMissed(database, since, [...tablesOf(subscriber)]);
      const kept = (changes ?? []).filter((change): change is Change => change.type !== 'RESYNC');
      const complete = changes !== undefined && kept.length === changes.length;
      if (!complete) return { complete, cursor, found: [] };
      await catchUp(
        subscriber,
        kept.filter((change) => mayConcern(subscriber, change)),
        since,
      );
      return { complete, cursor, found: kept.map(({ id }) => id) };
    },
    watched: async (fresh = false) => (fresh ? reload() : tables),
    async close() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

function resyncAll(members: ReadonlySet<Subscriber>): void {
  for (const member of [...members]) member.resync();
}

function callerKey(caller: Caller): string {
  return `${caller.role} ${JSON.stringify(caller.claims)}`;
}

/** Tables that a subscriber waits for; a join without a table names them all when it is accepted. */
function tablesOf(subscriber: Subscriber): Set<string> {
  return new Set(subscriber.subscriptions.flatMap(({ wanted }) => wanted.table ?? []));
}
