import type { Comparison } from '@northline/postgrest/query-tree';
import type { Relation } from '@northline/postgrest/schema-shape';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { withOldRows } from './change-log.server.ts';
import type { WantedChange } from './join-parser.server.ts';
import {
  type Change,
  readChanges,
  type SeenChange,
  type TableName,
  type WatchedTable,
} from './visible-changes.server.ts';

/** One entry of a join for one table, with the id by which the client knows it. */
export interface Subscription {
  readonly id: number;
  readonly table: TableName;
  readonly wanted: WantedChange;
}

/** A channel that waits for changes. */
export interface Subscriber {
  readonly caller: Caller;
  readonly subscriptions: readonly Subscription[];
  /** `data` is JSON text, which also contains `cursor`. */
  deliver(ids: readonly number[], data: string, change: Change, cursor: string): void;
  /** Called when changes may have been missed: the client has to read again. */
  resync(): void;
}

/** Changes of one table, and the subscribers with the same caller that get them. */
export interface ChangeBatch {
  readonly caller: Caller;
  readonly members: ReadonlySet<Subscriber>;
  readonly changes: readonly Change[];
  cursorOf(change: Change): string;
}

/** Reads the rows of a batch as the caller, and delivers to each member what it subscribed to. */
export async function deliverBatch(
  database: Database,
  table: WatchedTable,
  batch: ChangeBatch,
): Promise<void> {
  const { caller, members, changes } = batch;
  const filters = filtersOf(members, table);
  const reader = { database, caller, table, filters: [...filters.values()].map(({ filter }) => filter) };
  const indexOf = (filter: readonly Comparison[]) => filters.get(JSON.stringify(filter))?.at ?? -1;
  for (const seen of await readChanges(reader, await withOldRows(database, changes))) {
    const cursor = batch.cursorOf(seen.change);
    const textOf: TextOf = (row) => changeText(table, seen.change, row, cursor);
    const whole = textOf({ record: seen.record, old: seen.change.old });
    for (const member of members) {
      const found = member.subscriptions.filter(
        ({ wanted, table: { schema, name } }) =>
          name === table.name &&
          schema === table.schema &&
          (wanted.event === '*' || wanted.event === seen.change.type) &&
          seen.matches[indexOf(wanted.filter)] === true,
      );
      deliverTo(member, seen, found, { whole, cursor, textOf });
    }
  }
}

/** The different filters on a table, by their JSON, each with its index in the statement. */
function filtersOf(members: ReadonlySet<Subscriber>, { schema, name }: Relation) {
  const filters = new Map<string, { at: number; filter: readonly Comparison[] }>();
  for (const { wanted, table } of [...members].flatMap(({ subscriptions }) => subscriptions)) {
    const key = JSON.stringify(wanted.filter);
    if (table.name === name && table.schema === schema && !filters.has(key)) {
      filters.set(key, { at: filters.size, filter: wanted.filter });
    }
  }
  return filters;
}

/** A cheap test before anything is read: the event, the table, and whether a filter on an id can match. */
export function mayConcern(member: Subscriber, change: Change): boolean {
  return member.subscriptions.some(
    ({ wanted, table }) =>
      table.name === change.table &&
      table.schema === change.schema &&
      (wanted.event === '*' || wanted.event === change.type) &&
      !wanted.filter.some((condition) => excludesRow(condition, change)),
  );
}

/** A UUID as PostgreSQL writes it; other spellings are left to the database. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function excludesRow({ place, operator, negated, quantifier, value }: Comparison, change: Change): boolean {
  if (place.path.length > 0 || operator !== 'eq' || negated || quantifier !== undefined) return false;
  const known = change.known[place.column];
  if (typeof known !== 'string' || !UUID.test(known)) return false;
  const wanted = value.toLowerCase();
  return UUID.test(wanted) && known !== wanted;
}

function deliverTo(
  member: Subscriber,
  { change, record }: SeenChange,
  subscriptions: readonly Subscription[],
  data: { readonly whole: string; readonly cursor: string; readonly textOf: TextOf },
): void {
  const ofWholeRow = subscriptions.filter(({ wanted }) => wanted.select === undefined);
  if (ofWholeRow.length > 0) {
    const ids = ofWholeRow.map(({ id }) => id);
    member.deliver(ids, data.whole, change, data.cursor);
  }
  for (const { id, wanted } of subscriptions) {
    if (wanted.select === undefined) continue;
    const [chosen, old] = [record ?? undefined, change.old].map(
      (row) => row && JSON.stringify(pick(row, wanted.select ?? [])),
    );
    member.deliver([id], data.textOf({ record: chosen ?? null, old }), change, data.cursor);
  }
}

function pick(record: string, names: readonly string[]): Record<string, unknown> {
  const row = JSON.parse(record) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}

/** The `data` of a change with these rows, which are JSON texts. */
type TextOf = (row: { readonly record: string | null; readonly old: string | undefined }) => string;

/**
 * The `data` of a change (docs/contracts/platform.md §5). The rows' JSON is PostgreSQL's own text, so that
 * bigints keep all their digits. Without the old row, its key stands for it.
 */
function changeText(
  table: Relation,
  change: Change,
  { record, old }: Parameters<TextOf>[0],
  cursor: string,
): string {
  const columns = [...table.columns.values()].map(({ name, shortType }) => ({ name, type: shortType }));
  const keys = Object.fromEntries(table.primaryKey.map((name) => [name, change.known[name] ?? null]));
  const known = change.type === 'INSERT' ? null : change.type === 'DELETE' ? change.known : keys;
  const head = JSON.stringify({
    schema: change.schema,
    table: change.table,
    commit_timestamp: new Date(change.at).toISOString(),
    type: change.type,
    columns,
    errors: null,
    cursor,
  });
  const former = old ?? JSON.stringify(known);
  return `${head.slice(0, -1)},"old_record":${former},"record":${record ?? '{}'}}`;
}
