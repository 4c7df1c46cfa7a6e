import type { ForeignKey, Relation } from '@northline/postgrest/schema-shape';
import type { Queries } from '../../../kernel/resources/database/database.ts';

/** A view's columns, by the table column that they show. */
type ShownColumns = ReadonlyMap<string, readonly string[]>;

/** A foreign key as the catalogue stores it: with ids of tables. */
export type StoredKey = Omit<ForeignKey, 'table' | 'target' | 'tableIsMain' | 'targetIsMain'> & {
  readonly tableId: string;
  readonly targetId: string;
};

/** What the views of a schema show: tables of that schema and, through the views, tables of others. */
export interface ViewSources {
  /** Names of the tables that are in the schema, by their ids. */
  readonly served: ReadonlyMap<string, string>;
  /** By the table's id. */
  readonly primaryKeys: ReadonlyMap<string, readonly string[]>;
  /** By the view's id: the tables whose columns it shows unchanged, by table id. */
  readonly views: ReadonlyMap<string, ReadonlyMap<string, ShownColumns>>;
}

/** The primary key of `c`, a row of pg_class, as a list of names. */
export const PRIMARY_KEY = `(
  select coalesce(json_agg(k.attname order by o.at), '[]') from pg_index i, unnest(i.indkey) with ordinality o (key, at)
  join pg_attribute k on k.attnum = o.key where i.indrelid = c.oid and i.indisprimary and k.attrelid = c.oid)`;

/**
 * The relations of the schema `$1`, and those that its views reach: API schemas contain views of tables
 * elsewhere.
 */
export const REACHED = `with recursive reached (oid) as (
    select oid from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p', 'f', 'v', 'm')
    union
    select d.refobjid from reached
    join pg_rewrite r on r.ev_class = reached.oid and r.ev_type = '1'
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass)`;
const RULES = `${REACHED}
  select c.oid::int8::text as oid, r.ev_action::text as action
  from reached join pg_class c on c.oid = reached.oid join pg_rewrite r on r.ev_class = c.oid
  where r.ev_type = '1' and c.relkind in ('v', 'm')`;
const ATTRIBUTES = `${REACHED}
  select c.oid::int8::text as oid, c.relname as relation, c.relkind in ('v', 'm') as "isView",
    c.relnamespace = to_regnamespace($1) as "isServed", json_object_agg(a.attnum, a.attname) as names,
    ${PRIMARY_KEY} as "primaryKey"
  from reached join pg_class c on c.oid = reached.oid
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  group by c.oid`;

interface ReachedRelation {
  readonly oid: string;
  readonly relation: string;
  readonly isView: boolean;
  /** True when it is in the schema itself. */
  readonly isServed: boolean;
  readonly names: Record<string, string>;
  readonly primaryKey: readonly string[];
}

/** One column of a view: its number, and the column that it shows. */
interface ShownColumn {
  readonly number: string;
  readonly table: string;
  readonly column: string;
}

/**
 * Reads which table columns the views show, from the rules in the catalogue: there, each column of a view's
 * query names its source (`resorigtbl`, `resorigcol`).
 */
export async function loadViewSources(queries: Queries, schema: string): Promise<ViewSources> {
  const rules = await queries.many(RULES, [schema]);
  const relations = (await queries.many(ATTRIBUTES, [schema])) as ReachedRelation[];
  const byOid = new Map(relations.map((one) => [one.oid, one]));
  const shown = new Map(rules.map(({ oid, action }) => [oid, shownColumns(action)]));
  const trace = (
    { table, column }: ShownColumn,
    depth: number,
  ): { table: string; column: string } | undefined => {
    const source = byOid.get(table);
    if (source === undefined || depth > 20) return undefined;
    if (!source.isView) return { table, column: source.names[column] ?? '' };
    const next = shown.get(table)?.find(({ number }) => number === column);
    return next === undefined ? undefined : trace(next, depth + 1);
  };
  const columnsOf = ({ oid, names }: ReachedRelation): Map<string, Map<string, string[]>> => {
    const tables = new Map<string, Map<string, string[]>>();
    for (const one of shown.get(oid) ?? []) {
      const origin = trace(one, 0);
      const own = names[one.number];
      if (origin === undefined || own === undefined) continue;
      const columns = tables.get(origin.table) ?? new Map<string, string[]>();
      columns.set(origin.column, [...(columns.get(origin.column) ?? []), own]);
      tables.set(origin.table, columns);
    }
    return tables;
  };
  const served = relations.filter(({ isServed }) => isServed);
  return {
    served: new Map(served.filter(({ isView }) => !isView).map(({ oid, relation }) => [oid, relation])),
    primaryKeys: new Map(relations.map(({ oid, primaryKey }) => [oid, primaryKey])),
    views: new Map(served.filter(({ isView }) => isView).map((view) => [view.relation, columnsOf(view)])),
  };
}

