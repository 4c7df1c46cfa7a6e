import { describe, expect, test } from 'vitest';
import { db, openBookShop } from '../../../tests/support/customers/book-shop.ts';

openBookShop();

const titles = (data: { title?: string }[] | null) => data?.map((row) => row.title?.slice(0, 1)).join('');

describe('filters', () => {
  const cases: [
    string,
    (query: ReturnType<typeof books>) => PromiseLike<{ data: unknown; error: unknown }>,
    string,
  ][] = [
    ['eq', (q) => q.eq('title', 'Beta, or "B"'), 'B'],
    ['neq', (q) => q.neq('id', 1), 'BG'],
    ['gt and lt', (q) => q.gt('price', 5).lt('price', '20'), 'B'],
    ['gte and lte', (q) => q.gte('price', 15).lte('price', 25), 'BG'],
    ['like', (q) => q.like('title', '%a'), 'AG'],
    ['ilike', (q) => q.ilike('title', 'A%'), 'A'],
    ['likeAnyOf', (q) => q.likeAnyOf('title', ['A%', 'G%']), 'AG'],
    ['likeAllOf', (q) => q.likeAllOf('title', ['%a', 'G%']), 'G'],
    ['ilikeAnyOf', (q) => q.ilikeAnyOf('title', ['a%', 'g%']), 'AG'],
    ['match', (q) => q.filter('title', 'match', '^[AG]'), 'AG'],
    ['imatch', (q) => q.filter('title', 'imatch', '^[ag]'), 'AG'],
    ['is null', (q) => q.is('pages', null), 'G'],
    ['is true', (q) => q.is('in_print', true), 'A'],
    ['is unknown by hand', (q) => q.filter('in_print', 'is', 'unknown'), 'G'],
    ['isdistinct', (q) => q.filter('pages', 'isdistinct', '100'), 'BG'],
    ['in with commas', (q) => q.in('title', ['Alpha', 'a, b', 'Gamma']), 'AG'],
    ['in with escaped quotes', (q) => q.filter('title', 'in', '(Alpha,"Beta, or \\"B\\"")'), 'AB'],
    ['empty in', (q) => q.in('id', []), ''],
    ['contains array', (q) => q.contains('tags', ['b']), 'AB'],
    ['contained by', (q) => q.containedBy('tags', ['a', 'b']), 'AG'],
    ['overlaps', (q) => q.overlaps('tags', ['a', 'c']), 'AB'],
    ['contains json', (q) => q.contains('data', { name: 'x' }), 'A'],
    ['range left of', (q) => q.rangeLt('period', '[6,10)'), 'A'],
    ['range right of', (q) => q.rangeGt('period', '[1,6)'), 'G'],
    ['range not extending left', (q) => q.rangeGte('period', '[5,10)'), 'BG'],
    ['range not extending right', (q) => q.rangeLte('period', '[1,9)'), 'AB'],
    ['adjacent', (q) => q.rangeAdjacent('period', '[9,12)'), 'B'],
    ['full text', (q) => q.textSearch('words', "'fat' & 'cat'", { config: 'english' }), 'A'],
    [
      'plain full text on text',
      (q) => q.textSearch('title', 'gamma', { type: 'plain', config: 'english' }),
      'G',
    ],
    [
      'web full text',
      (q) => q.textSearch('words', 'cats or dogs', { type: 'websearch', config: 'english' }),
      'AB',
    ],
    ['not', (q) => q.not('tags', 'cs', '{b}'), 'G'],
    ['not in', (q) => q.not('id', 'in', '(1,2)'), 'G'],
    ['match object', (q) => q.match({ id: 1, title: 'Alpha' }), 'A'],
    ['or', (q) => q.or('id.eq.1,and(price.gt.20,pages.is.null)'), 'AG'],
    [
      'or with quoted values, lists and arrays',
      (q) => q.or('title.eq."Beta, or \\"B\\"",id.in.(7,8),tags.cs.{a}'),
      'AB',
    ],
    ['not in a tree', (q) => q.or('not.and(id.gt.0,id.lt.3),title.not.neq.Alpha'), 'AG'],
    ['json path as text', (q) => q.eq('data->size->>h', '3'), 'A'],
    ['json path as json', (q) => q.eq('data->size->h', '4'), 'B'],
    ['json index', (q) => q.eq('data->list->>1', '2'), 'A'],
    ['quantified eq', (q) => q.filter('id', 'eq(any)', '{1,3}'), 'AG'],
  ];
  const books = () => db.from('books').select('title').order('id');
  test.each(cases)('%s', async (_name, apply, expected) => {
    const { data, error } = await apply(books());
    expect(error).toBeNull();
    expect(titles(data as { title: string }[])).toBe(expected);
  });

  test('a value never reaches the statement as SQL', async () => {
    const { data, error } = await books().eq('title', "x' or '1'='1'; drop table public.books; --");
    expect({ data, error }).toEqual({ data: [], error: null });
  });
});
