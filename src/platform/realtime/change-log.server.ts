import type { Database } from '../../kernel/resources/database/database.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import type { Change, TableName } from './visible-changes.server.ts';

/**
 * A position in the stream of changes, as a client stores it: `epoch.from.xid.id`. What follows it: changes
 * of transactions from `from` on, except those of transaction `xid` with a number up to `id`.
 */
export interface Cursor {
  readonly epoch: string;
  readonly from: number;
  readonly xid: number;
  readonly id: number;
}

/** A change whose row did not fit into a notification: the client has to read its table again. */
export interface LostChange {
  readonly type: 'RESYNC';
  readonly schema: string;
  readonly table: string;
}

/** What the log has after a cursor, or that it cannot tell. */
export interface Missed {
  readonly changes: readonly (Change | LostChange)[] | undefined;
  /** The current cursor. */
  readonly cursor: string;
}

/** The result of a resumption. */
export interface Resumption {
  /** False when the log no longer has all changes, so some may be missing. */
  readonly complete: boolean;
  /** The cursor at the time when the log was read. */
  readonly cursor: string;
  /** The numbers of the changes found. */
  readonly found: readonly number[];
}

/** Writes a cursor as clients see it. */
export function writeCursor({ epoch, from, xid, id }: Cursor): string {
  return `${epoch}.${from}.${xid}.${id}`;
}

/** Reads a client's cursor; undefined when it is malformed. */
export function readCursor(text: string): Cursor | undefined {
  const found = /^([0-9a-f]{12})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(text);
  if (found === null) return undefined;
  return { epoch: String(found[1]), from: Number(found[2]), xid: Number(found[3]), id: Number(found[4]) };
}

/** The epoch of the log; a log that a crash has emptied starts a new one. */
export async function openChangeLog(database: Database): Promise<string> {
  await database.run('insert into realtime.change_log default values on conflict do nothing');
  return (await database.one('select epoch from realtime.change_log')).epoch;
}

/**
 * Reads which changes of these tables came after a cursor; an empty cursor means from now on. The returned
 * cursor belongs to the same snapshot as the changes, so that no change is lost in between.
 */
export async function readMissed(
  database: Database,
  since: string,
  tables: readonly TableName[],
): Promise<Missed> {
  const cursor = readCursor(since);
  const row = await database.one(
    `select l.epoch, l.floor, pg_snapshot_xmin(pg_current_snapshot())::text as now,
       coalesce((select json_agg(c.body order by c.id) from (
         select id, body from realtime.changes
         where xid >= $1 and not (xid = $2 and id <= $3) and (table_name, body ->> 'schema') in
           (select name, schema from unnest($4::text[], $5::text[]) as wanted (name, schema))
         order by id limit $6) c), '[]') as changes
     from realtime.change_log l`,
    [
      cursor?.from ?? Number.MAX_SAFE_INTEGER,
      cursor?.xid ?? 0,
      cursor?.id ?? 0,
      tables.map(({ name }) => name),
      tables.map(({ schema }) => schema),
      REALTIME_LIMITS.missedChanges + 1,
    ],
  );
  const { epoch, floor } = row;
  const changes = row.changes as (Change | LostChange)[];
  const known = cursor !== undefined && cursor.epoch === epoch && cursor.from >= Number(floor);
  const complete = known && changes.length <= REALTIME_LIMITS.missedChanges;
  return {
    changes: since === '' ? [] : complete ? changes : undefined,
    cursor: writeCursor({ epoch, from: Number(row.now), xid: 0, id: 0 }),
  };
}

/** The changes with the old rows that did not fit into their notifications. */
export async function withOldRows(
  database: Database,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const kept = changes.filter(({ old, oldIsKept }) => oldIsKept === true && old === undefined);
  if (kept.length === 0) return changes;
  const rows = await database.many(
    "select id::text as id, body ->> 'old' as old from realtime.changes where id = any ($1)",
    [kept.map(({ id }) => id)],
  );
  const found = new Map(rows.map(({ id, old }) => [Number(id), old]));
  return changes.map((change) => {
    const old = found.get(change.id);
    return old == null ? change : { ...change, old };
  });
}

/** Deletes changes that are too old or too many; a client whose cursor needs them has to read again. */
export async function sweepChangeLog(database: Database): Promise<void> {
  await database.run(
    `with gone as (
       delete from realtime.changes where at < now() - make_interval(secs => $1)
         or id <= (select max(id) from realtime.changes) - $2
       returning xid)
     update realtime.change_log set floor = greatest(floor, (select max(xid) + 1 from gone))
     where exists (select from gone)`,
    [REALTIME_LIMITS.logAge / 1000, REALTIME_LIMITS.logRows],
  );
}
