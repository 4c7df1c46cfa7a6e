import { selectedColumns } from '../query/named-columns.ts';
import type { QueryTree } from '../query/query-tree.ts';
import type { Preferences } from '../request-preferences.ts';
import { bodyError, restError } from '../rest-error.ts';
import type { Relation } from '../schema-shape.ts';
import { compileCondition, compileOrder, compileWhere, type RowSource } from './condition-compiler.ts';
import { type Parameters, quoteName, quoteNames, quoteQualified } from './sql-text.ts';

/** A body of rows: its text goes to PostgreSQL unchanged, its keys are the columns. */
export interface RowsBody {
  readonly text: string;
  readonly columns: readonly string[];
  /** How many rows, if none has a key: one for `{}`, two for `[{}, {}]`. */
  readonly emptyRows: number;
  /** True to use the first row alone. */
  readonly firstOnly: boolean;
}

/** Name of the setting that counts the rows which an upsert updated. */
export const CONFLICTS_SETTING = 'northline.conflicts';

/** The table that is changed, and how. */
export interface WriteTarget {
  readonly table: Relation;
  readonly tree: QueryTree;
  readonly preferences: Preferences;
  readonly parameters: Parameters;
}

/** The insert or upsert of a body. @throws ServiceError PGRST204 for unknown columns */
export function compileInsert(target: WriteTarget, body: RowsBody): string {
  const { table, tree } = target;
  const columns = tree.columns ?? body.columns;
  const into = `insert into ${quoteQualified(table)}`;
  const returning = compileReturning(target);
  if (columns.length === 0) return compileEmptyRows(target, tree.columns === undefined ? body.emptyRows : 0);
  requireColumns(table, columns);
  return [
    `${into} (${quoteNames(columns)}) select ${columns.map((name) => `record.${quoteName(name)}`).join(', ')}`,
    `from ${compileRecords(target, columns, body)}`,
    compileConflict(target, columns),
    returning,
  ].join(' ');
}

/** The rows of a body as `record`, whose columns have the types of the table's. */
function compileRecords(target: WriteTarget, columns: readonly string[], body: RowsBody): string {
  const { table, preferences, parameters } = target;
  const rows = preferences.missingDefault
    ? rowsWithDefaults(target, columns, body.text)
    : `json_to_recordset(case json_typeof(payload.body) when 'array' then payload.body else json_build_array(payload.body) end)`;
  const records = `${rows} as record (${recordColumns(table, columns)})`;
  const payload = `(select ${parameters.bind(body.text)}::json as body) as payload`;
  if (!body.firstOnly) return `${payload}, lateral ${records}`;
  return `(select record.* from ${payload}, lateral ${records} limit 1) as record`;
}

/**
 * Rows that take every default. For one row PostgreSQL has `default values`; for several, the statement names
 * a column, and each row says `default`.
 */
function compileEmptyRows(target: WriteTarget, count: number): string {
  const into = `insert into ${quoteQualified(target.table)}`;
  const returning = compileReturning(target);
  if (count === 0) return `${into} select from json_array_elements('[]') where false ${returning}`;
  const [column] = target.table.columns.keys();
  if (count === 1 || column === undefined) return `${into} default values ${returning}`;
  return `${into} (${quoteName(column)}) values ${Array.from({ length: count }, () => '(default)').join(', ')} ${returning}`;
}

/** Missing keys of a row get the column's default, evaluated for each row (`missing=default`). */
function rowsWithDefaults(
  { table, parameters }: WriteTarget,
  columns: readonly string[],
  body: string,
): string {
  const defaults = columns.flatMap((name) => {
    const fallback = table.columns.get(name)?.fallback;
    return fallback == null ? [] : [`${parameters.bind(name)}::text, ${fallback}`];
  });
  const rows = `${parameters.bind(body)}::jsonb`;
  return `jsonb_to_recordset((select coalesce(jsonb_agg(jsonb_build_object(${defaults.join(', ')}) || element), '[]')
    from jsonb_array_elements(case jsonb_typeof(${rows}) when 'array' then ${rows} else jsonb_build_array(${rows}) end) as element))`;
}

function compileConflict({ table, tree, preferences }: WriteTarget, columns: readonly string[]): string {
  if (preferences.resolution === undefined) return '';
  const target = tree.onConflict ?? table.primaryKey;
  if (target.length === 0) return '';
  requireColumns(table, target);
  if (preferences.resolution === 'ignore-duplicates') return `on conflict (${quoteNames(target)}) do nothing`;
  const set = columns.map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ');
  const before = `coalesce(nullif(current_setting('${CONFLICTS_SETTING}', true), ''), '0')::int`;
  // A counter in a setting of the transaction distinguishes inserted rows (201) from updated ones (200).
  return `on conflict (${quoteNames(target)}) do update set ${set} where set_config('${CONFLICTS_SETTING}', (${before} + 1)::text, true) <> ''`;
}

/**
 * The update of the rows that match the conditions, to the values of the body's first row. @throws ServiceError PGRST204, 21000 without a condition
 */
export function compileUpdate(target: WriteTarget, body: RowsBody): string {
  const { table, tree, preferences } = target;
  const columns = tree.columns ?? body.columns;
  const name = quoteQualified(table);
  // Without a value nothing changes, so no condition is needed either.
  if (columns.length === 0) {
    return preferences.returns === 'representation'
      ? `select * from ${name} where false`
      : `select where false`;
  }
  requireConditions(tree, 'UPDATE');
  requireColumns(table, columns);
  const set = columns.map((column) => `${quoteName(column)} = record.${quoteName(column)}`).join(', ');
  return [
    `update ${name} set ${set}`,
    `from ${compileRecords(target, columns, { ...body, firstOnly: true })}`,
    chosenRows(target),
    compileReturning(target),
  ].join(' ');
}

