import type pg from 'pg';
import { type CatalogueNames, NullAnalysis, outputColumns } from './nullability.ts';
import { firstNode, parseTree, type TreeNode } from './query-tree.ts';

/** The parameters and the result of a statement, as TypeScript. */
export interface StatementType {
  readonly values: readonly string[];
  readonly row: readonly { name: string; type: string }[];
}

/** What `pg` returns for each type of PostgreSQL, and what it accepts for it. Every other type is text. */
const TYPES: Readonly<Record<string, { row: string; value: string }>> = {
  bool: { row: 'boolean', value: 'boolean' },
  int2: { row: 'number', value: 'number' },
  int4: { row: 'number', value: 'number' },
  oid: { row: 'number', value: 'number' },
  float4: { row: 'number', value: 'number' },
  float8: { row: 'number', value: 'number' },
  int8: { row: 'string', value: 'number | bigint | string' },
  numeric: { row: 'string', value: 'number | string' },
  timestamptz: { row: 'Date', value: 'Date | string' },
  timestamp: { row: 'Date', value: 'Date | string' },
  date: { row: 'Date', value: 'Date | string' },
  bytea: { row: 'Buffer', value: 'Uint8Array' },
  json: { row: 'unknown', value: 'object | string' },
  jsonb: { row: 'unknown', value: 'object | string' },
  interval: { row: 'object', value: 'string' },
};
/** Arrays of text-like types that `pg` leaves as the text `{a,b}`. */
const UNREAD_ARRAYS = new Set(['_name', '_regclass', '_regtype', '_regproc', '_xid', '_oidvector']);
const NUMBER_ARRAYS = new Set(['_int2', '_int4', '_oid', '_float4', '_float8', '_numeric']);

/** Derives the types of statements from a migrated database. */
export class StatementTypes {
  readonly #client: pg.Client;
  readonly #names: CatalogueNames;
  readonly #nulls: NullAnalysis;
  readonly #columns: ReadonlyMap<string, ColumnFacts>;

  private constructor(client: pg.Client, names: CatalogueNames, columns: ReadonlyMap<string, ColumnFacts>) {
    this.#client = client;
    this.#names = names;
    this.#nulls = new NullAnalysis(names);
    this.#columns = columns;
  }

  static async open(client: pg.Client, names: CatalogueNames): Promise<StatementTypes> {
    return new StatementTypes(client, names, await readColumnFacts(client));
  }

  /** @throws DatabaseError with PostgreSQL's message when the statement does not fit the schema */
  async describe(text: string): Promise<StatementType> {
    await this.#client.query(`deallocate all; prepare checked as ${text}`);
    const { rows } = await this.#client.query<{ takes: string[]; takes_names: string[]; gives: string[] }>(
      `select parameter_types::text[] as takes, ${namesOf('parameter_types')} as takes_names,
         ${namesOf('result_types')} as gives
       from pg_prepared_statements where name = 'checked'`,
    );
    const prepared = rows[0];
    if (prepared === undefined) throw new Error('the statement was not prepared');
    const query = await this.#analysed(text, prepared.takes);
    const output = outputColumns(query);
    return {
      values: prepared.takes_names.map(valueType),
      row: output.map((column, at) =>
        this.#outputColumn(query, column, at, { type: prepared.gives[at] ?? 'text', text }),
      ),
    };
  }

  /** The analysed query, which PostgreSQL stores for a function's body. */
  async #analysed(text: string, takes: readonly string[]): Promise<TreeNode> {
    const signature = `pg_temp.checked(${takes.join(', ')})`;
    // Several statements in one round trip; PostgreSQL answers each of them.
    const results = (await this.#client.query(
      `create function ${signature} returns void language sql begin atomic ${text}; end;
       select prosqlbody::text as body from pg_proc where pronamespace = pg_my_temp_schema() and proname = 'checked';
       drop function ${signature}`,
    )) as unknown as pg.QueryResult<{ body: string }>[];
    const { rows } = results[1] ?? { rows: [] };
    const query = firstNode(parseTree(rows[0]?.body ?? ''));
    if (query === undefined) throw new Error('the statement was not analysed');
    return query;
  }

  /** What is known about the table column that a result column shows, also through views. */
  #factsOf(column: TreeNode): ColumnFacts | undefined {
    const [table, at] = [String(column.fields.get('resorigtbl')), String(column.fields.get('resorigcol'))];
    const view = this.#names.views.get(table);
    const shown = view === undefined ? undefined : outputColumns(view)[Number(at) - 1];
    return shown === undefined ? this.#columns.get(`${table} ${at}`) : this.#factsOf(shown);
  }

  #outputColumn(
    query: TreeNode,
    column: TreeNode,
    at: number,
    given: { type: string; text: string },
  ): { name: string; type: string } {
    const name = String(column.fields.get('resname') ?? '?column?');
    const facts = this.#factsOf(column);
    const type = rowType(given.type, facts);
    const set = this.#nulls.columnIsSet(query, at) || isMarked(given.text, name);
    return { name, type: set || type === 'unknown' ? type : nullable(type) };
  }
}

