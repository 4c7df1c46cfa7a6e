import type { ServiceError } from '@northline/service-error/service-error';
import type { Comparison, Condition, OrderTerm, Place } from '../query/query-tree.ts';
import { restError } from '../rest-error.ts';
import type { Column } from '../schema-shape.ts';
import { arrayLiteral, type Parameters, quoteName } from './sql-text.ts';

/** The rows that conditions refer to: an SQL alias (quoted) and its columns. */
export interface RowSource {
  readonly alias: string;
  readonly columns: ReadonlyMap<string, Column>;
  /** By the name of an embed: SQL that is null when the embed has no row; for `author=is.null`. */
  readonly embeds: ReadonlyMap<string, string>;
}

const COMPARE: Record<string, string> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
};
const TEXTUAL = new Set(['like', 'ilike', 'match', 'imatch']);
const SEARCH: Record<string, string> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
};
const IS: Record<string, string> = {
  null: 'is null',
  not_null: 'is not null',
  true: 'is true',
  false: 'is false',
  unknown: 'is unknown',
};

/** A condition as SQL; values are bound and cast to the column's type. */
export function compileCondition(condition: Condition, source: RowSource, parameters: Parameters): string {
  if (condition.kind === 'comparison') return compileComparison(condition, source, parameters);
  const parts = condition.conditions.map((inner) => compileCondition(inner, source, parameters));
  const joined = `(${parts.join(` ${condition.kind} `)})`;
  return condition.negated ? `(not ${joined})` : joined;
}

/** ` where …`, or an empty text. */
export function compileWhere(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` where ${parts.join(' and ')}`;
}

/**
 * A place as SQL. `->` on anything but JSON goes through `to_jsonb`, so that arrays and composites have paths
 * too.
 */
export function compilePlace(place: Place, source: RowSource, parameters: Parameters): string {
  const column = `${source.alias}.${quoteName(place.column)}`;
  if (place.path.length === 0) return column;
  const isJson = source.columns.get(place.column)?.family === 'json';
  const steps = place.path.map(({ key, text }) => {
    const type = /^-?\d{1,9}$/.test(key) ? '::int' : '';
    return `${text ? '->>' : '->'} ${parameters.bind(key)}${type}`;
  });
  return `(${isJson ? column : `to_jsonb(${column})`} ${steps.join(' ')})`;
}

function compileComparison(comparison: Comparison, source: RowSource, parameters: Parameters): string {
  const sql = comparePlace(comparison, source, parameters);
  return comparison.negated ? `(not ${sql})` : sql;
}

function comparePlace(comparison: Comparison, source: RowSource, parameters: Parameters): string {
  const { operator, place, value } = comparison;
  const embed = place.path.length === 0 ? source.embeds.get(place.column) : undefined;
  if (embed !== undefined && !source.columns.has(place.column)) {
    if (operator !== 'is' || !/null$/.test(value)) throw badOperator(place.column);
    return `(${embed} ${IS[value]})`;
  }
  const left = compilePlace(place, source, parameters);
  if (operator === 'is') return `(${left} ${IS[value]})`;
  if (SEARCH[operator] !== undefined) return compareSearch(comparison, left, source, parameters);
  if (TEXTUAL.has(operator)) return comparePattern(comparison, left, parameters);
  const type = typeOf(place, source);
  const castTo = (suffix: string): string => (type === undefined ? '' : `::${type}${suffix}`);
  if (operator === 'isdistinct') {
    return `(${left} is distinct from ${parameters.bind(value)}${castTo('')})`;
  }
  if (operator === 'in') {
    const list = parameters.bind(arrayLiteral(comparison.values ?? []));
    return `(${left} = any (${list}${castTo('[]')}))`;
  }
  const sign = COMPARE[operator] ?? '=';
  const { quantifier } = comparison;
  if (quantifier === undefined) return `(${left} ${sign} ${parameters.bind(value)}${castTo('')})`;
  return `(${left} ${sign} ${quantifier} (${parameters.bind(value)}${castTo('[]')}))`;
}

/** 400 PGRST120 as PostgREST words it: an embed either exists or does not, and has no value to compare. */
function badOperator(name: string): ServiceError {
  return restError(400, 'PGRST120', `Bad operator on the '${name}' embedded resource`, {
    details: 'Only is null or not is null filters are allowed on embedded resources',
  });
}

/** `like` with `*` for any text, and regular expressions. */
function comparePattern(comparison: Comparison, left: string, parameters: Parameters): string {
  const { operator, quantifier, value } = comparison;
  const pattern = parameters.bind(operator.endsWith('like') ? value.replaceAll('*', '%') : value);
  const sign = COMPARE[operator];
  // Without a type, because patterns of an `ltree` are not text.
  if (quantifier === undefined) return `(${left} ${sign} ${pattern})`;
  return `(${left} ${sign} ${quantifier} (${pattern}::text[]))`;
}

/** SQL type of a place. Undefined for a column that we do not know; PostgreSQL then reports it. */
function typeOf(place: Place, source: RowSource): string | undefined {
  const last = place.path.at(-1);
  if (last !== undefined) return last.text ? 'text' : 'jsonb';
  return source.columns.get(place.column)?.type;
}

function compareSearch(
  { place, operator, language, value }: Comparison,
  left: string,
  source: RowSource,
  parameters: Parameters,
): string {
  const configuration = language === undefined ? '' : `${parameters.bind(language)}::regconfig, `;
  const isVector = place.path.length === 0 && source.columns.get(place.column)?.family === 'tsvector';
  const vector = isVector ? left : `to_tsvector(${configuration}${left})`;
  return `(${vector} @@ ${SEARCH[operator]}(${configuration}${parameters.bind(value)}::text))`;
}

/** ` order by …`, or an empty text. `embedOf` gives the SQL alias of a to-one embed. */
export function compileOrder(
  order: readonly OrderTerm[],
  source: RowSource,
  parameters: Parameters,
  embedOf: (name: string) => string,
): string {
  if (order.length === 0) return '';
  const terms = order.map((term) => {
    const place =
      term.embed === undefined
        ? compilePlace(term.place, source, parameters)
        : compilePlace(
            term.place,
            { alias: embedOf(term.embed), columns: new Map(), embeds: new Map() },
            parameters,
          );
    const nulls = term.nulls === undefined ? '' : ` nulls ${term.nulls}`;
    return `${place} ${term.descending ? 'desc' : 'asc'}${nulls}`;
  });
  return ` order by ${terms.join(', ')}`;
}
