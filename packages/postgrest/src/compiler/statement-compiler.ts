import type { Preferences, Representation } from '../request-preferences.ts';
import type { Relation, Routine } from '../schema-shape.ts';
import { SCALAR } from './call-compiler.ts';
import {
  compileSelect,
  MAX_CHANGED_ROWS,
  MAX_ROWS,
  type ReadSource,
  type StatementContext,
} from './select-compiler.ts';
import { quoteName, quoteQualified } from './sql-text.ts';
import { CONFLICTS_SETTING } from './write-compiler.ts';

/**
 * The finished statement. Its one row has the text columns `total` (matching rows, or null), `page` (rows in
 * the body), `body`, and `conflicts` (rows that an upsert updated). A change or a call adds `reply` (the
 * status and headers it sets) and `location` (the key of the first new row, JSON).
 */
export interface Statement {
  readonly text: string;
  readonly values: (string | null)[];
}

const ROWS = 'pgrst_source';
/** Functions and triggers set these two in their transaction, as with PostgREST. */
const REPLY = `json_build_object('status', nullif(current_setting('response.status', true), ''), 'headers', nullif(current_setting('response.headers', true), ''))::text`;

/** What a read returns besides its rows: an exact count of `all` or `some` matching rows, or no count. */
export interface WantedRows {
  readonly representation: Representation;
  readonly counting: 'all' | 'some' | 'none';
  readonly body: boolean;
}

/** A read of a table or view. */
export function compileRead(context: StatementContext, relation: Relation, wanted: WantedRows): Statement {
  const source = tableSource(relation, quoteQualified(relation));
  const rows = compileSelect(context, source, 'rows');
  const body = wanted.body ? bodySql(wanted.representation) : 'null';
  const some = wanted.counting === 'some' ? ' limit 1001' : '';
  const total =
    wanted.counting === 'none'
      ? 'null'
      : `(select count(*) from (${compileSelect(context, source, 'count')}${some}) as matching)`;
  return {
    text: `select ${total}::text as total, count(*)::text as page, (${body})::text as body, null as conflicts from (${rows}) as item`,
    values: context.parameters.values,
  };
}

/** The planner's estimate of a read's rows, for `count=planned` and `count=estimated`. */
export function compileExplain(context: StatementContext, relation: Relation): Statement {
  const source = tableSource(relation, quoteQualified(relation));
  return {
    text: `explain (format json) ${compileSelect(context, source, 'count')}`,
    values: context.parameters.values,
  };
}

/** A change together with what it returns; `write` is the insert, update or delete. */
export function compileChange(
  context: StatementContext,
  relation: Relation,
  change: {
    readonly write: string;
    readonly returns: Preferences['returns'];
    readonly representation: Representation;
  },
): Statement {
  const { write, returns, representation } = change;
  const { values } = context.parameters;
  const conflicts = `nullif(current_setting('${CONFLICTS_SETTING}', true), '')`;
  if (returns !== 'representation') {
    const location = returns === 'headers-only' ? locationSql(relation) : 'null';
    return {
      text: `with ${ROWS} as (${write}) select count(*)::text as total, count(*)::text as page, null as body, ${conflicts} as conflicts, ${REPLY} as reply, ${location} as location from ${ROWS}`,
      values,
    };
  }
  const root = { conditions: [], order: context.tree.root.order, limit: undefined, offset: 0 };
  const returned = { ...context, tree: { ...context.tree, root } };
  const rows = compileSelect(returned, tableSource(relation, ROWS), 'rows');
  return {
    text: `with ${ROWS} as (${write}) select (select count(*) from ${ROWS})::text as total, count(*)::text as page, (${bodySql(representation)})::text as body, ${conflicts} as conflicts, ${REPLY} as reply from (${rows}) as item`,
    values,
  };
}