/** The deletion of the rows that match the conditions. @throws ServiceError 21000 without a condition */
export function compileDelete(target: WriteTarget): string {
  requireConditions(target.tree, 'DELETE');
  return `delete from ${quoteQualified(target.table)}${chosenRows(target)} ${compileReturning(target)}`;
}

/** With `limit`, only the first rows in the given order are changed. */
function chosenRows({ table, tree, parameters }: WriteTarget): string {
  const name = quoteName(table.name);
  const source: RowSource = { alias: name, columns: table.columns, embeds: new Map() };
  const where = compileWhere(
    tree.root.conditions.map((condition) => compileCondition(condition, source, parameters)),
  );
  const { limit, offset, order } = tree.root;
  if (limit === undefined && offset === 0) return where;
  if (order.length === 0 || table.primaryKey.length === 0) {
    throw restError(400, 'PGRST109', "A 'limit' was applied without an explicit 'order'", {
      hint: "Apply an 'order' using unique column(s)",
    });
  }
  const key = table.primaryKey.map((column) => `${name}.${quoteName(column)}`).join(', ');
  const sorted = compileOrder(order, source, parameters, () => name);
  const bounds = `${limit === undefined ? '' : ` limit ${limit}`}${offset > 0 ? ` offset ${offset}` : ''}`;
  return ` where (${key}) in (select ${key} from ${quoteQualified(table)}${where}${sorted}${bounds})`;
}

function compileReturning({ table, tree, preferences }: WriteTarget): string {
  if (preferences.returns === 'headers-only' && table.primaryKey.length > 0) {
    return `returning ${table.primaryKey.map((column) => `${quoteName(table.name)}.${quoteName(column)}`).join(', ')}`;
  }
  if (preferences.returns !== 'representation') return 'returning 1';
  // Only the requested columns, because the caller may lack the right to read the others.
  // Embeds are joined by columns that the query need not name.
  const all = tree.select.some((item) => item.kind !== 'column');
  // A column that the table lacks is computed from its row; otherwise PostgreSQL reports that it does not
  // exist.
  const wanted = [...new Set(selectedColumns(tree))].filter((column) => !all || !table.columns.has(column));
  const list = wanted.map((column) => `${quoteName(table.name)}.${quoteName(column)}`);
  if (all) list.unshift(`${quoteName(table.name)}.*`);
  return `returning ${list.length === 0 ? '1' : list.join(', ')}`;
}

function recordColumns(table: Relation, columns: readonly string[]): string {
  return columns.map((name) => `${quoteName(name)} ${table.columns.get(name)?.type ?? 'text'}`).join(', ');
}

function requireColumns(table: Relation, columns: readonly string[]): void {
  const unknown = columns.find((name) => !table.columns.has(name));
  if (unknown === undefined) return;
  throw restError(
    400,
    'PGRST204',
    `Could not find the '${unknown}' column of '${table.name}' in the schema cache`,
  );
}

/**
 * Checks a PUT, which writes the first row of its body; the key of that row is in the URL.
 *
 * @throws ServiceError 405 PGRST105, 400 PGRST114 or PGRST115 for anything else
 */
export function requireOneRow(table: Relation, tree: QueryTree, body: RowsBody): void {
  const { conditions, limit, offset } = tree.root;
  if (limit !== undefined || offset > 0) {
    throw restError(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT');
  }
  const keys = new Map<string, string>();
  for (const one of conditions) {
    const plain =
      one.kind === 'comparison' && one.operator === 'eq' && !one.negated && one.quantifier === undefined;
    if (plain && one.place.path.length === 0) keys.set(one.place.column, one.value);
  }
  const whole = table.primaryKey.length > 0 && table.primaryKey.every((name) => keys.has(name));
  if (!whole || conditions.length !== table.primaryKey.length) {
    throw restError(
      405,
      'PGRST105',
      "Filters must include all and only primary key columns with 'eq' operators",
    );
  }
  const rows = [JSON.parse(body.text, digitsOf)].flat() as Record<string, unknown>[];
  const agrees = ([name, value]: [string, string]) => {
    const given = String(rows[0]?.[name]);
    return table.columns.get(name)?.shortType === 'uuid'
      ? given.toLowerCase() === value.toLowerCase()
      : given === value;
  };
  if (rows.length === 0 || ![...keys].every(agrees)) {
    throw restError(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)');
  }
}

/** Keeps all digits of a number, which may have more than a JavaScript number can hold. */
function digitsOf(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? value) : value;
}

/** Refuses a change of every row of a table, as the hosted stack does. */
function requireConditions(tree: QueryTree, verb: 'UPDATE' | 'DELETE'): void {
  if (tree.root.conditions.length > 0) return;
  throw restError(400, '21000', `${verb} requires a WHERE clause`);
}

/** Checks a body of rows and finds its columns. @throws ServiceError PGRST102 */
export function readRows(text: string, tree: QueryTree): RowsBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bodyError('Empty or invalid json');
  }
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  const keys = rows.map((row) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw bodyError(
        Array.isArray(value)
          ? 'All object keys must match'
          : 'The body must be an object or an array of objects',
      );
    }
    return Object.keys(row);
  });
  const columns = keys[0] ?? [];
  const first = new Set(columns);
  if (tree.columns === undefined) {
    const same = keys.every((row) => row.length === first.size && row.every((key) => first.has(key)));
    if (!same) throw bodyError('All object keys must match');
  }
  return {
    text,
    columns,
    emptyRows: columns.length === 0 ? rows.length : 0,
    firstOnly: false,
  };
}
