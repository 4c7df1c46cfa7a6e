import { quoteQualified } from '@northline/postgrest/sql-text';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import type { Subscriber } from './change-delivery.server.ts';
import type { Change, TableName } from './visible-changes.server.ts';

/** Changes of one table that wait for the subscribers of one caller. */
export interface ChangeQueue {
  readonly caller: Caller;
  readonly members: Set<Subscriber>;
  waiting: Change[];
  /** The batch that is being read. */
  reading: readonly Change[];
  running: boolean;
}

/** Creates an idle queue without members. */
export function createChangeQueue(caller: Caller): ChangeQueue {
  return { caller, members: new Set(), waiting: [], reading: [], running: false };
}

/**
 * The queues by table and caller, so that rows are read once for each caller, however many channels it has.
 */
export class ChangeQueues {
  /** By `tableKeyOf`. */
  readonly #byTable = new Map<string, Map<string, ChangeQueue>>();
  /** Queues of single subscribers that are catching up. */
  readonly #catchingUp = new Set<ChangeQueue>();

  add(subscriber: Subscriber): void {
    const key = callerKey(subscriber.caller);
    for (const table of tablesOf(subscriber).keys()) {
      const byCaller = this.#byTable.get(table) ?? new Map<string, ChangeQueue>();
      this.#byTable.set(table, byCaller);
      const queue = byCaller.get(key) ?? createChangeQueue(subscriber.caller);
      byCaller.set(key, queue);
      queue.members.add(subscriber);
    }
  }

  remove(subscriber: Subscriber): void {
    const key = callerKey(subscriber.caller);
    for (const byCaller of this.#byTable.values()) {
      const queue = byCaller.get(key);
      if (queue === undefined) continue;
      queue.members.delete(subscriber);
      if (queue.members.size === 0) byCaller.delete(key);
    }
  }

  /** A queue for one subscriber; `release` it when it is empty. */
  addCatchUp(subscriber: Subscriber, waiting: Change[]): ChangeQueue {
    const queue = createChangeQueue(subscriber.caller);
    queue.members.add(subscriber);
    queue.waiting = waiting;
    this.#catchingUp.add(queue);
    return queue;
  }

  release(queue: ChangeQueue): void {
    this.#catchingUp.delete(queue);
  }

  /** The shared queues of a table, given by `tableKeyOf`. */
  ofTable(table: string): ChangeQueue[] {
    return [...(this.#byTable.get(table)?.values() ?? [])];
  }

  /** The tables that somebody follows, by `tableKeyOf`. */
  followed(): ReadonlyMap<string, TableName> {
    const found = [...this.#byTable].flatMap(([key, byCaller]): [string, TableName][] => {
      const [queue] = byCaller.values();
      const [member] = queue?.members ?? [];
      const table = member === undefined ? undefined : tablesOf(member).get(key);
      return table === undefined ? [] : [[key, table]];
    });
    return new Map(found);
  }

  /** Every queue of a caller, for all tables. */
  ofCaller(caller: Caller): ChangeQueue[] {
    const key = callerKey(caller);
    const shared = [...this.#byTable.values()].flatMap((byCaller) => byCaller.get(key) ?? []);
    return [...shared, ...[...this.#catchingUp].filter((queue) => callerKey(queue.caller) === key)];
  }
}

/** The tables that a subscriber follows, by `tableKeyOf`; a join without a table names all tables. */
export function tablesOf(subscriber: Subscriber): ReadonlyMap<string, TableName> {
  return new Map(subscriber.subscriptions.map(({ table }) => [quoteQualified(table), table]));
}

function callerKey(caller: Caller): string {
  return `${caller.role} ${JSON.stringify(caller.claims)}`;
}
