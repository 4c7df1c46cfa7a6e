import type { Call, World } from '../calling-world.ts';

type Row = { id: number };
const ids = (rows: Row[]) => rows.map(({ id }) => id).join(', ');
const json = (value: unknown) => JSON.stringify(value);

/** Reading and writing rows and calling procedures. */
export async function callData(world: World): Promise<void> {
  const { user, visitor, service } = world;
  const notes = () => user.from('notes');
  const writes: Call[] = [
    ['from().insert()', () => notes().insert({ id: 1, body: 'a' })],
    ['from().insert().select()', () => notes().insert({ id: 2, body: 'b' }).select('id, body'), json],
    ['from().insert() of many', () => notes().insert([{ id: 3 }, { id: 4, body: 'd' }])],
    [
      'from().insert({ defaultToNull: false })',
      () => notes().insert([{ id: 5 }], { defaultToNull: false, count: 'exact' }),
    ],
    ['from().insert() of a key that is there', () => notes().insert({ id: 1 })],
    ['from().insert() of no such column', () => notes().insert({ nothing: 1 })],
    ['from().upsert() of a new row', () => notes().upsert({ id: 6, body: 'c' })],
    ['from().upsert() of a row that is there', () => notes().upsert({ id: 6, body: 'd' })],
    [
      'from().upsert({ ignoreDuplicates })',
      () => notes().upsert({ id: 6, body: 'e' }, { ignoreDuplicates: true, onConflict: 'id' }).select(),
      ids,
    ],
    ['from().update().eq()', () => notes().update({ body: 'x' }).eq('id', 1)],
    ['from().update() without a condition', () => notes().update({ body: 'x' })],
    [
      'from().update().gt().maxAffected()',
      () =>
        notes().update({ body: 'y' }).gt('id', 0).select().maxAffected(1) as unknown as PromiseLike<unknown>,
    ],
    ['from().insert().rollback()', () => notes().insert({ id: 7 }).rollback().select('id'), ids],
    ['from().select() of what was rolled back', () => notes().select('id').eq('id', 7), ids],
    ['from().delete().eq()', () => notes().delete().eq('id', 1)],
    ['from().delete().in().select()', () => notes().delete().in('id', [2, 3]).select('id'), ids],
    ['from().delete() without a condition', () => notes().delete()],
  ];
  await world.make('Data', 'user', writes);
  await callReads(world);
  await world.make('Data', 'user', [
    ['rpc()', () => user.rpc('add', { a: 1, b: 2 }), String],
    ['rpc() with get', () => user.rpc('add', { a: 1, b: 2 }, { get: true }), String],
    ['rpc() with get of an array', () => user.rpc('total', { numbers: [1, 2, 3] }, { get: true }), String],
    ['rpc() with head', () => user.rpc('add', { a: 1, b: 2 }, { head: true })],
    ['rpc() of rows', () => user.rpc('books_of', { writer: 'Anna' }).select('id').order('id'), ids],
    ['rpc().single() of many', () => user.rpc('books_of', { writer: 'Anna' }).single()],
    ['rpc() of nothing', () => user.rpc('nothing_back')],
    ['rpc() of no such function', () => user.rpc('nothing')],
    ['schema() of one that is shown', () => user.schema('public').from('authors').select('id'), ids],
    ['schema() of one that is not', () => user.schema('private').from('jobs').select()],
    [
      'getOpenApiSpec()',
      () => service.getOpenApiSpec(),
      ({ paths }) => String('/books' in paths && '/rpc/add' in paths),
    ],
  ]);
  await world.make('Data', 'visitor', [
    ['from().select() without the right', () => visitor.from('notes').select()],
    ['from().insert() without the right', () => visitor.from('authors').insert({ id: 9, name: 'x' })],
  ]);
}

