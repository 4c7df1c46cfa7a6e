import type {
  Column,
  ComputedRelationship,
  Relation,
  Routine,
  Schema,
} from '@northline/postgrest/schema-shape';
import { quoteName } from '@northline/postgrest/sql-text';
import type { Database, Queries } from '../../../kernel/resources/database/database.ts';
import {
  loadViewSources,
  PRIMARY_KEY,
  REACHED,
  type StoredKey,
  type ViewSources,
  withViewKey,
  withViewKeys,
} from './view-columns.server.ts';

/** Joins `b`, the type at the end of the domains if a type `t` is one. */
export const BASE_JOIN = `left join pg_type b on b.oid = (
  with recursive chain (oid, next) as (
    select p.oid, p.typbasetype from pg_type p where p.oid = t.typbasetype
    union all select p.oid, p.typbasetype from chain join pg_type p on p.oid = chain.next)
  select oid from chain where next = 0)`;

/** What a column's type `t` says, and its base `b` if it is a domain. */
const TYPE_FIELDS = `'shortType', t.typname, 'family', case coalesce(b.typname, t.typname)
    when 'json' then 'json' when 'jsonb' then 'json' when 'tsvector' then 'tsvector' else 'other' end`;
const COLUMN = `json_build_object(
  'name', a.attname, 'type', format_type(a.atttypid, -1), ${TYPE_FIELDS},
  'fallback', case when a.attgenerated <> '' then null
    when a.attidentity = 'd' then format('nextval(%L)', pg_get_serial_sequence(a.attrelid::regclass::text, a.attname))
    when d.adbin is null and t.typtype = 'd' then t.typdefault
    else pg_get_expr(d.adbin, d.adrelid) end)`;
const COLUMN_JOINS = `join pg_type t on t.oid = a.atttypid
  ${BASE_JOIN}
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum`;

const RELATIONS = `
  select c.relname as name, c.relkind in ('r', 'p') as "isTable", c.relispartition as "isPartition",
    (select coalesce(json_agg(${COLUMN} order by a.attnum), '[]') from pg_attribute a ${COLUMN_JOINS}
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    ${PRIMARY_KEY} as "primaryKey"
  from pg_class c where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p', 'v', 'm', 'f')`;

const COLUMNS_OF_KEY = `(
  select json_agg(a.attname order by o.at) from unnest(f.conkey) with ordinality o (key, at)
  join pg_attribute a on a.attrelid = f.conrelid and a.attnum = o.key)`;
const COLUMNS_OF_TARGET = `(
  select json_agg(a.attname order by o.at) from unnest(f.confkey) with ordinality o (key, at)
  join pg_attribute a on a.attrelid = f.confrelid and a.attnum = o.key)`;

const FOREIGN_KEYS = `${REACHED}
  select f.conname as name, f.conrelid::int8::text as "tableId", ${COLUMNS_OF_KEY} as columns,
    f.confrelid::int8::text as "targetId", ${COLUMNS_OF_TARGET} as "targetColumns",
    exists (select from pg_index i where i.indrelid = f.conrelid and i.indisunique and i.indpred is null
      and i.indkey::int2[] <@ f.conkey) as "unique"
  from pg_constraint f
  where f.contype = 'f' and f.conparentid = 0
    and f.conrelid in (select oid from reached) and f.confrelid in (select oid from reached)
  order by f.conname`;

/** The results that a function names: columns of `returns table`, and arguments `out` and `inout`. */
const NAMED_RESULTS = `unnest(p.proallargtypes, p.proargnames, p.proargmodes) with ordinality o (oid, name, mode, at)
  where o.mode in ('t', 'o', 'b') and o.name <> ''`;

// The type of a function with one named result is that result's own, although it returns rows of one column.
// `r` is the type of the result, `d` the domain over it if there is one.
const ROUTINES = `
  select p.proname as name, p.proretset as "returnsSet", p.provolatile = 'v' as volatile,
    case when r.typname = 'void' then 'void'
      when r.typtype = 'c' or exists (select from ${NAMED_RESULTS}) then 'composite'
      else 'scalar' end as returns,
    (select relname from pg_class where oid = r.typrelid and relkind in ('r', 'p', 'v', 'm')
      and relnamespace = to_regnamespace($1)) as relation,
    given.args,
    coalesce(
      (select json_agg(${COLUMN} order by a.attnum) from pg_attribute a ${COLUMN_JOINS}
        where a.attrelid = r.typrelid and r.typrelid <> 0 and a.attnum > 0 and not a.attisdropped),
      (select json_agg(json_build_object('name', o.name, 'type', format_type(o.oid, -1), ${TYPE_FIELDS},
          'fallback', null) order by o.at)
        from (select * from ${NAMED_RESULTS}) as o
        join pg_type t on t.oid = o.oid ${BASE_JOIN}),
      '[]') as columns
  from pg_proc p
  join pg_type d on d.oid = p.prorettype
  join pg_type r on r.oid = case d.typtype when 'd' then d.typbasetype else d.oid end
  cross join lateral (
    select coalesce(json_agg(json_build_object('name', coalesce(g.name, ''), 'type', format_type(g.oid, -1),
        'required', g.n <= p.pronargs - p.pronargdefaults and g.mode <> 'v', 'variadic', g.mode = 'v') order by g.n), '[]') as args,
      count(*) as number, count(nullif(g.name, '')) as named, min(format_type(g.oid, -1)) as type
    from (
      select x.oid, p.proargnames[x.at] as name, coalesce(p.proargmodes[x.at]::text, case when p.provariadic <> 0
        and x.at = p.pronargs then 'v' else 'i' end) as mode, row_number() over (order by x.at) as n
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality x (oid, at)
      where coalesce(p.proargmodes[x.at]::text, 'i') in ('i', 'b', 'v')
    ) g) given
  where p.pronamespace = to_regnamespace($1) and p.prokind = 'f'
    and d.typname not in ('trigger', 'event_trigger', 'internal')
    -- An argument without a name takes the whole body, so it is the only one, and of a type that a body can have.
    and (given.named = given.number or (given.number = 1 and given.type in ('json', 'jsonb', 'text', 'xml', 'bytea')))
    and not exists (select from pg_depend e where e.objid = p.oid and e.deptype = 'e')`;

