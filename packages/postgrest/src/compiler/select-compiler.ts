import type { ServiceError } from '@northline/service-error/service-error';
import type { Level, QueryTree, SelectColumn, SelectEmbed, SelectItem } from '../query/query-tree.ts';
import { findRelationship, type Relationship } from '../relationship-lookup.ts';
import { restError } from '../rest-error.ts';
import type { Column, Schema } from '../schema-shape.ts';
import { columnName, compileColumn, compileSpreadValue, type SpreadAggregate } from './column-compiler.ts';
import { compileCondition, compileOrder, compileWhere, type RowSource } from './condition-compiler.ts';
import { type Parameters, quoteName, quoteQualified } from './sql-text.ts';

/** Most rows that a read returns, and of one embed inside it; clients get more with Range or limit and offset. */
export const MAX_ROWS = 1000;
/** Most rows that a change returns; there is no second request that would return the others. */
export const MAX_CHANGED_ROWS = 100_000;
/** Counts the rows of a spread; no column of a table has this name. */
const SPREAD_ROWS = '"pgrst_spread_rows"';

/** The source of the root's rows. */
export interface ReadSource {
  /** SQL of a table or a common table expression. */
  readonly from: string;
  /** Table whose foreign keys embeds follow; undefined for results that are not rows of a table. */
  readonly relation: string | undefined;
  readonly alias: string;
  readonly columns: ReadonlyMap<string, Column>;
  /** True when `from` is the table or view itself, so that its rows have its type. */
  readonly isTable: boolean;
  readonly maxRows: number;
}

/** What the parts of one statement share. */
export interface StatementContext {
  readonly schema: Schema;
  readonly tree: QueryTree;
  readonly parameters: Parameters;
}

interface SelectContext extends StatementContext {
  /** Paths of the embeds that have been compiled. */
  readonly seen: Set<string>;
  embeds: number;
  /** Number of values that spread rows pass on. */
  spreadValues: number;
}

/** One level to compile: the root or an embed. */
interface LevelSource extends Omit<ReadSource, 'maxRows'> {
  readonly maxRows: number | undefined;
  /** The ways to name it in parameters: embeds joined by dots, each by its alias or its table. */
  readonly paths: readonly string[];
  readonly conditions: readonly string[];
  readonly level: Level;
  /** True when the rows are grouped, here or in the parent they are spread into. */
  readonly grouped: boolean;
  /**
   * True for one row that is spread into its parent's: its columns and aggregates over them then count as the
   * parent's.
   */
  readonly isSpread: boolean;
}

/**
 * The select statement of a query tree over `source`: columns, embeds as lateral joins, conditions, order and
 * limits.
 *
 * @param part `rows` for the reply, `count` for all matching rows without order and limits
 * @throws ServiceError PGRST108, PGRST127, PGRST200, PGRST201 for embeds that do not fit
 */
export function compileSelect(
  statement: StatementContext,
  source: ReadSource,
  part: 'rows' | 'count',
): string {
  const context: SelectContext = { ...statement, seen: new Set(), embeds: 0, spreadValues: 0 };
  const { select, root, embeds } = statement.tree;
  const grouped = isGrouped(statement.schema, nameOfRows(source), select);
  // Counting needs no columns, only the joins that can remove rows.
  const wanted = part === 'rows' || grouped ? select : select.filter((item) => item.kind === 'embed');
  const level = part === 'rows' ? root : { ...emptyLevel(), conditions: root.conditions };
  const maxRows = part === 'rows' ? source.maxRows : undefined;
  const whole = { ...source, paths: [''], conditions: [], level, maxRows, grouped, isSpread: false };
  const { sql } = compileLevel(context, whole, wanted);
  for (const path of embeds.keys()) {
    if (!context.seen.has(path)) throw notEmbedded(path.split('.').at(-1) ?? '');
  }
  return sql;
}

function notEmbedded(name: string): ServiceError {
  return restError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
}

function emptyLevel(): Level {
  return { conditions: [], order: [], limit: undefined, offset: 0 };
}

/** The name of a level's rows in messages and relationships. */
function nameOfRows({ relation, alias }: Pick<ReadSource, 'relation' | 'alias'>): string {
  return relation ?? alias.slice(1, -1);
}

/** Whether a select list has aggregates: its own, or over columns of a row that is spread into it. */
function isGrouped(schema: Schema, relation: string, select: readonly SelectItem[]): boolean {
  return select.some((item) => {
    if (item.kind === 'column') return item.aggregate !== undefined;
    if (item.kind === 'star' || !item.spread) return false;
    const { target, toMany } = findRelationship(schema, relation, item.target, item.hint);
    return !toMany && isGrouped(schema, target, item.select);
  });
}

