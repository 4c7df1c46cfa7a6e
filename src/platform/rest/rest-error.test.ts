import { createClient } from '@supabase/supabase-js';
import { describe, expect, test } from 'vitest';
import {
  ANNA,
  app,
  BORIS,
  call,
  clientOf,
  db,
  openBookShop,
} from '../../../tests/support/customers/book-shop.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';

openBookShop();

describe('rights', () => {
  test('each user sees and changes only their own rows', async () => {
    const [anna, boris] = await Promise.all([clientOf(ANNA), clientOf(BORIS)]);
    const { data: note } = await anna.from('notes').insert({ body: 'mine' }).select().single();
    expect(note.owner).toBe(ANNA);
    expect((await boris.from('notes').select()).data).toEqual([]);
    expect((await boris.from('notes').update({ body: 'x' }).eq('id', note.id).select()).data).toEqual([]);
    expect((await boris.from('notes').delete({ count: 'exact' }).eq('id', note.id)).count).toBe(0);
    expect(await boris.from('notes').insert({ body: 'x', owner: ANNA })).toMatchObject({
      status: 403,
      error: { code: '42501' },
    });
    expect((await db.from('notes').select()).data).toEqual([]);
    expect((await createClient(app.url, app.serviceKey).from('notes').select()).data).toHaveLength(1);
    expect((await anna.from('notes').select('body')).data).toEqual([{ body: 'mine' }]);
  });

  test('SQL knows the caller, but not the credentials', async () => {
    const { data } = await (await clientOf(ANNA)).rpc('whoami');
    expect(data).toMatchObject({
      uid: ANNA,
      role: 'authenticated',
      agent: expect.stringContaining('supabase-js'),
    });
    expect((await db.rpc('whoami')).data).toMatchObject({ uid: null, role: 'anon' });
  });

  test('an expired token is PGRST303, one that cannot be read PGRST301, no key at all PGRST302', async () => {
    const expired = await (await clientOf(ANNA, -10)).from('notes').select();
    expect(expired).toMatchObject({ status: 401, error: { code: 'PGRST303', message: 'JWT expired' } });
    for (const [token, message] of [
      ['a.b.c', 'No suitable key or wrong key type'],
      ['a.b', 'Expected 3 parts in JWT; got 2'],
    ]) {
      const bad = await call('/notes', { headers: { authorization: `Bearer ${token}` } });
      expect([bad.status, await bad.json()]).toEqual([
        401,
        { code: 'PGRST301', message, details: null, hint: null },
      ]);
      expect(bad.headers.get('www-authenticate')).toBe(
        `Bearer error="invalid_token", error_description="${message}"`,
      );
    }
    const none = await fetch(`${app.url}/rest/v1/notes`);
    expect([none.status, (await none.json()).code]).toEqual([401, 'PGRST302']);
  });
});

describe('errors', () => {
  test.each([
    ['/secret', 401, '42501'],
    ['/unknown', 404, 'PGRST205'],
    ['/pg_user', 404, 'PGRST205'],
    ['/books?nope=eq.1', 400, '42703'],
    ['/books?select=nope', 400, '42703'],
    ['/books?id=eq.x', 400, '22P02'],
    ['/books?id=xx.1', 400, 'PGRST100'],
    ['/books?or=(id.eq.1', 400, 'PGRST100'],
    ['/books?select=id,(', 400, 'PGRST100'],
    ['/books?select=id::int;drop', 400, 'PGRST100'],
    ['/books?order=id.sideways', 400, 'PGRST100'],
    ['/books?limit=many', 400, 'PGRST100'],
    ['/books?pages=like.1*', 404, '42883'],
    [`/books?or=${'(or'.repeat(40)}`, 400, 'PGRST100'],
    [`/books?title=eq.${'x'.repeat(12_000)}`, 414, 'PGRST100'],
    ['/a/b/c', 404, 'PGRST125'],
  ])('%s answers %i %s', async (path, status, code) => {
    const reply = await call(path);
    const body = await reply.json();
    expect([reply.status, body.code]).toEqual([status, code]);
    expect(Object.keys(body).sort()).toEqual(['code', 'details', 'hint', 'message']);
  });

  test('bodies, schemas, media types and constraints', async () => {
    const json = { 'content-type': 'application/json' };
    const outcomes = await Promise.all([
      call('/books', { method: 'POST', body: '{', headers: json }),
      call('/books', { method: 'POST', body: '[1]', headers: json }),
      call('/books', { method: 'POST', body: '{"nope":1}', headers: json }),
      call('/books', {
        method: 'POST',
        body: `{"data":${'['.repeat(100)}${']'.repeat(100)}}`,
        headers: json,
      }),
      call('/books', { method: 'POST', body: 'a', headers: { 'content-type': 'text/html' } }),
      call('/books', { headers: { 'accept-profile': 'auth' } }),
      call('/books', { headers: { accept: 'image/png' } }),
      call('/books', { headers: { prefer: 'handling=strict, anything=else' } }),
      call('/authors', { method: 'POST', body: '{"id":1,"name":"x"}', headers: json }),
      call('/books', { method: 'POST', body: '{"title":"x","author_id":77}', headers: json }),
      call('/books', { method: 'POST', body: '{"title":null}', headers: json }),
      call('/books', { method: 'POST', body: '{"title":"x","code":"12345"}', headers: json }),
      call('/books', { method: 'PUT', body: '{}', headers: json }),
      call('/books', { method: 'POST', body: `{"title":"${'x'.repeat(5 * 1024 * 1024)}"}`, headers: json }),
    ]);
    const seen = await Promise.all(
      outcomes.map(async (reply) => `${reply.status} ${(await reply.json()).code}`),
    );
    expect(seen).toEqual([
      '400 PGRST102',
      '400 PGRST102',
      '400 PGRST204',
      '400 PGRST102',
      '415 PGRST102',
      '406 PGRST106',
      '406 PGRST107',
      '400 PGRST122',
      '409 23505',
      '409 23503',
      '400 23502',
      '400 22001',
      '405 PGRST105',
      '413 PGRST102',
    ]);
  });

  test('a machine without space is a 503 that says when to retry, and names none of its files', async () => {
    await app.resources.database.run(
      uncheckedSql(
        `create function public.fill() returns int language plpgsql as $$ begin
           raise exception using errcode = '53100', message = 'could not extend file "base/16384/2619"',
             hint = 'Check free disk space.';
         end $$;
         grant execute on function public.fill() to anon`,
        'command',
      ),
    );
    const answer = async () => {
      const headers = { 'content-type': 'application/json' };
      const reply = await call('/rpc/fill', { method: 'POST', body: '{}', headers });
      return [reply.status, reply.headers.get('retry-after'), await reply.json()];
    };
    // Unknown names cause only a few reads of the schema a second.
    await expect.poll(answer).toEqual([
      503,
      '1',
      {
        code: '53100',
        message: 'The database has no room or no resources left',
        details: null,
        hint: null,
      },
    ]);
  });

  test('a table or column created a moment ago is found', async () => {
    await app.resources.database.run(
      uncheckedSql('create table public.fresh (id int); grant all on public.fresh to anon', 'command'),
    );
    expect((await db.from('fresh').insert({ id: 1 })).status).toBe(201);
    await app.resources.database.run(
      uncheckedSql('alter table public.fresh add column late text', 'command'),
    );
    await expect.poll(async () => (await db.from('fresh').insert({ id: 2, late: 'x' })).status).toBe(201);
  });
});
