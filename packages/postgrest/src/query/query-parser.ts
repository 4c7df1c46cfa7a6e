import { parseError, restError } from '../rest-error.ts';
import { readPlace } from './column-path-parser.ts';
import { isComparison, parseComparison, parseLogic } from './condition-parser.ts';
import type { Level, OrderTerm, QueryTree } from './query-tree.ts';
import { parseSelect } from './select-parser.ts';
import { TextReader } from './text-reader.ts';

/** Longest query string, characters. A longer filter belongs in a function's body. */
export const MAX_QUERY_LENGTH = 12_000;
const MAX_PARAMETERS = 300;
/** Most regular expressions in one request: each may cost as much as a scan with backtracking. */
const MAX_PATTERNS = 10;
const LOGIC = /^(not\.)?(and|or)$/;

/**
 * The query string as a typed tree.
 *
 * @param text without the question mark, still percent-encoded
 * @param skips whether a parameter is not part of the query (arguments of a function called by GET)
 * @throws ServiceError 414 when too long, else 400 PGRST100
 */
export function parseQuery(
  text: string,
  skips: (key: string, value: string) => boolean = () => false,
): QueryTree {
  if (text.length > MAX_QUERY_LENGTH) {
    throw restError(414, 'PGRST100', `The query string is longer than ${MAX_QUERY_LENGTH} characters`, {
      hint: 'Use a function (POST /rpc) for long lists of values.',
    });
  }
  const tree = {
    select: parseSelect('*'),
    root: emptyLevel(),
    embeds: new Map<string, Level>(),
    columns: undefined as string[] | undefined,
    onConflict: undefined as string[] | undefined,
  };
  let patterns = 0;
  for (const [key, value] of readPairs(text)) {
    if (key === 'apikey' || skips(key, value)) continue;
    patterns += countPatterns(value);
    if (patterns > MAX_PATTERNS) {
      throw parseError('query', key, 1, `at most ${MAX_PATTERNS} filters with match or imatch`);
    }
    if (key === 'select') tree.select = parseSelect(value);
    else if (key === 'columns') tree.columns = parseNames(value, 'columns parameter');
    else if (key === 'on_conflict') tree.onConflict = parseNames(value, 'on_conflict parameter');
    else applyParameter(key, value, tree.root, tree.embeds);
  }
  return tree;
}

/**
 * Whether a parameter of a function called by GET is one of its arguments: those that mean nothing in a query
 * string and whose value has no operator. `id=5` is an argument, `id=gt.5` filters the results.
 */
export function isArgument(key: string, value: string): boolean {
  if (['select', 'columns', 'on_conflict', 'apikey'].includes(key)) return false;
  return !/(?:^|\.)(?:order|limit|offset|and|or)$/.test(key) && !isComparison(value);
}

function readPairs(text: string): [key: string, value: string][] {
  const pairs = [...new URLSearchParams(text)];
  const [key] = pairs[MAX_PARAMETERS] ?? [];
  if (key !== undefined) throw parseError('query', key, 1, `at most ${MAX_PARAMETERS} parameters`);
  // A zero byte would end the statement's text on the wire.
  const zero = pairs.find((pair) => pair.some((one) => one.includes('\0')));
  if (zero !== undefined) throw parseError('query', zero[0], 1, 'unexpected zero byte');
  return pairs;
}

/** An upper bound: it also counts a value that only contains the words. */
function countPatterns(value: string): number {
  return value.match(/(?:^|[.,(])i?match(?:\((?:any|all)\))?\./g)?.length ?? 0;
}

function emptyLevel(): Level {
  return { conditions: [], order: [], limit: undefined, offset: 0 };
}

function applyParameter(key: string, value: string, root: Level, embeds: Map<string, Level>): void {
  const { path, last } = splitKey(key);
  const level = path === '' ? root : (embeds.get(path) ?? emptyLevel());
  if (path !== '') embeds.set(path, level);
  const logic = LOGIC.exec(last);
  if (logic !== null)
    level.conditions.push(parseLogic(logic[2] as 'and' | 'or', logic[1] !== undefined, value));
  else if (last === 'order') level.order = parseOrder(value);
  else if (last === 'limit') level.limit = parseLimit(value);
  else if (last === 'offset') level.offset = parseOffset(value);
  else {
    const reader = new TextReader(last, 'tree path');
    const place = readPlace(reader);
    if (!reader.done) throw reader.fail('"->" or end of input');
    level.conditions.push(parseComparison(place, value));
  }
}

/**
 * `author.books.title` gives the path `author.books` and the last part `title`; `not.or` stays together;
 * arrows end the path.
 */
function splitKey(key: string): { path: string; last: string } {
  const arrow = key.indexOf('->');
  const head = arrow === -1 ? key : key.slice(0, arrow);
  const names: string[] = [];
  const reader = new TextReader(head, 'tree path');
  do names.push(reader.name());
  while (reader.take('.'));
  if (!reader.done) throw reader.fail('"."');
  const logic = /^(and|or)$/.test(names.at(-1) ?? '') && names.at(-2) === 'not' && arrow === -1;
  const tail = names.splice(logic ? -2 : -1);
  const column = tail.join('.');
  const rest = arrow === -1 ? '' : key.slice(arrow);
  const quoted = logic || /^[^.,:()"!\\]+$/.test(column) ? column : `"${column.replace(/["\\]/g, '\\$&')}"`;
  return { path: names.join('.'), last: quoted + rest };
}

function parseNames(text: string, what: string): string[] {
  const reader = new TextReader(text, what);
  const names: string[] = [];
  do names.push(reader.name());
  while (reader.take(','));
  if (!reader.done) throw reader.fail('"," or end of input');
  return [...new Set(names)];
}

function parseOrder(text: string): OrderTerm[] {
  const reader = new TextReader(text, 'order');
  const terms: OrderTerm[] = [];
  do terms.push(readOrderTerm(reader));
  while (reader.take(','));
  if (!reader.done) throw reader.fail('"," or end of input');
  return terms;
}

function readOrderTerm(reader: TextReader): OrderTerm {
  let place = readPlace(reader);
  let embed: string | undefined;
  if (place.path.length === 0 && reader.take('(')) {
    embed = place.column;
    place = readPlace(reader);
    reader.expect(')');
  }
  const direction = reader.match(/\.(asc|desc)(?![a-z])/)?.[1];
  const nulls = reader.match(/\.nulls(first|last)/)?.[1] as 'first' | 'last' | undefined;
  if (!reader.done && reader.text[reader.position] !== ',') {
    if (nulls !== undefined) throw reader.failEnd('"," or end of input');
    throw reader.fail('"asc", "desc", "nullsfirst" or "nullslast"');
  }
  return { embed, place, descending: direction === 'desc', nulls };
}

/** @throws ServiceError 416 PGRST103 for a negative number */
function parseLimit(text: string): number {
  const limit = parseInteger(text, 'limit');
  if (limit < 0) throw rangeError('Limit should be greater than or equal to zero.');
  return limit;
}

/** A negative offset counts as none. */
function parseOffset(text: string): number {
  return Math.max(0, parseInteger(text, 'offset'));
}

function parseInteger(text: string, what: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw parseError(`${what} parameter`, text, 1, 'expecting an integer');
  return Number(text);
}

/** 416 PGRST103, with the total number of rows if it is known, in the form of Content-Range. */
export function rangeError(details: string, total?: number): Error {
  const headers: Record<string, string> = total === undefined ? {} : { 'content-range': `*/${total}` };
  return restError(416, 'PGRST103', 'Requested range not satisfiable', { details, headers });
}
