import type { Caller } from '../../resources/database/caller.ts';
import type { Database } from '../../resources/database/database.ts';
import type { Relation } from '../rest/load-schema.server.ts';
import type { Comparison } from '../rest/query-tree.server.ts';
import type { WantedChange } from './parse-join.server.ts';
import { type Change, readChanges, type SeenChange } from './read-changes.server.ts';

/** One entry of a join, with the id that the client knows it by. */
export interface Subscription {
  readonly id: number;
  readonly wanted: WantedChange;
}

/** A channel that waits for changes. */
export interface Subscriber {
  readonly caller: Caller;
  readonly subscriptions: readonly Subscription[];
  /** `data` is JSON text. */
  deliver(ids: readonly number[], data: string, change: Change): void;
  /** Changes may have been missed: the client has to read again. */
  resync(): void;
}

/** Reads a batch of one table's changes as the caller and gives each member what it asked for. */
export async function deliverBatchTo(
  database: Database,
  lane: { readonly caller: Caller; readonly members: ReadonlySet<Subscriber> },
  table: Relation,
  batch: readonly Change[],
  cursorOf: (change: Change) => string,
): Promise<void> {
  const filters = new Map<string, { at: number; filter: readonly Comparison[] }>();
  for (const { subscriptions } of lane.members) {
    for (const { wanted } of subscriptions) {
      const key = JSON.stringify(wanted.filter);
      if (wanted.table === table.name && !filters.has(key)) {
        filters.set(key, { at: filters.size, filter: wanted.filter });
      }
    }
  }
  const list = [...filters.values()].map(({ filter }) => filter);
  const seen = await readChanges(database, lane.caller, table, batch, list);
  const indexOf = (filter: readonly Comparison[]) => filters.get(JSON.stringify(filter))?.at ?? -1;
  for (const one of seen) {
    const cursor = cursorOf(one.change);
    const text = (record: string | null) => changeText(table, one, record, cursor);
    const data = text(one.record);
    for (const member of lane.members) deliverTo(member, one, table, { data, text }, indexOf);
  }
}

/** A cheap look before anything is read: event, table, and a filter on the owner that cannot match. */
export function mayConcern(member: Subscriber, change: Change): boolean {
  return member.subscriptions.some(
    ({ wanted }) =>
      wanted.table === change.table &&
      (wanted.event === '*' || wanted.event === change.type) &&
      !wanted.filter.some((condition) => excludesOwner(condition, change)),
  );
}

function excludesOwner(condition: Comparison, change: Change): boolean {
  const { place, operator, negated, quantifier, value } = condition;
  if (place.column !== 'user_id' || place.path.length > 0 || operator !== 'eq' || negated) return false;
  const known = change.known.user_id;
  return quantifier === undefined && typeof known === 'string' && known !== value.toLowerCase();
}

function deliverTo(
  member: Subscriber,
  seen: SeenChange,
  table: Relation,
  written: { readonly data: string; readonly text: (record: string | null) => string },
  indexOf: (filter: readonly Comparison[]) => number,
): void {
  const found = member.subscriptions.filter(
    ({ wanted }) =>
      wanted.table === table.name &&
      (wanted.event === '*' || wanted.event === seen.change.type) &&
      seen.matches[indexOf(wanted.filter)] === true,
  );
  const whole = found.filter(({ wanted }) => wanted.select === undefined);
  if (whole.length > 0) {
    member.deliver(
      whole.map(({ id }) => id),
      written.data,
      seen.change,
    );
  }
  for (const { id, wanted } of found) {
    if (wanted.select === undefined) continue;
    const record = seen.record === null ? null : JSON.stringify(chosen(seen.record, wanted.select));
    member.deliver([id], written.text(record), seen.change);
  }
}

function chosen(record: string, names: readonly string[]): Record<string, unknown> {
  const row = JSON.parse(record) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}

/** The `data` of a change (contract §5). The row's JSON is PostgreSQL's own text, so int8 keeps its digits. */
function changeText(table: Relation, { change }: SeenChange, record: string | null, cursor: string): string {
  const columns = [...table.columns.values()].map(({ name, shortType }) => ({ name, type: shortType }));
  const keys = Object.fromEntries(table.primaryKey.map((name) => [name, change.known[name] ?? null]));
  const old = change.type === 'INSERT' ? null : change.type === 'DELETE' ? change.known : keys;
  const head = JSON.stringify({
    schema: change.schema,
    table: change.table,
    commit_timestamp: new Date(change.at).toISOString(),
    type: change.type,
    columns,
    old_record: old,
    errors: null,
    cursor,
  });
  return `${head.slice(0, -1)},"record":${record ?? '{}'}}`;
}