/** The select list and the joins of one level. */
interface SelectList {
  readonly columns: string[];
  /** Positions in `columns`, from 1, by which rows are grouped. */
  readonly groupBy: number[];
  readonly joins: string[];
  readonly conditions: string[];
  /** For a spread row: the aggregates that its parent computes from its values. */
  readonly aggregates: SpreadAggregate[];
  /** By the embed's name: its alias, and SQL that is null when it has no row. */
  readonly presences: Map<string, string>;
  readonly aliases: Map<string, string>;
  /** Names of the embeds that may hold several rows. */
  readonly many: Set<string>;
}

/**
 * SQL alias of the embed that rows are ordered by. @throws ServiceError 400 PGRST108, or PGRST118 for an
 * embed with several rows
 */
function orderedBy(source: LevelSource, list: SelectList, name: string): string {
  const found = list.aliases.get(name);
  if (found === undefined) throw notEmbedded(name);
  if (!list.many.has(name)) return found;
  throw restError(400, 'PGRST118', `A related order on '${name}' is not possible`, {
    details: `'${nameOfRows(source)}' and '${name}' do not form a many-to-one or one-to-one relationship`,
  });
}

/** A level as SQL. */
interface CompiledLevel extends Pick<SelectList, 'aggregates'> {
  readonly sql: string;
}

function compileLevel(
  context: SelectContext,
  source: LevelSource,
  select: readonly SelectItem[],
): CompiledLevel {
  const { parameters } = context;
  const { level, maxRows } = source;
  const columns = context.schema.withFields.get(source.relation ?? '') ?? source.columns;
  const list = compileList(context, source, select);
  const rows: RowSource = { alias: source.alias, columns, embeds: list.presences };
  const conditions = [
    ...source.conditions,
    ...list.conditions,
    ...level.conditions.map((condition) => compileCondition(condition, rows, parameters)),
  ];
  const order = compileOrder(level.order, rows, parameters, (name) => orderedBy(source, list, name));
  const limit = Math.min(level.limit ?? Number.POSITIVE_INFINITY, maxRows ?? Number.POSITIVE_INFINITY);
  const groupsHere = source.grouped && !source.isSpread && list.groupBy.length > 0;
  const sql = [
    `select ${list.columns.join(', ')} from ${source.from} as ${source.alias}`,
    ...list.joins,
    compileWhere(conditions).trim(),
    groupsHere ? `group by ${list.groupBy.join(', ')}` : '',
    order.trim(),
    Number.isFinite(limit) ? `limit ${limit}` : '',
    level.offset > 0 ? `offset ${level.offset}` : '',
  ];
  return { sql: sql.filter((text) => text !== '').join(' '), aggregates: list.aggregates };
}

function compileList(context: SelectContext, source: LevelSource, select: readonly SelectItem[]): SelectList {
  const columns = context.schema.withFields.get(source.relation ?? '') ?? source.columns;
  const rows: RowSource = { alias: source.alias, columns, embeds: new Map() };
  const list: SelectList = {
    columns: [],
    groupBy: [],
    joins: [],
    conditions: [],
    presences: new Map(),
    aliases: new Map(),
    many: new Set(),
    aggregates: [],
  };
  for (const item of select) {
    if (item.kind === 'star') addOutputs(list, compileStar(source));
    else if (item.kind === 'embed') addEmbed(list, source, item, compileEmbed(context, source, item, select));
    else if (item.aggregate === undefined) addOutputs(list, [compileColumn(item, rows, context.parameters)]);
    else if (source.isSpread) addSpreadValue(list, context, item, rows);
    else list.columns.push(compileColumn(item, rows, context.parameters));
  }
  return list;
}

/** Adds columns, and groups the rows by them when the rows are grouped. */
function addOutputs({ columns, groupBy }: SelectList, outputs: readonly string[]): void {
  for (const output of outputs) groupBy.push(columns.push(output));
}

function addSpreadValue(list: SelectList, context: SelectContext, item: SelectColumn, rows: RowSource): void {
  context.spreadValues += 1;
  const { output, aggregate } = compileSpreadValue(item, rows, context.parameters, context.spreadValues);
  list.columns.push(output);
  list.aggregates.push(aggregate);
}

