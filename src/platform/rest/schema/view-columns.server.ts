import type { Queries } from '../../resources/database/database.ts';
import type { ForeignKey, Relation } from './load-schema.server.ts';

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
    database.many<{ name: string; oid: string; action: string }>(RULES, [schema]),
    database.many<NamedRelation>(ATTRIBUTES, [schema]),
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
  const entries: string[] = [];
  let depth = 0;
  let inTargets = false;
  let own = '';
  for (let at = 0; at < action.length; at += 1) {
    const character = action[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      if (depth === 2 && inTargets) entries.push(own);
      if (depth === 2) own = '';
      depth -= 1;
    } else if (depth === 1 && character === ':') inTargets = action.startsWith(':targetList ', at);
    else if (depth === 2 && inTargets) own += character;
  }
  return entries.flatMap((entry) => {
    const found = /:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false/s.exec(entry);
    const [, number = '', table = '', column = ''] = found ?? [];
    return found === null || table === '0' ? [] : [{ number, table, column }];
  });
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
