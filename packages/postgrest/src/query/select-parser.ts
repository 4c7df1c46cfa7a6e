import { readPath } from './column-path-parser.ts';
import type { Aggregate, SelectColumn, SelectItem } from './query-tree.ts';
import { TextReader } from './text-reader.ts';

const MAX_DEPTH = 8;
const MAX_ITEMS = 500;
const AGGREGATE = /\.(sum|avg|min|max|count)\(\)/;
/**
 * The name of a type: letters, digits, underscores and spaces, with array brackets; no quotes or comments.
 */
const CAST = /[a-zA-Z_][a-zA-Z0-9_ ]*(\[\])?/;

/**
 * Reads `select=`: columns, casts, JSON paths, aggregates and embeds (docs/contracts/platform.md §4). An empty
 * text means all columns.
 *
 * @throws ServiceError PGRST100
 */
export function parseSelect(text: string): SelectItem[] {
  const reader = new TextReader(text, 'select parameter');
  if (text === '') return [{ kind: 'star' }];
  const items = readItems(reader, 1, { count: 0 });
  if (!reader.done) throw reader.fail('"," or end of input');
  return items;
}

function readItems(reader: TextReader, depth: number, seen: { count: number }): SelectItem[] {
  if (depth > MAX_DEPTH) throw reader.fail(`at most ${MAX_DEPTH} levels of embedding`);
  const items: SelectItem[] = [];
  do {
    seen.count += 1;
    if (seen.count > MAX_ITEMS) throw reader.fail(`at most ${MAX_ITEMS} columns`);
    items.push(readItem(reader, depth, seen));
    reader.skipSpaces();
  } while (reader.take(','));
  return items;
}

function readItem(reader: TextReader, depth: number, seen: { count: number }): SelectItem {
  if (reader.match(/\s*\*(?=\s*(?:[,)]|$))/)) return { kind: 'star' };
  const spread = reader.take('...');
  let name = reader.name();
  let alias: string | undefined;
  if (!spread && isAlias(reader)) {
    reader.expect(':');
    alias = name;
    name = reader.name();
  }
  const next = reader.text[reader.position];
  if (
    next === '!' ||
    (next === '(' && !(name === 'count' && reader.text.startsWith('()', reader.position)))
  ) {
    return readEmbed(reader, { name, alias, spread }, depth, seen);
  }
  if (spread) throw reader.fail('"("');
  return readColumn(reader, name, alias);
}

function isAlias(reader: TextReader): boolean {
  return reader.text[reader.position] === ':' && reader.text[reader.position + 1] !== ':';
}

function readColumn(reader: TextReader, name: string, alias: string | undefined): SelectColumn {
  if (name === 'count' && reader.take('()')) {
    return {
      kind: 'column',
      place: undefined,
      alias,
      cast: undefined,
      aggregate: 'count',
      aggregateCast: readCast(reader),
    };
  }
  const place = { column: name, path: readPath(reader) };
  const cast = readCast(reader);
  const aggregate = reader.match(AGGREGATE)?.[1] as Aggregate | undefined;
  const aggregateCast = aggregate === undefined ? undefined : readCast(reader);
  return { kind: 'column', place, alias, cast, aggregate, aggregateCast };
}

function readCast(reader: TextReader): string | undefined {
  if (!reader.take('::')) return undefined;
  const cast = reader.match(CAST)?.[0].trim();
  if (cast === undefined) throw reader.fail('a type name');
  return cast;
}

function readEmbed(
  reader: TextReader,
  head: { name: string; alias: string | undefined; spread: boolean },
  depth: number,
  seen: { count: number },
): SelectItem {
  let hint: string | undefined;
  let inner = false;
  while (reader.take('!')) {
    const word = reader.name();
    if (word === 'inner') inner = true;
    else if (word !== 'left') hint = word;
  }
  reader.expect('(');
  let select: SelectItem[] = [];
  if (!reader.take(')')) {
    select = readItems(reader, depth + 1, seen);
    reader.expect(')');
  }
  return { kind: 'embed', target: head.name, alias: head.alias, hint, inner, spread: head.spread, select };
}
