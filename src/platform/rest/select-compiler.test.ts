import { describe, expect, test } from 'vitest';
import { app, call, db, openBookShop } from '../../../tests/support/customers/book-shop.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';

openBookShop();

const titles = (data: { title?: string }[] | null) => data?.map((row) => row.title?.slice(0, 1)).join('');

describe('reading', () => {
  test('columns, aliases, casts and JSON paths', async () => {
    const { data } = await db
      .from('books')
      .select('name:title, price::text, data->size->h, n:data->>name, big')
      .eq('id', 1)
      .single();
    expect(data).toMatchObject({ name: 'Alpha', price: '5.00', h: 3, n: 'x' });
  });

  test('order with nulls, limit and range', async () => {
    const desc = await db
      .from('books')
      .select('title')
      .order('pages', { ascending: false, nullsFirst: false })
      .limit(2);
    expect(titles(desc.data)).toBe('BA');
    const first = await db.from('books').select('title').order('pages', { nullsFirst: true }).order('id');
    expect(titles(first.data)).toBe('GAB');
    const range = await db.from('books').select('title', { count: 'exact' }).order('id').range(1, 1);
    expect(range).toMatchObject({ status: 206, count: 3 });
    expect(titles(range.data)).toBe('B');
  });

  test('Content-Range for the header Range, 416 behind the end', async () => {
    const part = await call('/books?order=id', { headers: { range: '0-1', prefer: 'count=exact' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, '0-1/3']);
    const plain = await call('/books?id=eq.99');
    expect([plain.status, plain.headers.get('content-range')]).toEqual([200, '*/*']);
    const beyond = await call('/books?offset=50', { headers: { prefer: 'count=exact' } });
    expect([beyond.status, (await beyond.json()).code]).toEqual([416, 'PGRST103']);
    expect((await call('/books?limit=-1')).status).toBe(416);
    expect((await call('/books', { headers: { range: '5-2' } })).status).toBe(416);
  });

  test.each(['exact', 'planned', 'estimated'] as const)(
    'HEAD with count %s has the count and no body',
    async (count) => {
      const { data, count: total, status } = await db.from('books').select('*', { head: true, count });
      expect(data).toBeNull();
      expect(total).toBeGreaterThanOrEqual(count === 'planned' ? 0 : 3);
      expect([200, 206]).toContain(status);
    },
  );

  test('single and maybeSingle', async () => {
    expect((await db.from('books').select('id').eq('id', 1).single()).data).toEqual({ id: 1 });
    const none = await db.from('books').select('id').eq('id', 99).single();
    expect(none.status).toBe(406);
    expect(none.error).toMatchObject({
      code: 'PGRST116',
      message: 'Cannot coerce the result to a single JSON object',
      details: 'The result contains 0 rows',
      hint: null,
    });
    expect(await db.from('books').select('id').eq('id', 99).maybeSingle()).toMatchObject({
      data: null,
      error: null,
    });
    expect((await db.from('books').select('id').maybeSingle()).error?.code).toBe('PGRST116');
  });

  test('CSV and stripped nulls', async () => {
    const { data } = await db.from('books').select('id,title,pages').order('id').csv();
    expect(data).toBe('id,title,pages\n1,Alpha,100\n2,"Beta, or ""B""",200\n3,Gamma,');
    const stripped = await db.from('books').select('id,pages').eq('id', 3).stripNulls();
    expect(stripped.data).toEqual([{ id: 3 }]);
  });

  test('views, aggregates', async () => {
    expect((await db.from('cheap_books').select()).data).toEqual([{ id: 1, title: 'Alpha' }]);
    const { data } = await db.from('books').select('author_id, price.sum(), count()').order('author_id');
    expect(data).toEqual([
      { author_id: 1, sum: 20, count: 2 },
      { author_id: 2, sum: 25, count: 1 },
    ]);
  });

  test('at most 1,000 rows come in one reply', async () => {
    await app.resources.database.run(
      uncheckedSql("insert into public.books (title) select 'z' from generate_series(1, 1200)", 'foreign'),
    );
    const { data, count, status } = await db.from('books').select('id', { count: 'exact' });
    expect([data?.length, count, status]).toEqual([1000, 1203, 206]);
  });
});

describe('embedding', () => {
  test('to-one, to-many and many-to-many, with aliases, filters, order and limits inside', async () => {
    const { data } = await db
      .from('books')
      .select('title, writer:authors(name), shelves(label)')
      .order('label', { referencedTable: 'shelves' })
      .order('id');
    expect(data).toEqual([
      { title: 'Alpha', writer: { name: 'Ada' }, shelves: [{ label: 'low' }, { label: 'top' }] },
      { title: 'Beta, or "B"', writer: { name: 'Ada' }, shelves: [{ label: 'top' }] },
      { title: 'Gamma', writer: { name: 'Bo' }, shelves: [] },
    ]);
    const inside = await db
      .from('authors')
      .select('name, books(title)')
      .order('id')
      .eq('books.id', 2)
      .limit(1, { referencedTable: 'books' });
    expect(inside.data?.map((row) => row.books.length)).toEqual([1, 0, 0]);
  });

  test('inner, spread, hints and missing embeds', async () => {
    const inner = await db.from('authors').select('name, books!inner(title)').eq('books.title', 'Gamma');
    expect(inner.data).toEqual([{ name: 'Bo', books: [{ title: 'Gamma' }] }]);
    const spread = await db.from('books').select('title, ...authors(writer:name)').eq('id', 3);
    expect(spread.data).toEqual([{ title: 'Gamma', writer: 'Bo' }]);
    const hinted = await db
      .from('books')
      .select('id, authors!books_author_id_fkey(name)')
      .eq('id', 1)
      .single();
    expect(hinted.data).toEqual({ id: 1, authors: { name: 'Ada' } });
    const none = await db.from('authors').select('name, books()').is('books', null);
    expect(none.data).toEqual([{ name: 'Cy' }]);
    const byAuthor = await db
      .from('books')
      .select('id, authors(name)')
      .order('authors(name)', { ascending: false })
      .order('id');
    expect(byAuthor.data?.map((row) => row.id)).toEqual([3, 1, 2]);
    const { count } = await db
      .from('authors')
      .select('name, books!inner(id)', { count: 'exact', head: true });
    expect(count).toBe(2);
  });

  test('an embed that is not possible says why', async () => {
    expect((await db.from('authors').select('shelves(*)')).error).toMatchObject({ code: 'PGRST200' });
    expect((await db.from('authors').select('*').eq('books.id', 1)).error).toMatchObject({
      code: 'PGRST108',
    });
    for (const compared of [
      db.from('authors').select('name, books()').eq('books', 1),
      db.from('authors').select('name, books()').is('books', true),
    ]) {
      expect(await compared).toMatchObject({
        status: 400,
        error: {
          code: 'PGRST120',
          message: "Bad operator on the 'books' embedded resource",
          details: 'Only is null or not is null filters are allowed on embedded resources',
        },
      });
    }
  });

  test('a change returns embeds of the changed rows', async () => {
    const { data } = await db
      .from('books')
      .insert({ title: 'New', author_id: 3 })
      .select('title, authors(name)')
      .single();
    expect(data).toEqual({ title: 'New', authors: { name: 'Cy' } });
  });
});
