import {
  compileCondition,
  compileOrder,
  compilePlace,
  compileWhere,
  type RowSource,
} from './compile-condition.server.ts';
import { findRelationship, type Relationship } from './find-relationship.server.ts';
import type { Column, Schema } from './load-schema.server.ts';
import type { Level, QueryTree, SelectColumn, SelectEmbed, SelectItem } from './query-tree.server.ts';
import { restError } from './rest-error.server.ts';
import { type Parameters, quoteName } from './sql-text.server.ts';

/** Most rows of one reply, and of one embed inside it; more are asked for with Range or limit and offset. */
export const MAX_ROWS = 1000;
/** Counts the rows behind a spread; no column of a table is called so. */
const SPREAD_ROWS = '"pgrst_spread_rows"';

/** Where the rows of the root come from. */
export interface ReadSource {
  /** SQL of a table or a common table expression. */
  readonly from: string;
  /** Table whose foreign keys embeds follow; undefined for results that are no table's rows. */
  readonly relation: string | undefined;
  readonly alias: string;
  readonly columns: ReadonlyMap<string, Column>;
}

interface Context {
  readonly schema: Schema;
  readonly tree: QueryTree;
  readonly parameters: Parameters;
  readonly seen: Set<string>;
  embeds: number;
}

/** One level to compile: the root or an embed. */
interface LevelSource extends ReadSource {
  readonly path: string;
  readonly conditions: readonly string[];
}

/**
 * The select statement of a query tree over `source`: columns, embeds as lateral joins, conditions,
 * order and limits.
 *
 * @param part `rows` for the answer, `count` for all matching rows without order and limits
 * @throws ServiceError PGRST108, PGRST200, PGRST201 for embeds that do not fit
 */
export function compileSelect(
  schema: Schema,
  tree: QueryTree,
  source: ReadSource,
  parameters: Parameters,
  part: 'rows' | 'count',
): string {
  const context: Context = { schema, tree, parameters, seen: new Set(), embeds: 0 };
  const { select } = tree;
  const grouped = select.some((item) => item.kind === 'column' && item.aggregate !== undefined);
  // Counting needs no columns, only the joins that can remove rows.
  const wanted = part === 'rows' || grouped ? select : select.filter((item) => item.kind === 'embed');
  const level =
    part === 'rows'
      ? tree.root
      : { conditions: tree.root.conditions, order: [], limit: undefined, offset: 0 };
  const limit = part === 'rows' ? MAX_ROWS : undefined;
  const sql = compileLevel(context, { ...source, path: '', conditions: [] }, wanted, level, limit);
  for (const path of tree.embeds.keys()) {
    if (context.seen.has(path)) continue;
    const name = path.split('.').at(-1);
    throw restError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
      hint: `Verify that '${name}' is included in the 'select' query parameter.`,
    });
  }
  return sql;
}

