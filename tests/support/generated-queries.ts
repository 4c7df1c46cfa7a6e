import fc from 'fast-check';

/** A condition, written twice by two ways that share nothing: for a query string and by hand in SQL. */
export type GeneratedCondition =
  | {
      readonly kind: 'compare';
      readonly not: boolean;
      readonly column: string;
      /** The place as SQL. */
      readonly place: string;
      readonly operator: string;
      readonly value: string;
      readonly sql: string;
    }
  | {
      readonly kind: 'and' | 'or';
      readonly not: boolean;
      readonly parts: readonly GeneratedCondition[];
    };

/** A query over `public.samples (id, n, t, b, p, tags, j)`. */
export interface GeneratedQuery {
  readonly columns: readonly string[];
  readonly conditions: readonly GeneratedCondition[];
  readonly order: readonly { column: string; descending: boolean; nulls: '' | 'first' | 'last' }[];
  readonly limit: number | undefined;
  readonly offset: number;
}

/** Texts of the rows and of the conditions: few, so that they meet, with everything that has a meaning somewhere. */
export const TEXTS = [
  '',
  'a',
  'ab',
  'A"b',
  "it's",
  'a,b',
  '(a)',
  'x\\y',
  'null',
  '1',
  'ä%',
  'a.b',
  '{a}',
  '$1',
  '--',
];
export const NUMBERS = [-7, 0, 1, 2, 3, 40];
export const TAGS = ['a', 'b', 'c d', 'e,f', '"'];

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const SYMBOLS = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const symbol = fc.constantFrom(...(Object.keys(SYMBOLS) as (keyof typeof SYMBOLS)[]));
const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(...NUMBERS);
const tags = fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 3 });

type Half = { column: string; place: string; operator: string; value: string; sql: string };
/** Where a column that leads into JSON lies, in SQL. */
const PLACES: Readonly<Record<string, string>> = {
  'j->>k': "(j ->> 'k')",
  'j->d->0': "(j -> 'd' -> 0)",
};
const half = (column: string, operator: string, value: string, sql: string): Half => ({
  column,
  place: PLACES[column] ?? column,
  operator,
  value,
  sql,
});

const comparison: fc.Arbitrary<Half> = fc.oneof(
  fc
    .tuple(fc.constantFrom('n', 'p', 'id'), symbol, number)
    .map(([name, word, value]) => half(name, word, String(value), `${SYMBOLS[word]} ${value}`)),
  fc.tuple(symbol, text).map(([word, value]) => half('t', word, value, `${SYMBOLS[word]} ${literal(value)}`)),
  fc
    .tuple(fc.constantFrom('like', 'ilike'), fc.constantFrom('a*', '*b*', '*', 'A*', '_b', '*\\*y'))
    .map(([word, value]) => half('t', word, value, `${word} ${literal(value.replaceAll('*', '%'))}`)),
  fc
    .uniqueArray(text, { minLength: 1, maxLength: 4 })
    .map((list) =>
      half('t', 'in', `(${list.map(quoted).join(',')})`, `in (${list.map(literal).join(', ')})`),
    ),
  fc
    .uniqueArray(number, { minLength: 1, maxLength: 4 })
    .map((list) => half('n', 'in', `(${list.join(',')})`, `in (${list.join(', ')})`)),
  fc
    .tuple(fc.constantFrom('n', 't', 'b', 'tags', 'j'), fc.constant('null'))
    .map(([name, word]) => half(name, 'is', word, `is ${word}`)),
  fc.constantFrom('true', 'false', 'unknown').map((word) => half('b', 'is', word, `is ${word}`)),
  number.map((value) => half('n', 'isdistinct', String(value), `is distinct from ${value}`)),
  fc
    .tuple(fc.constantFrom(['cs', '@>'], ['cd', '<@'], ['ov', '&&']), tags)
    .map(([[word = '', sign], list]) =>
      half(
        'tags',
        word,
        `{${list.map(quoted).join(',')}}`,
        `${sign} array[${list.map(literal).join(', ')}]::text[]`,
      ),
    ),
  text.map((value) => half('j->>k', 'eq', value, `= ${literal(value)}`)),
  number.map((value) => half('j->d->0', 'eq', String(value), `= ${literal(String(value))}::jsonb`)),
);

const condition: fc.Arbitrary<GeneratedCondition> = fc.letrec<{ node: GeneratedCondition }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(fc.boolean(), comparison).map(([not, parts]) => ({ kind: 'compare' as const, not, ...parts })),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      not: fc.boolean(),
      parts: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).node;

/** Queries of every shape. */
export const generatedQuery: fc.Arbitrary<GeneratedQuery> = fc.record({
  columns: fc.uniqueArray(fc.constantFrom('id', 'n', 't', 'b', 'p', 'tags', 'j'), {
    minLength: 1,
    maxLength: 7,
  }),
  conditions: fc.array(condition, { maxLength: 3 }),
  order: fc.uniqueArray(
    fc.record({
      column: fc.constantFrom('n', 't', 'b', 'p'),
      descending: fc.boolean(),
      nulls: fc.constantFrom('' as const, 'first' as const, 'last' as const),
    }),
    { maxLength: 2, selector: ({ column }) => column },
  ),
  limit: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
  offset: fc.nat({ max: 5 }),
});

/** As the query string of a request. */
export function asQueryString({ columns, conditions, order, limit, offset }: GeneratedQuery): string {
  const terms = [...order, { column: 'id', descending: false, nulls: '' }].map(
    ({ column, descending, nulls }) =>
      `${column}${descending ? '.desc' : ''}${nulls === '' ? '' : `.nulls${nulls}`}`,
  );
  const pairs: [string, string][] = [
    ['select', columns.join(',')],
    ...conditions.map((one): [string, string] =>
      one.kind === 'compare'
        ? [one.column, `${one.not ? 'not.' : ''}${one.operator}.${one.value}`]
        : [`${one.not ? 'not.' : ''}${one.kind}`, `(${one.parts.map(inTree).join(',')})`],
    ),
    ['order', terms.join(',')],
    ...(limit === undefined ? [] : [['limit', String(limit)] as [string, string]]),
    ['offset', String(offset)],
  ];
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

function inTree(one: GeneratedCondition): string {
  const not = one.not ? 'not.' : '';
  if (one.kind !== 'compare') return `${not}${one.kind}(${one.parts.map(inTree).join(',')})`;
  const bare = one.operator === 'in' || one.operator === 'is';
  return `${one.column}.${not}${one.operator}.${bare ? one.value : quoted(one.value)}`;
}

/** The same by hand, as a person would type it into psql. */
export function asSql({ columns, conditions, order, limit, offset }: GeneratedQuery): string {
  const where = conditions.length === 0 ? '' : ` where ${conditions.map(conditionSql).join(' and ')}`;
  const terms = order.map(
    ({ column, descending, nulls }) =>
      `${column} ${descending ? 'desc' : 'asc'}${nulls === '' ? '' : ` nulls ${nulls}`}`,
  );
  return `select ${columns.join(', ')} from public.samples${where} order by ${[...terms, 'id'].join(', ')} limit ${limit ?? 'all'} offset ${offset}`;
}

function conditionSql(one: GeneratedCondition): string {
  const inner =
    one.kind === 'compare' ? `${one.place} ${one.sql}` : one.parts.map(conditionSql).join(` ${one.kind} `);
  return one.not ? `(not (${inner}))` : `(${inner})`;
}
