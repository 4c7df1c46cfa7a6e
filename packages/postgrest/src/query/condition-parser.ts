import { parseError } from '../rest-error.ts';
import { readPlace } from './column-path-parser.ts';
import type { Comparison, Condition, LogicGroup, Place, Quantifier } from './query-tree.ts';
import { TextReader } from './text-reader.ts';

const MAX_DEPTH = 10;
const MAX_CONDITIONS = 300;
const MAX_LIST = 10_000;

const QUANTIFIED = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch'];
const PLAIN = ['is', 'isdistinct', 'in', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxl', 'nxr', 'adj'];
const SEARCH = ['fts', 'plfts', 'phfts', 'wfts'];
const OPERATOR = /(not\.)?([a-z]+)(?:\(([^()]*)\))?\./;
const IS_VALUES = ['null', 'not_null', 'true', 'false', 'unknown'];

/** Reads the value of a filter parameter: `not.in.(a,"b,c")`. @throws ServiceError PGRST100 */
export function parseComparison(place: Place, text: string): Comparison {
  const reader = new TextReader(text, 'filter');
  const head = readOperator(reader);
  const rest = text.slice(reader.position);
  if (head.operator !== 'in') return finish(place, head, { value: rest }, text);
  const values = readList(reader);
  if (!reader.done) throw reader.fail('end of input');
  return finish(place, head, { value: '', values }, text);
}

/** Whether a text is what `parseComparison` reads: an operator and its value. */
export function isComparison(text: string): boolean {
  try {
    parseComparison({ column: '', path: [] }, text);
    return true;
  } catch {
    return false;
  }
}

type Head = Pick<Comparison, 'negated' | 'operator' | 'quantifier' | 'language'>;

function readOperator(reader: TextReader): Head {
  const start = reader.position;
  const found = reader.match(OPERATOR);
  const operator = found?.[2] ?? '';
  const argument = found?.[3];
  const negated = found?.[1] !== undefined;
  const known =
    (QUANTIFIED.includes(operator) && (argument === undefined || argument === 'any' || argument === 'all')) ||
    (PLAIN.includes(operator) && argument === undefined) ||
    (SEARCH.includes(operator) && (argument === undefined || /^[\w.]+$/.test(argument)));
  if (!known) {
    reader.position = start;
    throw reader.fail('"not" or operator (eq, gt, ...)');
  }
  const search = SEARCH.includes(operator);
  return {
    negated,
    operator,
    quantifier: search ? undefined : (argument as Quantifier | undefined),
    language: search ? argument : undefined,
  };
}

function finish(
  place: Place,
  head: Head,
  { value, values }: { readonly value: string; readonly values?: readonly string[] },
  text: string,
): Comparison {
  if (head.operator === 'is' && !IS_VALUES.includes(value.toLowerCase())) {
    throw parseError('filter', text, text.length - value.length + 1, `expecting ${IS_VALUES.join(', ')}`);
  }
  const plain = head.operator === 'is' ? value.toLowerCase() : value;
  return { kind: 'comparison', place, ...head, value: plain, values };
}

/** `(a,"b,c",d)` */
function readList(reader: TextReader): string[] {
  reader.expect('(');
  reader.skipSpaces();
  const values: string[] = [];
  if (reader.take(')')) return values;
  do {
    if (values.length >= MAX_LIST) throw reader.fail(`at most ${MAX_LIST} values`);
    values.push(readQuoted(reader) ?? reader.match(/[^,)]*/)?.[0] ?? '');
  } while (reader.take(','));
  reader.expect(')');
  reader.skipSpaces();
  return values;
}

/** Reads a logic tree: the value of `or=`, `and=`, `not.or=`: `(a.eq.1,and(b.gt.2,c.lt.3))`. @throws ServiceError PGRST100 */
export function parseLogic(kind: 'and' | 'or', negated: boolean, text: string): LogicGroup {
  const reader = new TextReader(text, 'logic tree', (negated ? 'not.' : '').length + kind.length);
  const conditions = readGroup(reader, 1, { count: 0 });
  if (!reader.done) throw reader.fail('end of input');
  return { kind, negated, conditions };
}

function readGroup(reader: TextReader, depth: number, seen: { count: number }): Condition[] {
  if (depth > MAX_DEPTH) throw reader.fail(`at most ${MAX_DEPTH} levels of and/or`);
  reader.expect('(');
  const conditions: Condition[] = [];
  do {
    seen.count += 1;
    if (seen.count > MAX_CONDITIONS) throw reader.fail(`at most ${MAX_CONDITIONS} conditions`);
    conditions.push(readCondition(reader, depth, seen));
    reader.skipSpaces();
  } while (reader.take(','));
  reader.expect(')');
  return conditions;
}

function readCondition(reader: TextReader, depth: number, seen: { count: number }): Condition {
  const group = reader.match(/\s*(not\.)?(and|or)\s*(?=\()/);
  if (group !== undefined) {
    const conditions = readGroup(reader, depth + 1, seen);
    return { kind: group[2] as 'and' | 'or', negated: group[1] !== undefined, conditions };
  }
  const place = readPlace(reader, ', negation operator (not) or logic operator (and, or)');
  reader.expect('.');
  return readComparison(reader, place);
}

/** Reads `not.op.value` where the value ends at a comma or a closing bracket. @throws ServiceError PGRST100 */
export function readComparison(reader: TextReader, place: Place): Comparison {
  const head = readOperator(reader);
  if (head.operator === 'in')
    return finish(place, head, { value: '', values: readList(reader) }, reader.text);
  return finish(place, head, { value: readValue(reader) }, reader.text);
}

/** A quoted text, an array literal, or everything up to the next comma or bracket. */
function readValue(reader: TextReader): string {
  const quoted = readQuoted(reader);
  if (quoted !== undefined) return quoted;
  const array = reader.match(/\{[^{}]*\}(?=[,)])/);
  return array?.[0] ?? reader.match(/[^,)]*/)?.[0] ?? '';
}

/**
 * A quoted value before a comma or a bracket. Clients do not escape quotes inside a value; a value with such
 * quotes is read as plain text, as in PostgREST (`pListElement`, `pLogicSingleVal`).
 */
function readQuoted(reader: TextReader): string | undefined {
  const found = reader.match(/"((?:\\[\s\S]|[^"\\])*)"(?=[,)]|$)/);
  return found?.[1]?.replace(/\\([\s\S])/g, '$1');
}
