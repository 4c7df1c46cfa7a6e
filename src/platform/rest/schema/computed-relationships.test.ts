import { createClient } from '@supabase/supabase-js';
import { beforeAll, expect, test } from 'vitest';
import {
  ANNA,
  app,
  BORIS,
  call,
  clientOf,
  db,
  openBookShop,
} from '../../../../tests/support/customers/book-shop.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';

openBookShop();
beforeAll(async () => {
  await app.resources.database.run(
    uncheckedSql(
      `
    create function public.label(public.books) returns text language sql stable as 'select $1.id || '': '' || $1.title';
    create function public.words_of(public.books) returns tsvector language sql immutable as 'select to_tsvector(''english'', $1.title)';
    create function public.initial(a public.authors) returns text language sql immutable as 'select left(a.name, 1)';
    create function public.author_of(public.books) returns setof public.authors rows 1 language sql stable
      as 'select * from public.authors where id = $1.author_id';
    create function public.siblings(public.books) returns setof public.books language sql stable
      as 'select * from public.books b where b.author_id = $1.author_id and b.id <> $1.id';
    create function public.shelves(public.books) returns setof public.shelves language sql stable
      as 'select * from public.shelves where id = 2';
    create function public.notes_here(public.authors) returns setof public.notes language sql stable
      as 'select * from public.notes';
    create function public.hidden(public.authors) returns setof public.books language sql stable as 'select * from public.books';
    create function public.hidden_word(public.authors) returns text language sql stable as 'select ''x''';
    revoke execute on function public.hidden(public.authors), public.hidden_word(public.authors) from public, anon, authenticated, service_role;
    grant all on public.books, public.authors to anon`,
      'command',
    ),
  );
});

test('a computed field is selected, filtered, ordered and searched like a column, but is not part of *', async () => {
  const all = await db.from('books').select('name:label,title').eq('label', '2: Beta, or "B"');
  expect(all.data).toEqual([{ name: '2: Beta, or "B"', title: 'Beta, or "B"' }]);
  const sorted = await db.from('books').select('label').order('label', { ascending: false }).limit(1);
  expect(sorted.data).toEqual([{ label: '3: Gamma' }]);
  const several = await db.from('books').select('id').in('label', ['1: Alpha', '3: Gamma']).order('id');
  expect(several.data).toEqual([{ id: 1 }, { id: 3 }]);
  expect((await db.from('books').select('id').textSearch('words_of', 'gamma')).data).toEqual([{ id: 3 }]);
  expect((await db.from('books').select('label.count()').like('label', '%a%')).data).toEqual([{ count: 3 }]);
  const { data } = await db.from('books').select('*').eq('id', 1).single();
  expect(data).not.toHaveProperty('label');
  const inside = await db
    .from('authors')
    .select('initial,books(label)')
    .eq('id', 1)
    .eq('books.label', '1: Alpha');
  expect(inside.data).toEqual([{ initial: 'A', books: [{ label: '1: Alpha' }] }]);
});

test('the result of a change has computed fields and relationships too', async () => {
  const made = await db
    .from('books')
    .insert({ title: 'Delta', author_id: 1 })
    .select('*,label,author_of(name,initial),siblings(title)')
    .single();
  expect(made.data).toMatchObject({ title: 'Delta', author_of: { name: 'Ada', initial: 'A' } });
  expect(made.data?.label).toBe(`${made.data?.id}: Delta`);
  expect(made.data?.siblings).toHaveLength(2);
  const only = await db.from('books').update({ title: 'D' }).eq('title', 'Delta').select('label');
  expect(only.data).toEqual([{ label: `${made.data?.id}: D` }]);
});

test('a function of a row that returns rows is embedded: many, one with rows 1, inside each other', async () => {
  const { data, error } = await db
    .from('books')
    .select('title,author_of(name,books(title)),others:siblings(title,author_of(name))')
    .eq('id', 1)
    .single();
  expect(error?.message).toBeUndefined();
  expect(data).toEqual({
    title: 'Alpha',
    author_of: { name: 'Ada', books: [{ title: 'Alpha' }, { title: 'Beta, or "B"' }] },
    others: [{ title: 'Beta, or "B"', author_of: { name: 'Ada' } }],
  });
});

test('its rows are filtered, ordered, limited, required and spread, and can order their parents', async () => {
  const inner = await db.from('books').select('id,siblings!inner(id)').gt('siblings.id', 1);
  expect(inner.data).toEqual([{ id: 1, siblings: [{ id: 2 }] }]);
  const none = await db.from('books').select('id,siblings()').is('siblings', null);
  expect(none.data).toEqual([{ id: 3 }]);
  const spread = await db
    .from('books')
    .select('id,...author_of(name)')
    .order('author_of(name)', { ascending: false })
    .order('id');
  expect(spread.data?.map((row) => row.name)).toEqual(['Bo', 'Ada', 'Ada']);
  const limited = await db
    .from('books')
    .select('id,siblings(id)')
    .eq('id', 2)
    .limit(0, { referencedTable: 'siblings' });
  expect(limited.data).toEqual([{ id: 2, siblings: [] }]);
});

test('it hides the foreign keys of the table with its name, and works on results of calls too', async () => {
  const { data } = await db.from('books').select('id,shelves(id)').eq('id', 2).single();
  expect(data).toEqual({ id: 2, shelves: [{ id: 2 }] });
  const called = await db.rpc('books_by', { p_author: 2 }).select('id,author_of(name)');
  expect(called.data).toEqual([{ id: 3, author_of: { name: 'Bo' } }]);
});

test('its rows and its execution depend on the caller’s rights', async () => {
  await app.resources.database.run(
    uncheckedSql(
      `insert into public.notes (owner, body) values ('${ANNA}', 'of Anna'), ('${BORIS}', 'of Boris')`,
      'foreign',
    ),
  );
  await app.resources.database.run(uncheckedSql('grant select on public.notes to authenticated', 'foreign'));
  const anna = await clientOf(ANNA);
  const seen = await anna.from('authors').select('notes_here(body)').eq('id', 1).single();
  expect(seen.data).toEqual({ notes_here: [{ body: 'of Anna' }] });
  for (const select of ['id,hidden(id)', 'id,hidden_word']) {
    const refused = await anna.from('authors').select(select);
    expect([refused.status, refused.error?.code]).toEqual([403, '42501']);
  }
  const visitor = createClient(app.url, app.anonKey);
  expect((await visitor.from('authors').select('hidden(id)')).error?.code).toBe('42501');
  // The name of a function or a hint is always quoted as a name.
  for (const select of ['id,"label(1)"', 'id,siblings!x(id)', 'id,author_of!"a b"(id)'])
    expect((await call(`/books?select=${encodeURIComponent(select)}`)).status).toBe(400);
});