// `rows 1`, or no set at all, declares that a function returns at most one row.
const COMPUTED = `
  select p.proname as name, c.relname as "table", t.relname as target, not p.proretset or p.prorows = 1 as "toOne"
  from pg_proc p
  join pg_class c on c.reltype = p.proargtypes[0] and c.relkind in ('r', 'p', 'v', 'm', 'f')
  join pg_class t on t.reltype = p.prorettype and t.relkind in ('r', 'p', 'v', 'm', 'f')
  where p.pronamespace = to_regnamespace($1) and p.prokind = 'f' and p.pronargs = 1
    and c.relnamespace = p.pronamespace and t.relnamespace = p.pronamespace`;

const FIELDS = `
  select c.relname as "table", json_build_object('name', p.proname, 'type', format_type(p.prorettype, -1),
    ${TYPE_FIELDS}, 'fallback', null) as field
  from pg_proc p
  join pg_class c on c.reltype = p.proargtypes[0] and c.relkind in ('r', 'p', 'v', 'm', 'f')
  join pg_type t on t.oid = p.prorettype and t.typtype <> 'p' ${BASE_JOIN}
  where p.pronamespace = to_regnamespace($1) and p.prokind = 'f' and p.pronargs = 1 and not p.proretset
    and c.relnamespace = p.pronamespace`;

type Raw<T> = Omit<T, 'columns' | 'schema'> & { columns: Column[] };

type StoredRelation = Raw<Relation> & { readonly isPartition: boolean };

/** A schema as the catalogue describes it. */
interface StoredSchema {
  readonly given: StoredRelation[];
  readonly foreignKeys: StoredKey[];
  readonly routines: Raw<Routine>[];
  readonly computed: ComputedRelationship[];
  readonly fields: { table: string; field: Column }[];
  readonly views: ViewSources;
}

/**
 * Reads a schema from the catalogue, as the owner.
 *
 * @param options.partitions whether partitions count as tables; requests name the partitioned table alone
 */
export async function loadSchema(
  database: Database,
  name = 'public',
  { partitions = false }: { readonly partitions?: boolean } = {},
): Promise<Schema> {
  const { given, foreignKeys, routines, computed, fields, views } = await database.transaction((queries) =>
    readCatalogue(queries, name),
  );
  const byName = new Map<string, Routine[]>();
  for (const routine of routines) {
    const same = byName.get(routine.name) ?? [];
    same.push({ ...routine, schema: name, columns: columnMap(routine.columns) });
    byName.set(routine.name, same);
  }
  const relations = given
    .filter(({ isPartition }) => partitions || !isPartition)
    .map(({ isPartition: _, ...row }) => ({ ...row, schema: name, columns: columnMap(row.columns) }));
  return {
    name,
    relations: new Map(relations.map((row) => [row.name, withViewKey(row, views)])),
    foreignKeys: withViewKeys(foreignKeys, views),
    computed,
    withFields: withFields(relations, fields),
    routines: byName,
  };
}

/**
 * Reads with one statement after another on one connection. Without a search path, PostgreSQL prints types
 * and defaults with their schemas.
 */
async function readCatalogue(queries: Queries, name: string): Promise<StoredSchema> {
  await queries.run("select set_config('search_path', '', true)");
  const schema = quoteName(name);
  return {
    given: (await queries.many(RELATIONS, [schema])) as StoredRelation[],
    foreignKeys: (await queries.many(FOREIGN_KEYS, [schema])) as StoredKey[],
    routines: (await queries.many(ROUTINES, [schema])) as Raw<Routine>[],
    computed: await queries.many(COMPUTED, [schema]),
    fields: (await queries.many(FIELDS, [schema])) as { table: string; field: Column }[],
    views: await loadViewSources(queries, schema),
  };
}

function withFields(
  relations: readonly Relation[],
  fields: readonly { table: string; field: Column }[],
): Map<string, ReadonlyMap<string, Column>> {
  const extended = relations.filter(({ name }) => fields.some(({ table }) => table === name));
  return new Map(
    extended.map(({ name, columns }) => {
      const own = fields.filter(({ table }) => table === name).map(({ field }) => field);
      // A column hides a function with the same name, as in PostgreSQL.
      return [name, new Map([...columnMap(own), ...columns])];
    }),
  );
}

function columnMap(columns: readonly Column[]): Map<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}