/** Whether the author marked a column: `max(position) as last /* not null *\/`. */
function isMarked(text: string, name: string): boolean {
  const plain = name.replace(/[^\w]/g, '\\$&');
  return new RegExp(`\\b${plain}"?\\s*/\\* not null \\*/`).test(text);
}

interface ColumnFacts {
  /** `auth.users.email`. */
  readonly name: string;
  /** The texts that a check allows, as a union. */
  readonly union: string | undefined;
}

async function readColumnFacts(client: pg.Client): Promise<Map<string, ColumnFacts>> {
  const { rows } = await client.query<{ key: string; name: string; allowed: string | null }>(
    `select a.attrelid || ' ' || a.attnum as key, n.nspname || '.' || c.relname || '.' || a.attname as name,
       (select pg_get_expr(k.conbin, k.conrelid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'
         and k.conkey = array[a.attnum] and pg_get_expr(k.conbin, k.conrelid) like '%= ANY (ARRAY[%' limit 1) as allowed
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where a.attnum > 0 and n.nspname !~ '^(pg_|information_schema)'`,
  );
  return new Map(rows.map(({ key, name, allowed }) => [key, { name, union: unionOf(allowed) }]));
}

/** `(state = ANY (ARRAY['a'::text, 'b'::text]))` as `'a' | 'b'`; undefined for any other check. */
function unionOf(check: string | null): string | undefined {
  const [, items] = /^\(\w+ = ANY \(ARRAY\[((?:'[\w-]+'::text(?:, )?)+)\]\)\)$/.exec(check ?? '') ?? [];
  return items?.replaceAll('::text', '').split(', ').join(' | ');
}

/** The names of an array of types, in its order. */
const namesOf = (types: string): string =>
  `array(select t.typname::text from unnest(${types}) with ordinality p (oid, at) join pg_type t on t.oid = p.oid order by at)`;

const nullable = (type: string): string => `${type} | null`;

function rowType(type: string, facts: ColumnFacts | undefined): string {
  if (type === 'json' || type === 'jsonb')
    return facts === undefined ? 'unknown' : `JsonColumn<'${facts.name}'>`;
  if (facts?.union !== undefined && type === 'text') return facts.union;
  if (type.startsWith('_') && !UNREAD_ARRAYS.has(type)) {
    if (NUMBER_ARRAYS.has(type)) return 'number[]';
    const item = TYPES[type.slice(1)]?.row ?? 'string';
    return `${item}[]`;
  }
  return TYPES[type]?.row ?? 'string';
}

function valueType(type: string): string {
  if (!type.startsWith('_')) return TYPES[type]?.value ?? 'string';
  const item = TYPES[type.slice(1)]?.value ?? 'string';
  return `readonly (${item} | null)[]`;
}