/** A call of a function, with the conditions, order and columns for its results. */
export function compileResults(
  context: StatementContext,
  routine: Routine,
  { call, wanted }: { readonly call: string; readonly wanted: WantedRows },
): Statement {
  return routine.returns === 'composite'
    ? compileRowResults(context, routine, call, wanted)
    : compileScalarResults(context, routine, call, wanted);
}

const totalOf = (wanted: WantedRows, matching: string): string =>
  wanted.counting === 'none' ? 'null' : `(select count(*) from ${matching})::text`;

function compileScalarResults(
  { tree, parameters }: StatementContext,
  routine: Routine,
  call: string,
  wanted: WantedRows,
): Statement {
  const list = `json_agg(item.${SCALAR})`;
  const isCsv = wanted.representation.form === 'csv';
  const json = routine.returnsSet ? `coalesce(${list}, '[]')` : `${list} -> 0`;
  const value = isCsv ? bodySql(wanted.representation) : json;
  const body = wanted.body && routine.returns !== 'void' ? value : 'null';
  const { limit, offset } = tree.root;
  const most = routine.returnsSet ? Math.min(limit ?? MAX_ROWS, MAX_ROWS) : limit;
  const bounds = `${most === undefined ? '' : ` limit ${most}`}${offset === 0 ? '' : ` offset ${offset}`}`;
  return {
    text: `with ${ROWS} as (${call}) select ${totalOf(wanted, ROWS)} as total, count(*)::text as page, (${body})::text as body, null as conflicts, ${REPLY} as reply from (select * from ${ROWS}${bounds}) as item`,
    values: parameters.values,
  };
}

function compileRowResults(
  context: StatementContext,
  routine: Routine,
  call: string,
  wanted: WantedRows,
): Statement {
  const source: ReadSource = {
    from: ROWS,
    relation: routine.relation ?? undefined,
    alias: quoteName(routine.relation ?? routine.name),
    columns: routine.columns,
    isTable: false,
    maxRows: MAX_ROWS,
  };
  const rows = compileSelect(context, source, 'rows');
  const matching =
    wanted.counting === 'none' ? '' : `(${compileSelect(context, source, 'count')}) as matching`;
  const shape =
    routine.returnsSet || wanted.representation.form !== 'array'
      ? wanted.representation
      : { ...wanted.representation, form: 'object' as const };
  const body = wanted.body ? bodySql(shape) : 'null';
  return {
    text: `with ${ROWS} as (${call}) select ${totalOf(wanted, matching)} as total, count(*)::text as page, (${body})::text as body, null as conflicts, ${REPLY} as reply from (${rows}) as item`,
    values: context.parameters.values,
  };
}

/** Names and values of the first new row's key as a JSON list of pairs; null when the relation has no key. */
function locationSql({ primaryKey }: Relation): string {
  if (primaryKey.length === 0) return 'null';
  return `(select json_agg(json_build_array(field.key, field.value))::text
    from (select row_to_json(made.*) as row from ${ROWS} as made limit 1) as first, json_each_text(first.row) as field)`;
}

function tableSource(relation: Relation, from: string): ReadSource {
  return {
    from,
    relation: relation.name,
    alias: quoteName(relation.name),
    columns: relation.columns,
    isTable: from !== ROWS,
    maxRows: from === ROWS ? MAX_CHANGED_ROWS : MAX_ROWS,
  };
}

/** The body over the rows `item`; PostgreSQL makes it, so that it is passed through as text. */
function bodySql({ form, stripNulls }: Representation): string {
  if (form === 'csv') {
    const header = `select string_agg(key, ',') from json_object_keys((json_agg(row_to_json(item.*)) -> 0)) as key`;
    const lines = `string_agg(substring(item::text, 2, length(item::text) - 2), chr(10))`;
    return `coalesce((${header}) || chr(10) || coalesce(${lines}, ''), '')`;
  }
  const rows = `json_agg(row_to_json(item.*))`;
  const kept = stripNulls ? `json_strip_nulls(${rows})` : rows;
  return form === 'object' ? `coalesce(${kept} -> 0, 'null')` : `coalesce(${kept}, '[]')`;
}
