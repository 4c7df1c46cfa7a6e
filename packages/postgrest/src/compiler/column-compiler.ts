import type { SelectColumn } from '../query/query-tree.ts';
import { compilePlace, type RowSource } from './condition-compiler.ts';
import { type Parameters, quoteName } from './sql-text.ts';

/** An aggregate over a column of a spread row, which is computed in the parent. */
export interface SpreadAggregate {
  /** Quoted name under which the spread row passes on its value. */
  readonly value: string;
  /** Quoted name of the result. */
  readonly name: string;
  /** SQL of the result, given the SQL of that value. */
  over(value: string): string;
}

/** One column of a select list: `cast(sum("books"."price") as int) as "total"`. */
export function compileColumn(item: SelectColumn, rows: RowSource, parameters: Parameters): string {
  return `${aggregateOf(item, placeOf(item, rows, parameters))} as ${quoteName(columnName(item))}`;
}

/**
 * The value that a spread row passes on for an aggregate, and the aggregate. @param number makes the value's
 * name unique
 */
export function compileSpreadValue(
  item: SelectColumn,
  rows: RowSource,
  parameters: Parameters,
  number: number,
): { readonly output: string; readonly aggregate: SpreadAggregate } {
  const value = quoteName(`pgrst_spread_value_${number}`);
  // `count()` counts the rows.
  const sql = item.place === undefined ? '1' : placeOf(item, rows, parameters);
  return {
    output: `${sql} as ${value}`,
    aggregate: { value, name: quoteName(columnName(item)), over: (given) => aggregateOf(item, given) },
  };
}

/** Name of a column in replies. */
export function columnName(item: SelectColumn): string {
  return item.alias ?? item.aggregate ?? nameOf(item);
}

/** The last key of a path that is not an index, which is how PostgREST names such columns. */
function nameOf(item: SelectColumn): string {
  const keys = item.place?.path.map((step) => step.key).filter((key) => !/^-?\d+$/.test(key)) ?? [];
  return keys.at(-1) ?? item.place?.column ?? 'count';
}

function placeOf({ place, cast }: SelectColumn, rows: RowSource, parameters: Parameters): string {
  if (place === undefined) return '*';
  const sql = compilePlace(place, rows, parameters);
  return cast === undefined ? sql : `cast(${sql} as ${cast})`;
}

function aggregateOf({ aggregate, aggregateCast }: SelectColumn, value: string): string {
  const sql = aggregate === undefined ? value : `${aggregate}(${value})`;
  return aggregateCast === undefined ? sql : `cast(${sql} as ${aggregateCast})`;
}
