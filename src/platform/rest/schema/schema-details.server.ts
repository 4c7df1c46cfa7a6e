import type { Schema } from '@northline/postgrest/schema-shape';
import { quoteName } from '@northline/postgrest/sql-text';
import type { Database } from '../../../kernel/resources/database/database.ts';
import { BASE_JOIN } from './schema-load.server.ts';

/** What the description of a schema says about a column besides its name and type. */
export interface ColumnDetails {
  readonly comment: string | null;
  readonly notNull: boolean;
  /** Most characters of a `varchar(n)` or `char(n)`. */
  readonly maxLength: number | null;
  /** The values of an enum. */
  readonly labels: readonly string[] | null;
}

/** What the description of a schema says and no statement needs: comments, and limits of columns. */
export interface SchemaDetails {
  readonly comment: string | null;
  readonly relations: ReadonlyMap<
    string,
    { readonly comment: string | null; readonly columns: Readonly<Record<string, ColumnDetails>> }
  >;
  /** Comments by the function's name; of overloads, the first that has one. */
  readonly routines: ReadonlyMap<string, string>;
}

/** `b` is the base of a column's type `t` if that is a domain. */
const DETAILS = `
  select 'schema' as kind, nspname::text as name, obj_description(oid, 'pg_namespace') as comment, null::json as columns
    from pg_namespace where oid = to_regnamespace($1)
  union all
  select 'table', c.relname, obj_description(c.oid, 'pg_class'), (
      select json_object_agg(a.attname, json_build_object('comment', col_description(c.oid, a.attnum),
        'notNull', a.attnotnull or (t.typtype = 'd' and t.typnotnull),
        'maxLength', case when coalesce(b.typname, t.typname) in ('varchar', 'bpchar')
          then nullif(greatest(a.atttypmod, t.typtypmod, 3), 3) - 4 end,
        'labels', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
          where e.enumtypid = coalesce(b.oid, t.oid))))
      from pg_attribute a join pg_type t on t.oid = a.atttypid ${BASE_JOIN}
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
    from pg_class c where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p', 'v', 'm', 'f')
  union all
  select 'routine', p.proname, obj_description(p.oid, 'pg_proc'), null
    from pg_proc p where p.pronamespace = to_regnamespace($1) and obj_description(p.oid, 'pg_proc') is not null`;

/** Kept as long as the schema that they describe. */
const known = new WeakMap<Schema, Promise<SchemaDetails>>();

/** The details of a schema, which are read once for each schema that is loaded. */
export function detailsOf(database: Database, schema: Schema): Promise<SchemaDetails> {
  const found = known.get(schema) ?? load(database, schema);
  known.set(schema, found);
  found.catch(() => known.delete(schema));
  return found;
}

async function load(database: Database, { name }: Schema): Promise<SchemaDetails> {
  const rows = (await database.many(DETAILS, [quoteName(name)])) as {
    kind: 'schema' | 'table' | 'routine';
    name: string;
    comment: string | null;
    columns: Record<string, ColumnDetails> | null;
  }[];
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    comment: of('schema')[0]?.comment ?? null,
    relations: new Map(
      of('table').map(({ name: table, comment, columns }) => [table, { comment, columns: columns ?? {} }]),
    ),
    routines: new Map(of('routine').map((row) => [row.name, row.comment ?? ''])),
  };
}