function addEmbed(list: SelectList, source: LevelSource, item: SelectEmbed, embed: CompiledEmbed): void {
  const name = nameOf(item);
  list.joins.push(embed.join);
  if (embed.condition !== undefined) list.conditions.push(embed.condition);
  list.presences.set(name, embed.presence);
  list.aliases.set(name, embed.alias);
  if (embed.toMany) list.many.add(name);
  addOutputs(list, embed.outputs);
  for (const aggregate of embed.aggregates) {
    const value = `${embed.alias}.${aggregate.value}`;
    if (!source.isSpread) list.columns.push(`${aggregate.over(value)} as ${aggregate.name}`);
    else {
      list.columns.push(`${value} as ${aggregate.value}`);
      list.aggregates.push(aggregate);
    }
  }
}

/**
 * `*`, or each column by name: when rows are grouped, because grouping needs the names, and for rows of a change
 * or a call, which may bring computed fields along.
 */
function compileStar({ alias, columns, grouped, isTable }: LevelSource): string[] {
  if (columns.size === 0 || (isTable && !grouped)) return [`${alias}.*`];
  return [...columns.keys()].map((name) => `${alias}.${quoteName(name)}`);
}

interface CompiledEmbed {
  readonly join: string;
  readonly alias: string;
  readonly condition: string | undefined;
  /** What the embed adds to the parent's select list; empty for `target()`. */
  readonly outputs: readonly string[];
  /** SQL that is null without a matching row. */
  readonly presence: string;
  /** For a spread row: the aggregates that its parent computes from its values. */
  readonly aggregates: readonly SpreadAggregate[];
  /** True when it may have several rows. */
  readonly toMany: boolean;
}

const nameOf = ({ alias, target }: SelectEmbed): string => alias ?? target;

/** The embed's name, and its table's unless that means another embed of the same list. */
function namesOf(item: SelectEmbed, select: readonly SelectItem[]): string[] {
  const embeds = select.filter((one) => one.kind === 'embed');
  const meant =
    embeds.find((one) => nameOf(one) === item.target) ?? embeds.find(({ target }) => target === item.target);
  return [...new Set([nameOf(item), ...(meant === item ? [item.target] : [])])];
}

/** What the parameters say about the embed at any of these paths. */
function levelOf({ tree }: SelectContext, paths: readonly string[]): Level {
  const levels = paths.flatMap((path) => tree.embeds.get(path) ?? []);
  return {
    conditions: levels.flatMap(({ conditions }) => conditions),
    order: levels.flatMap(({ order }) => order),
    limit: levels.find(({ limit }) => limit !== undefined)?.limit,
    offset: Math.max(0, ...levels.map(({ offset }) => offset)),
  };
}

/**
 * @param select the list that contains the embed
 * @throws ServiceError PGRST127 for an aggregate in a spread of several rows, and the errors of
 * `findRelationship`
 */
function compileEmbed(
  context: SelectContext,
  parent: LevelSource,
  item: SelectEmbed,
  select: readonly SelectItem[],
): CompiledEmbed {
  const name = nameOf(item);
  const names = namesOf(item, select);
  const paths = parent.paths.flatMap((path) => names.map((one) => (path === '' ? one : `${path}.${one}`)));
  for (const path of paths) context.seen.add(path);
  context.embeds += 1;
  const relationship = findRelationship(context.schema, nameOfRows(parent), item.target, item.hint);
  const { target, toMany } = relationship;
  const isSpread = item.spread && !toMany;
  const grouped = isSpread ? parent.grouped : isGrouped(context.schema, target, item.select);
  if (item.spread && toMany && grouped) throw aggregatesOfMany();
  const alias = quoteName(`${target}_${context.embeds}`);
  const join = quoteName(`embed_${context.embeds}`);
  const child: LevelSource = {
    from: fromOf(context.schema, relationship, parent),
    relation: target,
    alias,
    columns: context.schema.relations.get(target)?.columns ?? new Map(),
    paths,
    isTable: relationship.computedBy === undefined,
    conditions: [relationship.join(parent.alias, alias)],
    level: levelOf(context, paths),
    maxRows: MAX_ROWS,
    grouped,
    isSpread,
  };
  const { sql, aggregates } = compileLevel(context, child, item.select);
  const columns = item.spread ? outputNames(context, target, item.select) : [];
  const embedded = { item, name: quoteName(name), names: columns, join, sql, grouped: parent.grouped };
  const compile = !toMany ? compileToOne : item.spread ? compileSpreadLists : compileToMany;
  return { ...compile(embedded), aggregates, toMany };
}