function compileLevel(
  context: Context,
  source: LevelSource,
  select: readonly SelectItem[],
  level: Level,
  maxRows: number | undefined,
): string {
  const { parameters } = context;
  const grouped = select.some((item) => item.kind === 'column' && item.aggregate !== undefined);
  const list: string[] = [];
  const groupBy: number[] = [];
  const joins: string[] = [];
  const conditions = [...source.conditions];
  const embeds = new Map<string, string>();
  const aliases = new Map<string, string>();
  const columns = context.schema.withFields.get(source.relation ?? '') ?? source.columns;
  const rows: RowSource = { alias: source.alias, columns, embeds };
  for (const item of select) {
    if (item.kind === 'star') list.push(`${source.alias}.*`);
    else if (item.kind === 'column') list.push(compileColumn(item, rows, parameters));
    else {
      const embed = compileEmbed(context, source, item, grouped);
      joins.push(embed.join);
      if (embed.condition !== undefined) conditions.push(embed.condition);
      embeds.set(item.alias ?? item.target, embed.presence);
      aliases.set(item.alias ?? item.target, embed.alias);
      if (embed.output === undefined) continue;
      list.push(embed.output);
    }
    if (item.kind !== 'column' || item.aggregate === undefined) groupBy.push(list.length);
  }
  conditions.push(...level.conditions.map((condition) => compileCondition(condition, rows, parameters)));
  const group = grouped && groupBy.length > 0 ? ` group by ${groupBy.join(', ')}` : '';
  const order = compileOrder(level.order, rows, parameters, (name) => {
    const alias = aliases.get(name);
    if (alias !== undefined) return alias;
    throw restError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
      hint: `Verify that '${name}' is included in the 'select' query parameter.`,
    });
  });
  const limit = Math.min(level.limit ?? Number.POSITIVE_INFINITY, maxRows ?? Number.POSITIVE_INFINITY);
  return [
    `select ${list.join(', ')} from ${source.from} as ${source.alias}`,
    ...joins,
    compileWhere(conditions).trim(),
    group.trim(),
    order.trim(),
    Number.isFinite(limit) ? `limit ${limit}` : '',
    level.offset > 0 ? `offset ${level.offset}` : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function compileColumn(item: SelectColumn, rows: RowSource, parameters: Parameters): string {
  let sql = item.place === undefined ? '*' : compilePlace(item.place, rows, parameters);
  if (item.cast !== undefined) sql = `cast(${sql} as ${item.cast})`;
  if (item.aggregate !== undefined) sql = `${item.aggregate}(${sql})`;
  if (item.aggregateCast !== undefined) sql = `cast(${sql} as ${item.aggregateCast})`;
  return `${sql} as ${quoteName(columnName(item))}`;
}

function columnName(item: SelectColumn): string {
  return item.alias ?? item.aggregate ?? nameOf(item);
}

/** The last key of a path that is not an index, as PostgREST names such columns. */
function nameOf(item: SelectColumn): string {
  const keys = item.place?.path.map((step) => step.key).filter((key) => !/^-?\d+$/.test(key)) ?? [];
  return keys.at(-1) ?? item.place?.column ?? 'count';
}

interface CompiledEmbed {
  readonly join: string;
  readonly alias: string;
  readonly condition: string | undefined;
  /** What the embed adds to the parent's columns; nothing for `target()`. */
  readonly output: string | undefined;
  /** SQL that is null without a matching row. */
  readonly presence: string;
}

function compileEmbed(
  context: Context,
  parent: LevelSource,
  item: SelectEmbed,
  grouped: boolean,
): CompiledEmbed {
  const name = item.alias ?? item.target;
  const path = parent.path === '' ? name : `${parent.path}.${name}`;
  context.seen.add(path);
  context.embeds += 1;
  const relationship = findRelationship(
    context.schema,
    parent.relation ?? parent.alias.slice(1, -1),
    item.target,
    item.hint,
  );
  const alias = quoteName(`${relationship.target}_${context.embeds}`);
  const join = quoteName(`embed_${context.embeds}`);
  const child: LevelSource = {
    from: fromOf(relationship, parent),
    relation: relationship.target,
    alias,
    columns: context.schema.relations.get(relationship.target)?.columns ?? new Map(),
    path,
    conditions: [relationship.join(parent.alias, alias)],
  };
  const level = context.tree.embeds.get(path) ?? { conditions: [], order: [], limit: undefined, offset: 0 };
  const sql = compileLevel(context, child, item.select, level, MAX_ROWS);
  const outputName = quoteName(name);
  if (relationship.toMany) {
    if (item.spread) {
      // Each column of the rows becomes a list of its values.
      const names = outputNames(context, relationship.target, item.select);
      const lists = names.map((one) => `, json_agg(item.${one}) as ${one}`).join('');
      return {
        join: `left join lateral (select nullif(count(*), 0) as ${SPREAD_ROWS}${lists} from (${sql}) as item) as ${join} on true`,
        alias: join,
        condition: item.inner ? `${join}.${SPREAD_ROWS} is not null` : undefined,
        output:
          names.length === 0
            ? undefined
            : names.map((one) => `coalesce(${join}.${one}, '[]') as ${one}`).join(', '),
        presence: `${join}.${SPREAD_ROWS}`,
      };
    }
    return {
      join: `left join lateral (select json_agg(row_to_json(item.*)) as body from (${sql}) as item) as ${join} on true`,
      alias: join,
      condition: item.inner ? `${join}.body is not null` : undefined,
      output: item.select.length === 0 ? undefined : `coalesce(${join}.body, '[]') as ${outputName}`,
      presence: `${join}.body`,
    };
  }
  const whole = grouped ? `to_jsonb(${join}.*)` : `row_to_json(${join}.*)`;
  const output = item.spread ? `${join}.*` : `${whole} as ${outputName}`;
  return {
    join: `${item.inner ? 'inner' : 'left'} join lateral (${sql}) as ${join} on true`,
    alias: join,
    condition: undefined,
    output: item.select.length === 0 ? undefined : output,
    presence: `row_to_json(${join}.*)`,
  };
}

/** The rows of an embed: a table's, or those that a function gives for a row of the parent. */
function fromOf({ computedBy, target }: Relationship, parent: LevelSource): string {
  if (computedBy === undefined) return `public.${quoteName(target)}`;
  const columns = [...parent.columns.keys()].map((name) => `${parent.alias}.${quoteName(name)}`);
  // What a change or a call returned is a row of no type, so it is made one of the table's. With `.*` no column of the
  // alias' name is meant.
  const row = parent.from.startsWith('public.')
    ? `${parent.alias}.*`
    : `row(${columns.join(', ')})::public.${quoteName(parent.relation ?? '')}`;
  return `public.${quoteName(computedBy)}(${row})`;
}

/** Quoted names of the columns that a select list gives. */
function outputNames(context: Context, table: string, select: readonly SelectItem[]): string[] {
  const names = select.flatMap((item) => {
    if (item.kind === 'star')
      return [...(context.schema.relations.get(table)?.columns.keys() ?? [])].map(quoteName);
    if (item.kind === 'column') return [quoteName(columnName(item))];
    if (item.select.length === 0) return [];
    if (!item.spread) return [quoteName(item.alias ?? item.target)];
    const { target } = findRelationship(context.schema, table, item.target, item.hint);
    return outputNames(context, target, item.select);
  });
  return [...new Set(names)];
}
