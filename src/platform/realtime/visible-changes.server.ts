import { compileCondition, type RowSource } from '@northline/postgrest/condition-compiler';
import type { Comparison } from '@northline/postgrest/query-tree';
import type { Relation } from '@northline/postgrest/schema-shape';
import {
  Parameters,
  quoteName,
  quoteNames,
  quoteQualified,
  searchPathOf,
} from '@northline/postgrest/sql-text';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import type { StatementResult } from '../../kernel/resources/database/caller-statement.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { loadSchema } from '../rest/schema/schema-load.server.ts';

/** A table in any schema. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** A change as the trigger reports it: keys only. */
export interface Change {
  readonly schema: string;
  readonly table: string;
  readonly type: 'INSERT' | 'UPDATE' | 'DELETE';
  /** Key and owner columns of the row. */
  readonly known: Readonly<Record<string, unknown>>;
  /** User that the row belongs to, or null. */
  readonly owner: string | null;
  /** Time of the change, ISO 8601. */
  readonly at: string;
  /** Its number, its transaction, and the oldest transaction that may commit after it. */
  readonly id: number;
  readonly xid: number;
  readonly horizon: number;
  /** JSON text of the old row, if the table has `replica identity full` and subscribers may know the row. */
  readonly old?: string;
  /** True when that text did not fit into the notification; the log has it. */
  readonly oldIsKept?: true;
}

/**
 * A change as one caller may see it: the row's JSON (null for a deletion), and the filters that it matches.
 */
export interface SeenChange {
  readonly change: Change;
  readonly record: string | null;
  readonly matches: readonly boolean[];
}

/** A table with the trigger. */
export interface WatchedTable extends Relation {
  /** PostgreSQL's object id; a table that is dropped and created anew gets another one. */
  readonly oid: string;
}

/**
 * The watched tables, by their quoted names with schema, because two schemas may have tables with the same
 * name.
 */
export type Watched = ReadonlyMap<string, WatchedTable>;

/** The key under which queues and the watched tables know a change's table. */
export function tableKeyOf({ schema, table }: Pick<Change, 'schema' | 'table'>): string {
  return quoteQualified({ schema, name: table });
}

/** Reads which tables of these schemas have the trigger, with their columns. */
export async function loadWatched(database: Database, schemas: readonly string[]): Promise<Watched> {
  const rows = await database.many(
    `select distinct n.nspname as schema, c.relname as name, c.oid::int8::text as oid
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where t.tgfoid = 'realtime.publish()'::regprocedure and t.tgenabled <> 'D' and n.nspname = any ($1)`,
    [schemas],
  );
  const names = [...new Set(rows.map(({ schema }) => schema))];
  const loaded = await Promise.all(names.map((name) => loadSchema(database, name, { partitions: true })));
  const relations = new Map(loaded.map(({ name, relations }) => [name, relations]));
  const found = rows.flatMap(({ schema, name, oid }): [string, WatchedTable][] => {
    const relation = relations.get(schema)?.get(name);
    return relation === undefined ? [] : [[quoteQualified(relation), { ...relation, oid }]];
  });
  return new Map(found);
}

/** The tables of these names that exist and are watched now, by `quoteQualified`, with their object ids. */
export async function watchedNow(
  database: Database,
  names: Iterable<TableName>,
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...names];
  const rows = await database.many(
    `select n.nspname as schema, c.relname as name, c.oid::int8::text as oid
     from unnest($1::text[], $2::text[]) as wanted (schema, name)
     join pg_namespace n on n.nspname = wanted.schema
     join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name
     where exists (select from pg_trigger t where t.tgrelid = c.oid
       and t.tgfoid = 'realtime.publish()'::regprocedure and t.tgenabled <> 'D')`,
    [wanted.map(({ schema }) => schema), wanted.map(({ name }) => name)],
  );
  return new Map(rows.map(({ schema, name, oid }) => [quoteQualified({ schema, name }), oid]));
}

/** Whether a table still exists and is watched; needed where the database does not report schema changes. */
export async function isStillWatched(database: Database, { oid }: WatchedTable): Promise<boolean> {
  const { watched } = await database.one(
    `select exists (select from pg_trigger
       where tgrelid = $1::int8::oid and tgfoid = 'realtime.publish()'::regprocedure and tgenabled <> 'D') as watched`,
    [oid],
  );
  return watched;
}

