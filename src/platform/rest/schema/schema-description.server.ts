import type { Column, Relation, Routine, Schema } from '@northline/postgrest/schema-shape';
import { quoteName } from '@northline/postgrest/sql-text';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Database } from '../../../kernel/resources/database/database.ts';

/** A caller's rights, as PostgreSQL reports them. */
interface Rights {
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  readonly routines: ReadonlySet<string>;
}

/** `$1` is the schema. */
const RIGHTS = `
  select 'table', relname::text, array_to_string(array(
      select verb from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as verb
      where has_table_privilege(oid, verb) or (verb <> 'DELETE' and has_any_column_privilege(oid, verb))), ',')
    from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p', 'v', 'm', 'f')
  union all
  select distinct 'routine', proname::text, '' from pg_proc
    where pronamespace = to_regnamespace($1) and has_function_privilege(oid, 'EXECUTE')`;

const METHODS = [
  ['get', 'SELECT'],
  ['post', 'INSERT'],
  ['patch', 'UPDATE'],
  ['delete', 'DELETE'],
] as const;

/**
 * The OpenAPI 2.0 description of everything this caller may use, as JSON text (docs/contracts/platform.md
 * §4).
 */
export async function describeSchema(database: Database, schema: Schema, caller: Caller): Promise<string> {
  const rights = await readRights(database, schema.name, caller);
  const relations = [...schema.relations.values()]
    .filter(({ name }) => (rights.tables.get(name)?.size ?? 0) > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const routines = [...schema.routines]
    .filter(([name]) => rights.routines.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({
    swagger: '2.0',
    info: {
      title: 'Northline data',
      description: 'Tables, views and functions for this caller.',
      version: '1',
    },
    basePath: SERVICES.rest,
    consumes: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    produces: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    paths: Object.fromEntries([
      ...relations.map((relation) => [
        `/${relation.name}`,
        tablePath(relation, rights.tables.get(relation.name)),
      ]),
      ...routines.map(([name, overloads]) => [`/rpc/${name}`, routinePath(name, overloads)]),
    ]),
    definitions: Object.fromEntries(
      relations.map((relation) => [relation.name, definition(schema, relation)]),
    ),
  });
}

async function readRights(database: Database, schema: string, caller: Caller): Promise<Rights> {
  const { rows } = await database.statementAsCaller(caller, {
    text: RIGHTS,
    values: [quoteName(schema)],
    readOnly: true,
  });
  const of = (kind: string) => rows.filter(([found]) => found === kind);
  return {
    tables: new Map(
      of('table').map(([, name, verbs]) => [String(name), new Set((verbs ?? '').split(',').filter(Boolean))]),
    ),
    routines: new Set(of('routine').map(([, name]) => String(name))),
  };
}

function tablePath({ name, columns }: Relation, verbs: ReadonlySet<string> | undefined) {
  const filters = [...columns.keys()].map((column) => ({
    name: column,
    in: 'query',
    required: false,
    type: 'string',
  }));
  const common = ['select', 'order', 'limit', 'offset'].map((word) => ({
    name: word,
    in: 'query',
    required: false,
    type: 'string',
  }));
  const row = { $ref: `#/definitions/${name}` };
  const body = { name, in: 'body', required: false, schema: row };
  const parameters = {
    get: [...filters, ...common],
    post: [body],
    patch: [...filters, body],
    delete: filters,
  };
  const answers = {
    get: {
      200: { description: 'OK', schema: { type: 'array', items: row } },
      206: { description: 'Partial Content' },
    },
    post: { 201: { description: 'Created' } },
    patch: { 204: { description: 'No Content' } },
    delete: { 204: { description: 'No Content' } },
  };
  return Object.fromEntries(
    METHODS.filter(([, verb]) => verbs?.has(verb)).map(([method]) => [
      method,
      { tags: [name], parameters: parameters[method], responses: answers[method] },
    ]),
  );
}

function routinePath(name: string, overloads: readonly Routine[]) {
  const [first] = overloads;
  const args = first?.args.filter((arg) => arg.name !== '') ?? [];
  const schema = {
    type: 'object',
    required: args.filter((arg) => arg.required).map((arg) => arg.name),
    properties: Object.fromEntries(args.map((arg) => [arg.name, typeOf(arg.type)])),
  };
  const post = {
    tags: [`(rpc) ${name}`],
    parameters: [{ name: 'args', in: 'body', required: true, schema }],
    responses: { 200: { description: 'OK' } },
  };
  if (overloads.every((routine) => routine.volatile)) return { post };
  const parameters = args.map((arg) => ({
    name: arg.name,
    in: 'query',
    required: arg.required,
    type: 'string',
  }));
  return { get: { ...post, parameters }, post };
}

function definition(schema: Schema, { name, isTable, columns, primaryKey }: Relation) {
  const properties = [...columns.values()].map((column) => {
    const key = schema.foreignKeys.find((one) => one.table === name && one.columns.join() === column.name);
    const notes = [
      ...(primaryKey.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []),
      ...(key === undefined
        ? []
        : [
            `This is a Foreign Key to \`${key.target}.${key.targetColumns[0]}\`.<fk table='${key.target}' column='${key.targetColumns[0]}'/>`,
          ]),
    ];
    return [
      column.name,
      { ...typeOf(column.type), ...(notes.length === 0 ? {} : { description: notes.join('\n') }) },
    ];
  });
  return {
    type: 'object',
    ...(isTable ? { required: requiredOf(columns, primaryKey) } : {}),
    properties: Object.fromEntries(properties),
  };
}

function requiredOf(columns: ReadonlyMap<string, Column>, primaryKey: readonly string[]): string[] {
  return primaryKey.filter((name) => columns.get(name)?.fallback == null);
}

/** The JSON type for an SQL type, with the SQL name as its format. */
function typeOf(type: string): Record<string, unknown> {
  if (type.endsWith('[]')) return { type: 'array', format: type, items: typeOf(type.slice(0, -2)) };
  if (/^(smallint|integer|bigint)$/.test(type)) return { type: 'integer', format: type };
  if (/^(numeric|real|double precision)/.test(type)) return { type: 'number', format: type };
  if (type === 'boolean') return { type: 'boolean', format: type };
  if (/^jsonb?$/.test(type)) return { format: type };
  return { type: 'string', format: type };
}
