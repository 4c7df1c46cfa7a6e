import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, db, openBookShop } from '../../../tests/support/customers/book-shop.ts';
import { csvToJson } from './csv-parser.server.ts';

openBookShop();

const put = async (path: string, body: unknown, prefer = 'return=representation') => {
  const headers = { 'content-type': 'application/json', prefer };
  const reply = await call(path, { method: 'PUT', body: JSON.stringify(body), headers });
  const text = await reply.text();
  return [reply.status, text === '' ? '' : (JSON.parse(text) as unknown)];
};

describe('PUT', () => {
  test('writes the one row at the key of its URL', async () => {
    const made = { id: 7, name: 'Gil', country: null };
    expect(await put('/authors?id=eq.7', made)).toEqual([201, [made]]);
    expect(await put('/authors?id=eq.7', [{ ...made, name: 'Gus' }])).toEqual([
      200,
      [{ ...made, name: 'Gus' }],
    ]);
    expect(await put('/authors?id=eq.7', made, '')).toEqual([204, '']);
    expect(await put('/book_shelves?book_id=eq.3&shelf_id=eq.1', { book_id: 3, shelf_id: 1 })).toEqual([
      201,
      [{ book_id: 3, shelf_id: 1 }],
    ]);
    expect((await db.from('authors').select('name').eq('id', 7).single()).data).toEqual({ name: 'Gil' });
  });

  test.each([
    ['/authors', {}, 405, 'PGRST105'],
    ['/authors?id=gt.1', { id: 1, name: 'x' }, 405, 'PGRST105'],
    ['/authors?id=eq.1&name=eq.x', { id: 1, name: 'x' }, 405, 'PGRST105'],
    ['/book_shelves?book_id=eq.1', { book_id: 1, shelf_id: 1 }, 405, 'PGRST105'],
    ['/authors?id=eq.1&limit=1', { id: 1, name: 'x' }, 400, 'PGRST114'],
    ['/authors?id=eq.1', { id: 2, name: 'x' }, 400, 'PGRST115'],
  ])('%s with %j is refused', async (path, body, status, code) => {
    expect(await put(path, body)).toMatchObject([status, { code }]);
  });
});

describe('CSV bodies', () => {
  const post = (body: string) =>
    call('/books?select=title,pages,tags', {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/csv', prefer: 'return=representation' },
    });

  test('are rows with the types of their columns', async () => {
    const reply = await post('title,pages,tags\r\n"One, ""two""\nthree",5,"{a,b}"\nNULL?,NULL,{}\n');
    expect(reply.status).toBe(201);
    expect(await reply.json()).toEqual([
      { title: 'One, "two"\nthree', pages: 5, tags: ['a', 'b'] },
      { title: 'NULL?', pages: null, tags: [] },
    ]);
  });

  test.each([['title,pages\nx'], ['title\n"open'], ['title\na"b']])('%j is refused', async (body) => {
    const reply = await post(body);
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([400, 'PGRST102']);
  });

  test('rows written as CSV are read back unchanged', async () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const tables = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc
          .array(fc.array(fc.string(), { minLength: width, maxLength: width }), { maxLength: 5 })
          .map((rows) => ({ width, rows })),
      );
    await fc.assert(
      fc.asyncProperty(tables, async ({ width, rows }) => {
        const names = Array.from({ length: width }, (_, n) => `c${n}`);
        const text = [names, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n');
        const expected = rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at], value])));
        expect(JSON.parse(await csvToJson(text))).toEqual(expected);
      }),
    );
  });
});

test('a to-many relation can be spread: each of its columns becomes a list', async () => {
  const { data, error } = await db.from('authors').select('name, ...books(titles:title, pages)').order('id');
  expect(error).toBeNull();
  expect(data).toEqual([
    { name: 'Ada', titles: ['Alpha', 'Beta, or "B"'], pages: [100, 200] },
    { name: 'Bo', titles: ['Gamma'], pages: [null] },
    { name: 'Cy', titles: [], pages: [] },
  ]);
  const inner = await db.from('authors').select('name, ...books!inner(title)').gt('books.pages', 150);
  expect(inner.data).toEqual([{ name: 'Ada', title: ['Beta, or "B"'] }]);
});
