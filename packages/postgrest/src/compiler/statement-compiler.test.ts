import { ServiceError } from '@northline/service-error/service-error';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from '../query/query-parser.ts';
import { readAccept, readPreferences } from '../request-preferences.ts';
import type { Column, Relation, Schema } from '../schema-shape.ts';
import { compileCall } from './call-compiler.ts';
import { Parameters } from './sql-text.ts';
import { compileChange, compileRead } from './statement-compiler.ts';
import { compileDelete, compileInsert, compileUpdate, readRows, type WriteTarget } from './write-compiler.ts';

/** How many inputs a property test makes: few, `PROPERTY_TIMES` as many where that is set. */
const propertyRuns = (few: number): number => few * Number(process.env.PROPERTY_TIMES ?? 1);

const column = (name: string, type: string, family: Column['family'] = 'other'): [string, Column] => [
  name,
  { name, type, shortType: type, family, fallback: null },
];
const relation = (name: string): Relation => ({
  schema: 'public',
  name,
  isTable: true,
  columns: new Map([column('id', 'integer'), column('name', 'text'), column('data', 'jsonb', 'json')]),
  primaryKey: ['id'],
});
const books = relation('books');
const schema: Schema = {
  name: 'public',
  relations: new Map([
    ['books', books],
    ['authors', relation('authors')],
  ]),
  foreignKeys: [
    {
      name: 'fk',
      table: 'books',
      columns: ['author'],
      tableIsMain: true,
      target: 'authors',
      targetColumns: ['id'],
      targetIsMain: true,
      unique: false,
    },
  ],
  computed: [{ name: 'related', table: 'books', target: 'authors', toOne: false }],
  withFields: new Map(),
  routines: new Map(),
};

/**
 * The statement without quoted names and our own literals, which must contain no separator, comment or
 * foreign quote.
 */
function skeleton(sql: string): string {
  return sql
    .replace(/"(?:[^"]|"")*"/g, 'name')
    .replace(
      /'(?:array|\[\]|null|0|,|northline\.conflicts|status|headers|response\.(?:status|headers)|)'/g,
      'text',
    );
}

const word = fc.oneof(
  fc.constantFrom(
    'id',
    'name',
    'data',
    'authors',
    'related',
    'and',
    'or',
    'not.or',
    'select',
    'order',
    'limit',
    'columns',
    'on_conflict',
    'authors.id',
    'data->a->>0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const value = fc.oneof(
  fc.constantFrom(
    'eq.1',
    'in.(1,"a\\"",2)',
    'not.is.null',
    'fts(english).x',
    '(id.eq.1,or(name.like.*x*))',
    '*',
    'id,authors(*)',
    'data->a::text',
    'id.desc.nullslast',
    '5',
    "'; drop table x; --",
  ),
  fc
    .array(
      fc.constantFrom(
        'a',
        '.',
        ',',
        '(',
        ')',
        '"',
        '\\',
        ';',
        "'",
        '-',
        '>',
        ':',
        '*',
        '!',
        '$1',
        '/*',
        '\0',
        'eq',
        'in',
        'not',
        '::int',
        '...',
      ),
      { maxLength: 15 },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const query = fc
  .array(fc.tuple(word, value), { maxLength: 6 })
  .map((pairs) => pairs.map(([key, text]) => `${encode(key)}=${encode(text)}`).join('&'));

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Runs the compiler; if it refuses, it must throw a ServiceError below 500. */
function attempt(compile: () => string): string | undefined {
  try {
    return compile();
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).status).toBeLessThan(500);
    return undefined;
  }
}

test('no query string makes a second statement, a comment or text of its own, or throws anything but a refusal', () => {
  const preferences = readPreferences({ prefer: 'return=representation,resolution=merge-duplicates' });
  const representation = readAccept({}, false);
  fc.assert(
    fc.property(query, fc.json({ maxDepth: 2 }), (text, body) => {
      const contextOf = () => ({ schema, tree: parseQuery(text), parameters: new Parameters() });
      const wanted = { representation, counting: 'all' as const, body: true };
      const change = (write: (target: WriteTarget) => string) => {
        const context = contextOf();
        const target = { ...context, table: books, preferences };
        const { returns } = preferences;
        return compileChange(context, books, { write: write(target), returns, representation }).text;
      };
      const statements = [
        attempt(() => compileRead(contextOf(), books, wanted).text),
        attempt(() => change((target) => compileInsert(target, readRows(body, target.tree)))),
        attempt(() => change((target) => compileUpdate(target, readRows(body, target.tree)))),
        attempt(() => change((target) => compileDelete(target))),
      ];
      for (const sql of statements) {
        if (sql === undefined) continue;
        expect(skeleton(sql)).not.toMatch(/[;'\\\0]|--|\/\*|\$\$/);
      }
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('names of arguments and functions are quoted', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.string(), (name, argument) => {
      const routine = {
        schema: 'public',
        name,
        args: [{ name: argument, type: 'text', required: true, variadic: false }],
        returnsSet: false,
        returns: 'scalar' as const,
        columns: new Map(),
        relation: null,
        volatile: false,
      };
      const context = { schema, tree: parseQuery(''), parameters: new Parameters() };
      const sql = compileCall(context, routine, {
        kind: 'texts',
        values: new Map([[argument, ['x']]]),
      });
      expect(skeleton(sql)).not.toMatch(/[;'\\]|--|\/\*|\$\$/);
    }),
  );
});
