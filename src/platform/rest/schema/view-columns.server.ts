import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { ForeignKey, Relation } from './schema-load.server.ts';

/** A view's columns by the column of the table that each of them shows. */
type ShownColumns = ReadonlyMap<string, string>;
/** For each view, the tables whose columns it shows as they are. */
export type ViewSources = ReadonlyMap<string, ReadonlyMap<string, ShownColumns>>;

const RULES = `
  select c.relname as name, c.oid::int8::text as oid, r.ev_action::text as action
  from pg_rewrite r join pg_class c on c.oid = r.ev_class
  where r.ev_type = '1' and c.relkind in ('v', 'm') and c.relnamespace = $1::regnamespace`;
const ATTRIBUTES = `
  select c.oid::int8::text as oid, c.relname as relation, c.relkind in ('v', 'm') as "isView",
    json_object_agg(a.attnum, a.attname) as names
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'f', 'v', 'm') group by c.oid`;

interface NamedRelation {
  readonly oid: string;
  readonly relation: string;
  readonly isView: boolean;
  readonly names: Record<string, string>;
}

/** One column of a view: its number, and the column that it shows. */
interface ShownColumn {
  readonly number: string;
  readonly table: string;
  readonly column: string;
}

/**
 * Which columns of tables the views show, from the rules in the catalogue: there each column of
 * a view's query names the column that it comes from (`resorigtbl`, `resorigcol`).
 */
export async function loadViewSources(database: Queries, schema: string): Promise<ViewSources> {
  const [rules, relations] = await Promise.all([
    database.many(RULES, [schema]),
    database.many(ATTRIBUTES, [schema]) as Promise<NamedRelation[]>,
  ]);
  const byOid = new Map(relations.map((one) => [one.oid, one]));
  const shown = new Map(rules.map(({ oid, action }) => [oid, shownColumns(action)]));
  const trace = (
    { table, column }: ShownColumn,
    depth: number,
  ): { table: string; column: string } | undefined => {
    const source = byOid.get(table);
    if (source === undefined || depth > 20) return undefined;
    if (!source.isView) return { table: source.relation, column: source.names[column] ?? '' };
    const next = shown.get(table)?.find(({ number }) => number === column);
    return next === undefined ? undefined : trace(next, depth + 1);
  };
  return new Map(
    rules.map(({ name, oid }) => {
      const tables = new Map<string, Map<string, string>>();
      for (const one of shown.get(oid) ?? []) {
        const origin = trace(one, 0);
        const own = byOid.get(oid)?.names[one.number];
        if (origin === undefined || own === undefined) continue;
        const columns = tables.get(origin.table) ?? new Map<string, string>();
        if (!columns.has(origin.column)) columns.set(origin.column, own);
        tables.set(origin.table, columns);
      }
      return [name, tables];
    }),
  );
}

/** The entries of the outermost query's target list; those of queries inside of it are deeper in braces. */
export function shownColumns(action: string): ShownColumn[] {
  return targetEntries(action).flatMap((entry) => {
    const found = /:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false/s.exec(entry);
    const [, number = '', table = '', column = ''] = found ?? [];
    return found === null || table === '0' ? [] : [{ number, table, column }];
  });
}

/** The text of each entry of the outermost target list, without what is nested deeper. */
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
    // A field of the query begins with a colon; one of them is the target list.
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

/** The foreign keys of the tables, and those that the views inherit by showing their columns. */
export function withViewKeys(keys: readonly ForeignKey[], views: ViewSources): ForeignKey[] {
  return keys.flatMap((key) => {
    const near = [{ name: key.table, columns: key.columns }, ...showing(views, key.table, key.columns)];
    const far = [
      { name: key.target, columns: key.targetColumns },
      ...showing(views, key.target, key.targetColumns),
    ];
    return near.flatMap((from) =>
      far.map((to) => ({
        ...key,
        table: from.name,
        columns: from.columns,
        target: to.name,
        targetColumns: to.columns,
      })),
    );
  });
}

function showing(views: ViewSources, table: string, columns: readonly string[]) {
  return [...views].flatMap(([name, tables]) => {
    const shown = columns.map((column) => tables.get(table)?.get(column));
    return shown.every((column) => column !== undefined) ? [{ name, columns: shown }] : [];
  });
}

/** A view has the key of a table when it is the only table whose whole key it shows. */
export function withViewKey(relation: Relation, views: ViewSources, tables: readonly Relation[]): Relation {
  const sources = views.get(relation.name);
  if (sources === undefined || relation.primaryKey.length > 0) return relation;
  const keys = tables.flatMap(({ name, primaryKey }) => {
    const shown = primaryKey.map((column) => sources.get(name)?.get(column));
    return primaryKey.length > 0 && shown.every((column) => column !== undefined) ? [shown] : [];
  });
  return keys.length === 1 ? { ...relation, primaryKey: keys[0] ?? [] } : relation;
}