/** 400 PGRST127 as PostgREST words it. */
function aggregatesOfMany(): ServiceError {
  return restError(400, 'PGRST127', 'Feature not implemented', {
    details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
  });
}

/** How an embed is joined. */
type JoinedEmbed = Omit<CompiledEmbed, 'aggregates' | 'toMany'>;

/** An embed with its select statement, before it is joined. */
interface EmbeddedSelect {
  readonly item: SelectEmbed;
  /** Its quoted name in replies. */
  readonly name: string;
  /** Quoted names of the columns that a spread adds. */
  readonly names: readonly string[];
  readonly join: string;
  readonly sql: string;
  /** True when the parent's rows are grouped, which PostgreSQL can do by jsonb but not by json. */
  readonly grouped: boolean;
}

/** True for `target()`, and for embeds that contain only such embeds. */
const selectsNothing = ({ select }: SelectEmbed): boolean =>
  select.every((item) => item.kind === 'embed' && selectsNothing(item));

function compileToOne({ item, name, names, join, sql, grouped }: EmbeddedSelect): JoinedEmbed {
  const whole = grouped ? `to_jsonb(${join}.*)` : `row_to_json(${join}.*)`;
  const spread = grouped ? names.map((one) => `${join}.${one}`) : [`${join}.*`];
  const outputs = item.spread ? spread : [`${whole} as ${name}`];
  return {
    join: `${item.inner ? 'inner' : 'left'} join lateral (${sql}) as ${join} on true`,
    alias: join,
    condition: undefined,
    outputs: selectsNothing(item) ? [] : outputs,
    presence: `row_to_json(${join}.*)`,
  };
}

function compileToMany({ item, name, join, sql, grouped }: EmbeddedSelect): JoinedEmbed {
  const rows = grouped ? 'jsonb_agg(to_jsonb(item.*))' : 'json_agg(row_to_json(item.*))';
  return {
    join: `left join lateral (select ${rows} as body from (${sql}) as item) as ${join} on true`,
    alias: join,
    condition: item.inner ? `${join}.body is not null` : undefined,
    outputs: selectsNothing(item) ? [] : [`coalesce(${join}.body, '[]') as ${name}`],
    presence: `${join}.body`,
  };
}

/** A spread of several rows: each column becomes a list of its values. */
function compileSpreadLists({ item, names, join, sql, grouped }: EmbeddedSelect): JoinedEmbed {
  const aggregate = grouped ? 'jsonb_agg' : 'json_agg';
  const lists = names.map((one) => `, ${aggregate}(item.${one}) as ${one}`).join('');
  return {
    join: `left join lateral (select nullif(count(*), 0) as ${SPREAD_ROWS}${lists} from (${sql}) as item) as ${join} on true`,
    alias: join,
    condition: item.inner ? `${join}.${SPREAD_ROWS} is not null` : undefined,
    outputs: names.map((one) => `coalesce(${join}.${one}, '[]') as ${one}`),
    presence: `${join}.${SPREAD_ROWS}`,
  };
}

/** The rows of an embed: those of a table, or those that a function returns for a row of the parent. */
function fromOf({ name: schema }: Schema, { computedBy, target }: Relationship, parent: LevelSource): string {
  if (computedBy === undefined) return quoteQualified({ schema, name: target });
  const columns = [...parent.columns.keys()].map((name) => `${parent.alias}.${quoteName(name)}`);
  // Rows that a change or a call returned have no type, so they are cast to the table's. `.*` always means
  // the row, even if a column has the alias's name.
  const row = parent.isTable
    ? `${parent.alias}.*`
    : `row(${columns.join(', ')})::${quoteQualified({ schema, name: parent.relation ?? '' })}`;
  return `${quoteQualified({ schema, name: computedBy })}(${row})`;
}

/** Quoted names of the columns in a select list, except for aggregates. */
function outputNames(context: SelectContext, table: string, select: readonly SelectItem[]): string[] {
  const names = select.flatMap((item) => {
    if (item.kind === 'star')
      return [...(context.schema.relations.get(table)?.columns.keys() ?? [])].map(quoteName);
    if (item.kind === 'column') return item.aggregate === undefined ? [quoteName(columnName(item))] : [];
    if (selectsNothing(item)) return [];
    if (!item.spread) return [quoteName(item.alias ?? item.target)];
    const { target } = findRelationship(context.schema, table, item.target, item.hint);
    return outputNames(context, target, item.select);
  });
  return [...new Set(names)];
}