/** The entries of the outermost query's target list; those of inner queries are nested deeper in braces. */
export function shownColumns(action: string): ShownColumn[] {
  return targetEntries(action).flatMap((entry) => {
    const found = /:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false/s.exec(entry);
    const [, number = '', table = '', column = ''] = found ?? [];
    return found === null || table === '0' ? [] : [{ number, table, column }];
  });
}

/** The text of each entry of the outermost target list, without nested parts. */
function targetEntries(action: string): string[] {
  const scan = new TargetScan();
  for (const [token] of action.matchAll(/\\.|[{}]|:targetList |:|[^\\{}:]+/gs)) scan.read(token);
  return scan.entries;
}

/** Follows the braces of a stored rule: the query is at depth 1, entries of its lists at depth 2. */
class TargetScan {
  readonly entries: string[] = [];
  #depth = 0;
  #inTargets = false;
  #entry = '';

  read(token: string): void {
    if (token === '{') this.#depth += 1;
    else if (token === '}') this.#close();
    else if (this.#depth === 2) this.#entry += token.startsWith('\\') ? '' : token;
    // A field of the query begins with a colon; the target list is one of them.
    else if (this.#depth === 1 && token.startsWith(':')) this.#inTargets = token === ':targetList ';
  }

  #close(): void {
    if (this.#depth === 2) {
      if (this.#inTargets) this.entries.push(this.#entry);
      this.#entry = '';
    }
    this.#depth -= 1;
  }
}

/** One end of a foreign key, as requests may name it. */
interface KeyEnd {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isMain: boolean;
}

/** The foreign keys of the tables, and those that views inherit by showing the columns. */
export function withViewKeys(keys: readonly StoredKey[], sources: ViewSources): ForeignKey[] {
  return keys.flatMap(({ tableId, targetId, ...key }) => {
    const near = endsOf(sources, tableId, key.columns);
    const far = endsOf(sources, targetId, key.targetColumns);
    return near.flatMap((from) =>
      far.map((to) => ({
        ...key,
        table: from.name,
        columns: from.columns,
        tableIsMain: from.isMain,
        target: to.name,
        targetColumns: to.columns,
        targetIsMain: to.isMain,
      })),
    );
  });
}

/**
 * The table itself if it is in the schema, and the views that show all of the columns. A view that shows a column
 * twice has an end for each way to choose.
 */
function endsOf({ served, views }: ViewSources, table: string, columns: readonly string[]): KeyEnd[] {
  const own = served.get(table);
  const showing = [...views].flatMap(([name, tables]) => {
    const shown = columns.map((column) => tables.get(table)?.get(column) ?? []);
    return choices(shown).map((chosen) => ({ name, columns: chosen, isMain: own === undefined }));
  });
  return own === undefined ? showing : [{ name: own, columns, isMain: true }, ...showing];
}

/** Most ways to choose among columns that a view shows several times. */
const MAX_CHOICES = 16;

/** All lists that take one element of each given list; none if one is empty. */
function choices(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (made, list) => made.flatMap((start) => list.map((one) => [...start, one])).slice(0, MAX_CHOICES),
    [[]],
  );
}

/** Gives a view the keys of the tables whose whole keys it shows. */
export function withViewKey(relation: Relation, { views, primaryKeys }: ViewSources): Relation {
  const sources = views.get(relation.name);
  if (sources === undefined || relation.primaryKey.length > 0) return relation;
  const keys = [...sources].flatMap(([table, columns]) => {
    const primaryKey = primaryKeys.get(table) ?? [];
    return primaryKey.length > 0
      ? (choices(primaryKey.map((column) => columns.get(column) ?? []))[0] ?? [])
      : [];
  });
  return { ...relation, primaryKey: keys };
}