/** Fails where the caller's reads of the table with these filters would fail. @throws DatabaseError */
export async function checkReadable(
  database: Database,
  caller: Caller,
  table: Relation,
  filter: readonly Comparison[],
): Promise<void> {
  const parameters = new Parameters();
  const conditions = filter.map((condition) => compileCondition(condition, rowsOf(table), parameters));
  const list = [...table.primaryKey.map(quoteName), ...conditions].join(', ');
  const text = `select ${list} from ${quoteQualified(table)} limit 0`;
  await askAsCaller({ database, caller, table }, text, parameters);
}

/** Reads with the rights of a caller, and with the search path of requests for that table. */
async function askAsCaller(
  { database, caller, table }: Pick<ChangeReader, 'database' | 'caller'> & { readonly table: Relation },
  text: string,
  { values }: Parameters,
): Promise<StatementResult['rows']> {
  const request = { headers: {}, method: '', path: '', searchPath: searchPathOf(table.schema) };
  const { rows } = await database.statementAsCaller(caller, { text, values, readOnly: true, request });
  return rows;
}

/** Who reads which table, and the filters that are evaluated for each row. */
export interface ChangeReader {
  readonly database: Database;
  readonly caller: Caller;
  readonly table: WatchedTable;
  readonly filters: readonly (readonly Comparison[])[];
}

/**
 * Reads the rows of changes again as the caller: one statement for existing rows, and those of
 * `heardDeletions` for deleted ones.
 */
export async function readChanges(reader: ChangeReader, changes: readonly Change[]): Promise<SeenChange[]> {
  const present = changes.filter((change) => change.type !== 'DELETE');
  const deleted = await heardDeletions(
    reader,
    changes.filter((change) => change.type === 'DELETE'),
  );
  const seen = [
    ...(present.length === 0 ? [] : await readPresent(reader, present)),
    ...(deleted.length === 0 ? [] : await matchDeleted(reader, deleted)),
  ];
  const order = new Map(changes.map(({ id }, at) => [id, at]));
  return seen.sort((a, b) => (order.get(a.change.id) ?? 0) - (order.get(b.change.id) ?? 0));
}

function isOwner(caller: Caller, change: Change): boolean {
  if (caller.role === 'service_role') return true;
  return caller.userId !== undefined && caller.userId === change.owner;
}

/**
 * The deletions that a caller may see. The row is gone, so the stored owner decides. Callers who may read
 * every row of the table see all deletions, with the key, or with the old row (decision 0520).
 *
 * @throws DatabaseError without the right to read the table
 */
async function heardDeletions(reader: ChangeReader, deleted: readonly Change[]): Promise<readonly Change[]> {
  if (deleted.length === 0) return deleted;
  const { caller, table } = reader;
  const owned = deleted.filter((change) => isOwner(caller, change));
  const asked = await askRights(reader, owned.length < deleted.length);
  return deleted.flatMap((change) => {
    const old = change.old === undefined ? {} : { old: pickText(change.old, asked.readable) };
    if (owned.includes(change)) return asked.secondFactor ? [{ ...change, ...old }] : [];
    return asked.everyRow ? [{ ...change, ...old, known: pick(change.known, table.primaryKey) }] : [];
  });
}

/** A row's JSON text with these columns alone; the text itself if it has no others, so that its digits stay. */
function pickText(row: string, names: readonly string[]): string {
  const values = JSON.parse(row) as Record<string, unknown>;
  const has = new Set(names);
  return Object.keys(values).every((name) => has.has(name)) ? row : JSON.stringify(pick(values, names));
}

/** The columns of $1 that the current role may read. */
const READABLE = `select json_agg(a.attname) from pg_catalog.pg_attribute a
  where a.attrelid = $1::int8::oid and a.attnum > 0 and not a.attisdropped
    and has_column_privilege(a.attrelid, a.attnum, 'select')`;

/**
 * Whether the rows that the current role reads are limited by no policy, or only by one that says `true`. $1
 * = the table's oid.
 */
