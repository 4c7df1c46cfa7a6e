import type { Column, Relation, Routine, Schema } from '@northline/postgrest/schema-shape';
import { quoteName } from '@northline/postgrest/sql-text';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Database } from '../../../kernel/resources/database/database.ts';
import { type ColumnDetails, detailsOf, type SchemaDetails } from './schema-details.server.ts';

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

type Json = Record<string, unknown>;

/**
 * The OpenAPI 2.0 description of everything this caller may use, as JSON text, in the form of PostgREST
 * (docs/contracts/platform.md §4).
 */
export async function describeSchema(database: Database, schema: Schema, caller: Caller): Promise<string> {
  const rights = await readRights(database, schema.name, caller);
  const details = await detailsOf(database, schema);
  const relations = [...schema.relations.values()]
    .filter(({ name }) => (rights.tables.get(name)?.size ?? 0) > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const routines = [...schema.routines]
    .filter(([name]) => rights.routines.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const comment = details.comment === STANDARD_COMMENT ? null : details.comment;
  const { summary = 'Northline data', description = 'Tables, views and functions for this caller.' } =
    wordsOf(comment);
  return JSON.stringify({
    swagger: '2.0',
    info: { title: summary, description, version: '1' },
    basePath: SERVICES.rest,
    consumes: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    produces: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    paths: Object.fromEntries([
      ['/', { get: { tags: ['Introspection'], summary: 'This document', responses: OK } }],
      ...relations.map((relation) => [
        `/${relation.name}`,
        tablePath(relation, rights.tables.get(relation.name), details),
      ]),
      ...routines.map(([name, overloads]) => [`/rpc/${name}`, routinePath(schema, name, overloads, details)]),
    ]),
    parameters: {
      ...PARAMETERS,
      ...Object.fromEntries(relations.flatMap((relation) => tableParameters(relation, details))),
    },
    definitions: Object.fromEntries(
      relations.map((relation) => [relation.name, definition(schema, relation, details)]),
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

/** PostgreSQL's own words about the schema `public`. */
const STANDARD_COMMENT = 'standard public schema';
const OK = { 200: { description: 'OK' } };

/** A comment's first line, and the lines after it. */
function wordsOf(comment: string | null | undefined): { summary?: string; description?: string } {
  const [summary = '', ...lines] = (comment ?? '').split('\n');
  const description = lines.join('\n').replace(/^\n+/, '');
  return { ...(summary === '' ? {} : { summary }), ...(description === '' ? {} : { description }) };
}

const optional = (name: string, description: string | null, place: Json): Json => ({
  name,
  ...(description === null ? {} : { description }),
  required: false,
  ...place,
});
const IN_QUERY = { in: 'query', type: 'string' };
const IN_HEADER = { in: 'header', type: 'string' };
const RETURNS = ['return=representation', 'return=minimal', 'return=headers-only'];
const RESOLUTIONS = ['resolution=ignore-duplicates', 'resolution=merge-duplicates'];
const prefer = (words: readonly string[]): Json =>
  optional('Prefer', 'Preference', { ...IN_HEADER, enum: words });

/** Parameters that all tables have. */
const PARAMETERS: Json = {
  preferReturn: prefer(RETURNS),
  preferCount: prefer(['count=exact', 'count=planned', 'count=estimated']),
  preferPost: prefer([...RETURNS, ...RESOLUTIONS]),
  select: optional('select', 'Columns and embedded rows', IN_QUERY),
  on_conflict: optional('on_conflict', 'Columns of a unique constraint', IN_QUERY),
  order: optional('order', 'Order of the rows', IN_QUERY),
  range: optional('Range', 'Limit and offset', IN_HEADER),
  rangeUnit: optional('Range-Unit', 'Limit and offset', { ...IN_HEADER, default: 'items' }),
  offset: optional('offset', 'Rows to leave out', IN_QUERY),
  limit: optional('limit', 'Most rows to return', IN_QUERY),
};

const referTo = (name: string): Json => ({ $ref: `#/parameters/${name}` });

/** The filters of a table's columns, and its rows as a body. */
function tableParameters({ name, columns }: Relation, { relations }: SchemaDetails): [string, Json][] {
  const details = relations.get(name)?.columns ?? {};
  return [
    [`body.${name}`, optional(name, name, { in: 'body', schema: { $ref: `#/definitions/${name}` } })],
    ...[...columns.keys()].map((column): [string, Json] => [
      `rowFilter.${name}.${column}`,
      optional(column, details[column]?.comment ?? null, IN_QUERY),
    ]),
  ];
}

function tablePath(
  { name, columns }: Relation,
  verbs: ReadonlySet<string> | undefined,
  { relations }: SchemaDetails,
) {
  const filters = [...columns.keys()].map((column) => referTo(`rowFilter.${name}.${column}`));
  const body = referTo(`body.${name}`);
  const reads = ['select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount'];
  const parameters = {
    get: [...filters, ...reads.map(referTo)],
    post: [body, referTo('select'), referTo('preferPost')],
    patch: [...filters, body, referTo('preferReturn')],
    delete: [...filters, referTo('preferReturn')],
  };
  const rows = { type: 'array', items: { $ref: `#/definitions/${name}` } };
  const answers = {
    get: { 200: { description: 'OK', schema: rows }, 206: { description: 'Partial Content' } },
    post: { 201: { description: 'Created' } },
    patch: { 204: { description: 'No Content' } },
    delete: { 204: { description: 'No Content' } },
  };
  const words = wordsOf(relations.get(name)?.comment);
  return Object.fromEntries(
    METHODS.filter(([, verb]) => verbs?.has(verb)).map(([method]) => [
      method,
      { tags: [name], ...words, parameters: parameters[method], responses: answers[method] },
    ]),
  );
}

function routinePath(schema: Schema, name: string, overloads: readonly Routine[], details: SchemaDetails) {
  const args = overloads[0]?.args.filter((arg) => arg.name !== '') ?? [];
  const comment = details.routines.get(name);
  // Types of the schema itself have no prefix here.
  const own = `${quotedIfNeeded(schema.name)}.`;
  const typed = args.map((arg) => ({
    ...arg,
    type: arg.type.startsWith(own) ? arg.type.slice(own.length) : arg.type,
  }));
  const required = args.filter((arg) => arg.required).map((arg) => arg.name);
  const body = {
    type: 'object',
    ...(comment === undefined ? {} : { description: comment }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(typed.map((arg) => [arg.name, typeOf(arg.type)])),
  };
  const operation = { tags: [`(rpc) ${name}`], ...wordsOf(comment), responses: OK };
  const post = { ...operation, parameters: [{ name: 'args', in: 'body', required: true, schema: body }] };
  if (overloads.every((routine) => routine.volatile)) return { post };
  const parameters = typed.map((arg) => ({
    name: arg.name,
    in: 'query',
    required: arg.required,
    ...(arg.variadic ? listInQuery(arg.type) : { ...typeInQuery(arg.type), format: formatOf(arg.type) }),
  }));
  return { get: { ...operation, parameters }, post };
}

const quotedIfNeeded = (name: string): string => (/^[a-z_][a-z0-9_$]*$/.test(name) ? name : quoteName(name));

/** An argument that is given several times. */
function listInQuery(type: string): Json {
  const element = type.replace(/\[\]$/, '');
  const items = { ...typeInQuery(element), format: formatOf(element) };
  return { type: 'array', items, collectionFormat: 'multi' };
}

/** In a query string arrays and JSON are texts. */
function typeInQuery(type: string): Json {
  const name = typeName(type);
  return { type: name === undefined || name === 'array' ? 'string' : name };
}

function definition(schema: Schema, relation: Relation, { relations }: SchemaDetails) {
  const { name, columns } = relation;
  const details = relations.get(name);
  const required = [...columns.keys()].filter((column) => details?.columns[column]?.notNull);
  return {
    type: 'object',
    ...(details?.comment == null ? {} : { description: details.comment }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(
      [...columns.values()].map((column) => [
        column.name,
        property(column, noteOn(schema, relation, column.name), details?.columns[column.name]),
      ]),
    ),
  };
}

/** Says whether a column is a key. A view is named only where no table has the key. */
function noteOn({ foreignKeys, relations }: Schema, { name, primaryKey }: Relation, column: string): string {
  const keys = foreignKeys.filter((one) => one.table === name && one.columns.join() === column);
  const key = keys.find(({ target }) => relations.get(target)?.isTable) ?? keys[0];
  const notes = [
    ...(primaryKey.includes(column) ? ['This is a Primary Key.<pk/>'] : []),
    ...(key === undefined
      ? []
      : [
          `This is a Foreign Key to \`${key.target}.${key.targetColumns[0]}\`.<fk table='${key.target}' column='${key.targetColumns[0]}'/>`,
        ]),
  ];
  return notes.length === 0 ? '' : ['Note:', ...notes].join('\n');
}

function property({ type, fallback }: Column, note: string, details: ColumnDetails | undefined): Json {
  const description = [details?.comment ?? '', note].filter((text) => text !== '').join('\n\n');
  const value = defaultOf(type, fallback);
  return {
    ...typeOf(type),
    ...(description === '' ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    ...(details?.maxLength == null ? {} : { maxLength: details.maxLength }),
    ...(details?.labels == null ? {} : { enum: details.labels }),
  };
}

/** A default that is a plain value. */
function defaultOf(type: string, fallback: string | null): unknown {
  if (fallback === null) return undefined;
  const name = typeName(type);
  if (name === 'string') {
    const text = fallback.endsWith(`::${type}`) ? fallback.slice(0, -type.length - 2) : fallback;
    return text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
  }
  if (name === 'boolean') return { true: true, false: false }[fallback];
  return /^-?\d+(\.\d+)?$/.test(fallback) && name !== 'array' ? Number(fallback) : undefined;
}

/** The JSON type for an SQL type, with the SQL name as its format. */
function typeOf(type: string): Json {
  const name = typeName(type);
  const format = { format: formatOf(type) };
  if (name === undefined) return format;
  if (name !== 'array') return { ...format, type: name };
  const element = typeName(type.slice(0, -2));
  return { ...format, type: name, items: element === undefined ? {} : { type: element } };
}

/** Without a length PostgreSQL prints the type `character` as `bpchar`. */
const formatOf = (type: string): string =>
  type.replace(/^bpchar(?=$|\[)/, 'character').replace(/^"bit"/, 'bit');

/** Undefined for json, which has any type. */
function typeName(type: string): string | undefined {
  if (/^jsonb?$/.test(type)) return undefined;
  if (type.endsWith('[]')) return 'array';
  if (/^(smallint|integer|bigint)$/.test(type)) return 'integer';
  if (/^(numeric|real|double precision)$/.test(type)) return 'number';
  return type === 'boolean' ? 'boolean' : 'string';
}