async function callReads({ user, make }: World): Promise<void> {
  const notes = () => user.from('notes');
  const books = () => user.from('books');
  const reads: Call[] = [
    ['from().select()', () => notes().select().order('id'), ids],
    [
      "from().select('*', { count: 'exact' }).range(0, 0)",
      () => books().select('*', { count: 'exact' }).range(0, 0).order('id'),
      ids,
    ],
    ['from().select().range() behind the end', () => books().select('id', { count: 'exact' }).range(9, 10)],
    ["from().select('*', { head: true })", () => books().select('*', { head: true, count: 'exact' })],
    ["from().select('*', { count: 'planned' })", () => books().select('id', { count: 'planned' }), ids],
    ["from().select('*', { count: 'estimated' })", () => books().select('id', { count: 'estimated' }), ids],
    ['from().select().eq().single()', () => books().select('id').eq('id', 1).single(), json],
    ['from().select().single() of none', () => books().select().eq('id', 9).single()],
    ['from().select().single() of many', () => books().select().single()],
    ['from().select().maybeSingle()', () => books().select('id').eq('id', 1).maybeSingle(), json],
    ['from().select().maybeSingle() of none', () => books().select().eq('id', 9).maybeSingle(), json],
    ['from().select().maybeSingle() of many', () => books().select().maybeSingle()],
    ['from().select().csv()', () => books().select('id,title').eq('id', 1).csv(), json],
    ['from().select().geojson()', () => books().select('id').geojson()],
    ['from().select().explain()', () => books().select('id').explain()],
    ['from().select().stripNulls()', () => books().select('id,pages').eq('id', 3).stripNulls(), json],
    ['from().select().order().limit()', () => books().select('id').order('pages').limit(2), ids],
    [
      'from().select().order({ nullsFirst })',
      () => books().select('id').order('pages', { ascending: false, nullsFirst: true }),
      ids,
    ],
    [
      'from().select().abortSignal()',
      () => books().select('id').eq('id', 1).abortSignal(new AbortController().signal),
      ids,
    ],
    ['from().select().throwOnError()', () => books().select('id').eq('id', 1).throwOnError(), ids],
    ['from().select().setHeader()', () => books().select('id').eq('id', 1).setHeader('x-a', 'b'), ids],
    ['from().select().retry()', () => books().select('id').eq('id', 1).retry(false), ids],
    ['from().select() of no such column', () => books().select('nothing')],
    ['from() of no such table', () => user.from('nothing').select()],
    [
      'from().select() with what it belongs to',
      () => books().select('id, authors(name)').eq('id', 1).single(),
      json,
    ],
    [
      'from().select() with what belongs to it',
      () =>
        user.from('authors').select('name, books(id)').eq('id', 1).order('id', { referencedTable: 'books' }),
      json,
    ],
    ['from().select() through a table between', () => books().select('id, shelves(label)').eq('id', 2), json],
    [
      'from().select() with an inner one',
      () => books().select('id, authors!inner(name)').eq('authors.name', 'Boris'),
      json,
    ],
    [
      'from().select() with an aggregate',
      () => books().select('author_id, count()').eq('author_id', 1),
      json,
    ],
    ['from().select() with a JSON path', () => books().select('lang:extra->>lang').eq('id', 2), json],
    ['from().select() with a cast', () => books().select('pages::text').eq('id', 2), json],
  ];
  await make('Data', 'user', [...reads, ...filters({ user })]);
}

function filters({ user }: Pick<World, 'user'>): Call[] {
  const books = () => user.from('books').select('id');
  const of = (text: string, run: Call[1]): Call => [`from().select()${text}`, run, ids];
  return [
    of('.neq()', () => books().neq('id', 1).order('id')),
    of('.gt()', () => books().gt('id', 2)),
    of('.gte().lte()', () => books().gte('id', 2).lte('id', 2)),
    of('.lt()', () => books().lt('id', 2)),
    of('.like()', () => books().like('title', 'H%')),
    of('.likeAllOf()', () => books().likeAllOf('title', ['%a%', '%n%']).order('id')),
    of('.likeAnyOf()', () => books().likeAnyOf('title', ['H%', 'R%']).order('id')),
    of('.ilike()', () => books().ilike('title', 'h%')),
    of('.ilikeAllOf()', () => books().ilikeAllOf('title', ['%L%', '%N%'])),
    of('.ilikeAnyOf()', () => books().ilikeAnyOf('title', ['h%', 'r%']).order('id')),
    of('.regexMatch()', () => books().regexMatch('title', '^[HL]').order('id')),
    of('.regexIMatch()', () => books().regexIMatch('title', '^[hl]').order('id')),
    of('.is()', () => books().is('pages', null)),
    of('.isDistinct()', () => books().isDistinct('pages', 80).order('id')),
    of('.in()', () => books().in('title', ['Rails', 'a,b']).order('id')),
    of('.notIn()', () => books().notIn('id', [1, 2])),
    of('.contains()', () => books().contains('tags', ['travel']).order('id')),
    of('.contains() of JSON', () => books().contains('extra', { lang: 'de' })),
    of('.containedBy()', () => books().containedBy('tags', ['travel', 'light']).order('id')),
    of('.rangeGt()', () => books().rangeGt('loaned', '[5,9)')),
    of('.rangeGte()', () => books().rangeGte('loaned', '[5,9)').order('id')),
    of('.rangeLt()', () => books().rangeLt('loaned', '[5,9)')),
    of('.rangeLte()', () => books().rangeLte('loaned', '[5,9)').order('id')),
    of('.rangeAdjacent()', () => books().rangeAdjacent('loaned', '[5,9)')),
    of('.overlaps()', () => books().overlaps('tags', ['sea', 'light']).order('id')),
    of('.textSearch()', () => books().textSearch('search', 'harbour')),
    of('.textSearch({ type })', () =>
      books().textSearch('search', 'quiet ships', { type: 'websearch', config: 'english' }),
    ),
    of('.match()', () => books().match({ id: 2, title: 'Lanterns' })),
    of('.not()', () => books().not('pages', 'is', null).order('id')),
    of('.or()', () => books().or('id.eq.1,and(id.eq.3,title.eq.Rails)').order('id')),
    of('.filter()', () => books().filter('extra->>lang', 'eq', 'de')),
  ];
}
