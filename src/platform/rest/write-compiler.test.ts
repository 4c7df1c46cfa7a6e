import { describe, expect, test } from 'vitest';
import { call, db, openBookShop } from '../../../tests/support/customers/book-shop.ts';

openBookShop();

describe('changing', () => {
  test('insert answers 201 and returns rows only when asked', async () => {
    expect(await db.from('authors').insert({ id: 9, name: 'Io' })).toMatchObject({ status: 201, data: null });
    const one = await db
      .from('books')
      .insert({ title: 'T', tags: ['x'], data: { a: [1] }, big: '12' })
      .select();
    expect(one.status).toBe(201);
    expect(one.data?.[0]).toMatchObject({ title: 'T', tags: ['x'], data: { a: [1] }, price: 9.5, big: 12 });
  });

  test('bulk insert: missing keys are null, or the default when asked', async () => {
    const rows = [
      { title: 'P', pages: 5 },
      { title: 'Q', price: 1 },
    ];
    const nulls = await db.from('books').insert(rows).select('title,pages,price');
    expect(nulls.data).toEqual([
      { title: 'P', pages: 5, price: null },
      { title: 'Q', pages: null, price: 1 },
    ]);
    const defaults = await db.from('books').insert(rows, { defaultToNull: false }).select('price');
    expect(defaults.data).toEqual([{ price: 9.5 }, { price: 1 }]);
    expect((await db.from('books').insert([]).select()).data).toEqual([]);
    const different = await call('/books', {
      method: 'POST',
      body: '[{"title":"a"},{"pages":1}]',
      headers: { 'content-type': 'application/json' },
    });
    expect([different.status, await different.json()]).toEqual([
      400,
      { code: 'PGRST102', message: 'All object keys must match', details: null, hint: null },
    ]);
  });

  test('upsert merges or ignores duplicates', async () => {
    const merged = await db
      .from('authors')
      .upsert([
        { id: 1, name: 'Ada L.' },
        { id: 8, name: 'Ed' },
      ])
      .select('id,name');
    expect(merged.status).toBe(201);
    expect(merged.data).toEqual([
      { id: 1, name: 'Ada L.' },
      { id: 8, name: 'Ed' },
    ]);
    expect((await db.from('authors').upsert({ id: 1, name: 'Ada' })).status).toBe(200);
    const ignored = await db
      .from('authors')
      .upsert({ id: 1, name: 'no' }, { ignoreDuplicates: true, onConflict: 'id' })
      .select();
    expect(ignored.data).toEqual([]);
  });

  test('update and delete change only the chosen rows, and refuse to change all rows', async () => {
    expect(await db.from('authors').update({ country: 'DE' }).eq('id', 2)).toMatchObject({
      status: 204,
      data: null,
    });
    const updated = await db
      .from('authors')
      .update({ country: null }, { count: 'exact' })
      .in('id', [1, 2])
      .select('id')
      .order('id');
    expect(updated).toMatchObject({ status: 200, count: 2, data: [{ id: 1 }, { id: 2 }] });
    const gone = await db.from('authors').delete().eq('id', 3).select('name').single();
    expect(gone).toMatchObject({ status: 200, data: { name: 'Cy' } });
    const all = await call('/books', { method: 'DELETE' });
    expect([all.status, await all.json()]).toEqual([
      400,
      { code: '21000', message: 'DELETE requires a WHERE clause', details: null, hint: null },
    ]);
    expect((await db.from('books').select('id')).data).toHaveLength(3);
  });

  test('single, max-affected and tx=rollback undo the statement when they have to', async () => {
    const two = await db.from('books').update({ pages: 1 }).in('id', [1, 2]).select().single();
    expect([two.status, two.error?.code]).toEqual([406, 'PGRST116']);
    const capped = await db
      .from('books')
      .update({ pages: 1 })
      .in('id', [1, 2])
      .setHeader('prefer', 'handling=strict, max-affected=1');
    expect([capped.status, capped.error?.code]).toEqual([400, 'PGRST124']);
    const tried = await db.from('books').update({ pages: 1 }).eq('id', 1).select('pages').rollback();
    expect(tried.data).toEqual([{ pages: 1 }]);
    expect((await db.from('books').select('pages').eq('id', 1).single()).data).toEqual({ pages: 100 });
  });

  test('a role without the right to read may still insert', async () => {
    expect((await db.from('inbox').insert({ text: 'hi' })).status).toBe(201);
    expect(await db.from('inbox').insert({ text: 'hi' }).select()).toMatchObject({
      status: 401,
      error: { code: '42501' },
    });
  });
});

describe('functions', () => {
  test('scalars, defaults, sets, void, tables and composites', async () => {
    expect((await db.rpc('add', { a: 1, b: 2 })).data).toBe(3);
    expect((await db.rpc('add', { a: 1 })).data).toBe(11);
    expect((await db.rpc('names')).data).toEqual(['Ada', 'Bo', 'Cy']);
    expect(await db.rpc('nothing')).toMatchObject({ status: 204, data: null, error: null });
    expect((await db.rpc('pair')).data).toEqual([{ x: 1, y: 'one' }]);
    expect((await db.rpc('pair').single()).data).toEqual({ x: 1, y: 'one' });
    expect((await db.rpc('split', { value: 2.5 })).data).toEqual({ whole: 2, rest: 0.5 });
    expect((await db.rpc('take', [1, 2, 3])).data).toBe(3);
    expect((await db.rpc('sum_all', { n: [1, 2, 3] })).data).toBe(6);
  });

  test('GET and HEAD, with filters on the result', async () => {
    expect((await db.rpc('add', { a: 4 }, { get: true })).data).toBe(14);
    const { data, count } = await db
      .rpc('books_by', { p_author: 1 }, { get: true, count: 'exact' })
      .select('title, authors(name)')
      .gt('price', 10);
    expect([data, count]).toEqual([[{ title: 'Beta, or "B"', authors: { name: 'Ada' } }], 1]);
    expect((await db.rpc('books_by', { p_author: 1 }, { head: true, count: 'exact' })).count).toBe(2);
    expect(await db.rpc('bump', undefined, { get: true })).toMatchObject({
      status: 405,
      error: { code: '25006' },
    });
  });

  test('unknown functions and raised errors', async () => {
    expect(await db.rpc('add', { wrong: 1 })).toMatchObject({ status: 404, error: { code: 'PGRST202' } });
    expect(await db.rpc('fail', { kind: 'x' })).toMatchObject({
      status: 400,
      error: { code: 'P0001', message: 'refused', details: 'because', hint: 'ask' },
    });
    expect(await db.rpc('fail', { kind: 'custom' })).toMatchObject({
      status: 418,
      error: { code: 'PT418', hint: 'short' },
    });
  });
});