const READS_EVERY_ROW = `not pg_catalog.row_security_active($1::int8::oid) or (
  select coalesce(bool_or(p.polpermissive and pg_get_expr(p.polqual, p.polrelid) = 'true'), false)
    and coalesce(bool_and(p.polpermissive), true)
  from pg_catalog.pg_policy p where p.polrelid = $1::int8::oid and p.polcmd in ('r', '*')
    and exists (select from unnest(p.polroles) as role (id)
      where role.id = 0 or (role.id <> 0 and pg_has_role(current_user, role.id, 'usage'))))`;

/**
 * Checks the policies that all tables share: the row belongs to the caller, and the account's second factor
 * was used. When `others` is set, it also checks whether this caller may read all rows. The statement selects
 * no row of the table, but needs the right to read it. @throws DatabaseError without that right
 */
async function askRights(
  reader: ChangeReader,
  others: boolean,
): Promise<{ secondFactor: boolean; everyRow: boolean; readable: readonly string[] }> {
  const { caller, table } = reader;
  const parameters = new Parameters();
  parameters.bind(table.oid);
  const factor = caller.role === 'authenticated' ? 'auth.second_factor_given()' : 'true';
  const everyRow = others ? READS_EVERY_ROW : 'false';
  const text = `select (${factor})::text, (${everyRow})::text, (${READABLE})::text from (select 1) as one
    left join (select ${quoteNames(table.primaryKey)} from ${quoteQualified(table)} limit 0) as readable on true`;
  const [row] = await askAsCaller(reader, text, parameters);
  const readable = JSON.parse(row?.[2] ?? '[]') as string[];
  return { secondFactor: row?.[0] === 'true', everyRow: row?.[1] === 'true', readable };
}

function rowsOf(table: Relation): RowSource {
  return { alias: quoteName(table.name), columns: table.columns, embeds: new Map() };
}

function filterColumns(
  table: Relation,
  filters: readonly (readonly Comparison[])[],
  parameters: Parameters,
): string {
  return filters
    .map((filter) => {
      const parts = filter.map((condition) => compileCondition(condition, rowsOf(table), parameters));
      return `, (${parts.length === 0 ? 'true' : parts.join(' and ')})::text`;
    })
    .join('');
}

async function readPresent(reader: ChangeReader, changes: readonly Change[]): Promise<SeenChange[]> {
  const { table, filters } = reader;
  const parameters = new Parameters();
  const keys = table.primaryKey;
  const types = keys.map((key) => `${quoteName(key)} ${table.columns.get(key)?.type ?? 'text'}`).join(', ');
  const list = changes.map((change, n) => ({ ...pick(change.known, keys), realtime_n: n }));
  const alias = quoteName(table.name);
  const text = `select key.realtime_n::text, row_to_json(${alias}.*)::text${filterColumns(table, filters, parameters)}
    from json_to_recordset(${parameters.bind(JSON.stringify(list))}::json) as key (realtime_n int, ${types})
    join ${quoteQualified(table)} as ${alias} using (${quoteNames(keys)})`;
  const rows = await askAsCaller(reader, text, parameters);
  return rows.flatMap(([n, record, ...matches]) => {
    const change = changes[Number(n)];
    if (change === undefined || record == null) return [];
    return [{ change, record, matches: matches.map((match) => match === 'true') }];
  });
}

/**
 * Evaluates filters on a deleted row by what is known of it: the old row, or its key and owner columns. A filter
 * on another column excludes nothing.
 */
async function matchDeleted(reader: ChangeReader, changes: readonly Change[]): Promise<SeenChange[]> {
  const { table, filters } = reader;
  const always = changes.map((change) => ({ change, record: null, matches: filters.map(() => true) }));
  if (filters.every((filter) => filter.length === 0)) return always;
  const parameters = new Parameters();
  const alias = quoteName(table.name);
  const text = `select deleted.n::text${filterColumns(table, filters, parameters)}
    from json_array_elements(${parameters.bind(`[${changes.map(({ old, known }) => old ?? JSON.stringify(known)).join(',')}]`)}::json) with ordinality as deleted (known, n),
    lateral json_populate_record(null::${quoteQualified(table)}, deleted.known) as ${alias}`;
  const rows = await askAsCaller(reader, text, parameters);
  return rows.flatMap(([n, ...matches]) => {
    const change = changes[Number(n) - 1];
    return change === undefined
      ? []
      : [{ change, record: null, matches: matches.map((match) => match !== 'false') }];
  });
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}
