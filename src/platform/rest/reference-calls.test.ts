import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from '@supabase/supabase-js';
import { describe, expect, test } from 'vitest';
import { openRest } from '../../../tests/support/rest-requests.ts';

const rest = openRest(`
  create table public.shelves (id int primary key, label text not null);
  create table public.jars (id int primary key, shelf_id int references public.shelves, words tsvector);
  insert into public.shelves values (1, 'top'), (2, 'low');
  insert into public.jars values (1, 1, to_tsvector('plum jam')), (2, 1, to_tsvector('honey')), (3, 2, null);
  create domain public.jar_row as public.jars;
  create domain public.word_list as tsvector;
  create function public.ids() returns table (id int) language sql stable as 'select generate_series(1, 4)';
  create function public.one_out(n int, out doubled int) language sql immutable as 'select n * 2';
  create function public.one_inout(inout n int) language sql immutable as 'select n + 1';
  create function public.two_out(out a int, out b text) language sql immutable as $$ select 1, 'x' $$;
  create function public.no_name(out int) language sql immutable as 'select 5';
  create function public.all_jars() returns setof public.jars language sql stable as 'select * from jars';
  create function public.jar(p_id int) returns public.jars language sql stable as 'select * from jars where id = p_id';
  create function public.jar_of_domain(p_id int) returns public.jar_row language sql stable
    as 'select j::jar_row from jars j where id = p_id';
  create function public.found_words() returns table (words word_list) language sql stable
    as 'select words::word_list from jars where words is not null';
  create function public.name_of(jars) returns text language sql stable as $$ select 'jar ' || $1.id $$;
  create function public.name_of(shelves) returns text language sql stable as $$ select 'shelf ' || $1.id $$;
  create function public.below(id int) returns setof public.jars language sql stable as 'select * from jars j where j.id < below.id';
  create function public.hello(name text) returns text language sql stable as $$ select 'Hello, ' || name $$;
  create function public.sum_of(a int, b int) returns int language sql stable as 'select a + b';
  create function public.listed(variadic v text[] default '{}') returns text[] language sql stable as 'select v';
  create function public.nothing() returns void language sql as '';
  create function public.two_cookies() returns void language plpgsql as $$ begin
    perform set_config('response.headers', '[{"Set-Cookie": "a=1"}, {"set-cookie": "b=2"}, {"X-One": "1"}]', true); end $$;
  create function public.body(bool) returns text language sql as $$ select 'bool' $$;
  create function public.body(int) returns text language sql as $$ select 'int' $$;
  create function public.body(text) returns text language sql as $$ select 'text ' || $1 $$;
  create function public.number(int) returns int language sql as 'select $1';
  create function public.pair(text, int) returns int language sql as 'select $2';
  create function public.any_json(json) returns text language sql as $$ select 'json' $$;
  create function public.any_json(jsonb) returns text language sql as $$ select 'jsonb' $$;
  create function public.overloaded() returns int language sql immutable as 'select 0';
  create function public.overloaded(a int, b int) returns int language sql immutable as 'select a + b';
  create function public.overloaded(a text, b text, c text) returns text language sql immutable as 'select a || b || c';
  create function public.emptied() returns setof public.jars language sql as 'delete from jars returning *';
  create function public.refused(state text) returns void language plpgsql as $$
    begin raise sqlstate 'PT402' using message = 'Pay', detail = 'Quota', hint = 'Upgrade'; end $$;
  create function public.badly_refused() returns void language plpgsql as $$ begin raise sqlstate 'PT40A' using message = 'Wrong'; end $$;
  create function public.loose(n int) returns record language sql stable as $$ select n as id, 'x' as name $$;
  create function public.all_loose() returns setof record language sql stable as 'select id, label from shelves order by id';
  create function public.many() returns setof int language sql immutable as 'select generate_series(1, 1500)';
  create table public.slots (n int, unique (n) deferrable initially deferred);
  create function public.take_slot() returns void language sql as 'insert into slots values (1), (1)';
  create function public.sent(words text, way text) returns void language plpgsql as $$
    begin if way is null then raise sqlstate 'PGRST' using message = words; end if;
    raise sqlstate 'PGRST' using message = words, detail = way; end $$;
`);
const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a function with one named result returns rows of one column', () => {
  test('a table of one column', async () => {
    const db = createClient(rest.app.url, rest.app.serviceKey);
    expect((await db.rpc('ids')).data).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    expect((await db.rpc('ids').eq('id', 2)).data).toEqual([{ id: 2 }]);
    const last = await db.rpc('ids').order('id', { ascending: false }).limit(1).single();
    expect(last.data).toEqual({ id: 4 });
    expect((await db.rpc('ids', {}, { get: true }).select('n:id').gt('id', 3)).data).toEqual([{ n: 4 }]);
    expect((await db.rpc('ids', {}, { count: 'exact', head: true }).lt('id', 3)).count).toBe(2);
  });

  test.each([
    ['GET rpc/one_out?n=2', { doubled: 4 }],
    ['GET rpc/one_inout?n=2', { n: 3 }],
    ['GET rpc/two_out', { a: 1, b: 'x' }],
    ['GET rpc/two_out?select=b', { b: 'x' }],
    ['GET rpc/no_name', 5],
  ])('%s', async (line, result) => {
    expect((await rest.ask(line)).json()).toEqual(result);
  });

  test('a function counts as returning a set when rows are limited by handling=strict', async () => {
    const prefer = 'handling=strict, max-affected=3';
    expect((await rest.ask('POST rpc/ids', { prefer }, '{}')).json()).toMatchObject({ code: 'PGRST124' });
  });
});

describe('results that are rows of a table', () => {
  test.each([
    ['GET rpc/jar_of_domain?p_id=1&select=id', { id: 1 }],
    ['GET rpc/jar_of_domain?p_id=1&select=id,shelves(label)', { id: 1, shelves: { label: 'top' } }],
    ['GET rpc/all_jars?select=id,name_of&id=eq.2', [{ id: 2, name_of: 'jar 2' }]],
    ['GET rpc/all_jars?select=id&name_of=eq.jar 3', [{ id: 3 }]],
    ['GET rpc/all_jars?select=id&order=name_of.desc&limit=1', [{ id: 3 }]],
    ['GET rpc/jar?p_id=3&name_of=eq.jar 3', { id: 3, shelf_id: 2, words: null }],
    ['GET rpc/all_jars?select=', expect.arrayContaining([{ id: 3, shelf_id: 2, words: null }])],
    ['GET rpc/found_words?words=fts(english).honey', [{ words: "'honey':1" }]],
    ['GET rpc/found_words?words=not.fts(english).honey', [{ words: "'jam':2 'plum':1" }]],
  ])('%s', async (line, result) => {
    expect((await rest.ask(line)).json()).toEqual(result);
  });
});

describe('results without a declared shape', () => {
  test('a record has the columns of its query', async () => {
    expect((await rest.ask('POST rpc/loose', {}, '{"n":3}')).json()).toEqual({ id: 3, name: 'x' });
    expect((await rest.ask('POST rpc/all_loose', {}, '')).json()).toEqual([
      { id: 1, label: 'top' },
      { id: 2, label: 'low' },
    ]);
  });

  test('at most 1,000 values come in one reply, as of rows', async () => {
    const all = await rest.ask('GET rpc/many', { prefer: 'count=exact' });
    expect([all.status, all.json(), all.headers.get('content-range')]).toEqual([
      206,
      Array.from({ length: 1000 }, (_, at) => at + 1),
      '0-999/1500',
    ]);
    expect((await rest.ask('GET rpc/many?offset=1400&limit=2000')).json()).toHaveLength(100);
  });
});

describe('arguments in the address', () => {
  test('a value with an operator is a filter, any other an argument', async () => {
    expect((await rest.ask('GET rpc/below?id=3&id=gt.1&select=id')).json()).toEqual([{ id: 2 }]);
    expect((await rest.ask('GET rpc/below?id=3&id=not.in.(2)&select=id')).json()).toEqual([{ id: 1 }]);
    expect((await rest.ask('GET rpc/hello?name=ignored&name=world')).json()).toBe('Hello, world');
    expect((await rest.ask('GET rpc/hello?name=in.time')).json()).toBe('Hello, in.time');
  });

  test('an unknown argument is not found, with the nearest function as a hint', async () => {
    const reply = await rest.ask('GET rpc/sum_of?a=1&b=2&other=x');
    expect([reply.status, reply.json()]).toEqual([
      404,
      {
        code: 'PGRST202',
        message: 'Could not find the function public.sum_of(a, b, other) in the schema cache',
        details:
          'Searched for the function public.sum_of with parameters a, b, other, but no matches were found in the schema cache.',
        hint: 'Perhaps you meant to call the function public.sum_of(a, b)',
      },
    ]);
    expect((await rest.ask('GET rpc/overloaded?a=1&b=2')).json()).toBe(3);
    expect((await rest.ask('GET rpc/overloaded?a=1&b=2&c=3')).json()).toBe('123');
    expect((await rest.ask('GET rpc/overloaded')).json()).toBe(0);
  });

  test.each([
    ['GET', '', []],
    ['GET', 'v=hi', ['hi']],
    ['GET', 'v=hi&v=there', ['hi', 'there']],
    ['POST', '', []],
    ['POST', 'v=hi', ['hi']],
    ['POST', 'v=a,b&v="c"', ['a,b', '"c"']],
  ])('a variadic argument takes all its values (%s %s)', async (method, values, result) => {
    const reply =
      method === 'GET'
        ? await rest.ask(`GET rpc/listed?${values}`)
        : await rest.ask('POST rpc/listed', form, values);
    expect(reply.json()).toEqual(result);
  });

  test('HEAD takes no range, as POST does not', async () => {
    const headers = { range: '1-1', prefer: 'count=exact' };
    const range = async (line: string) =>
      (await rest.ask(line, headers, line[0] === 'P' ? '{}' : undefined)).headers.get('content-range');
    expect([await range('GET rpc/ids'), await range('HEAD rpc/ids'), await range('POST rpc/ids')]).toEqual([
      '1-1/4',
      '0-3/4',
      '0-3/4',
    ]);
  });
});

describe('arguments in the body', () => {
  test.each([
    ['columns=name', '{"name":"John","other":1}', 'hello', 'Hello, John'],
    ['', '[{"a":1,"b":2},{"a":4,"b":6}]', 'sum_of', 3],
    ['columns=a,b', '[{"a":1,"b":2,"c":9},{"a":4}]', 'sum_of', 3],
  ])('with %s, %s are the arguments of %s', async (query, body, name, result) => {
    expect((await rest.ask(`POST rpc/${name}?${query}`, {}, body)).json()).toEqual(result);
  });

  test('CSV has rows whose first has the arguments, and is no JSON argument', async () => {
    const csv = { 'content-type': 'text/csv' };
    expect((await rest.ask('POST rpc/sum_of', csv, 'a,b\n1,2\n4,6')).json()).toBe(3);
    expect((await rest.ask('POST rpc/any_json', csv, 'a,b\n1,2')).json()).toMatchObject({
      code: 'PGRST202',
      details:
        'Searched for the function public.any_json with parameters a, b, but no matches were found in the schema cache.',
    });
  });

  test('a function with a single unnamed argument takes the body if its type can', async () => {
    const ask = async (name: string, body: string, type = 'application/json') =>
      (await rest.ask(`POST rpc/${name}`, { 'content-type': type }, body)).json();
    expect(await ask('body', 'a text', 'text/plain')).toBe('text a text');
    expect(await ask('body', '{"":"x"}')).toBe('text {"":"x"}');
    expect(await ask('number', '{"":1}')).toMatchObject({ code: 'PGRST202' });
    expect(await ask('pair', '{"":1}')).toMatchObject({ code: 'PGRST202' });
    // Hints name only functions that can be called.
    expect(await ask('numbr', '{}')).toMatchObject({ code: 'PGRST202', hint: null });
    expect(await ask('any_json', '{"A":1}')).toMatchObject({
      code: 'PGRST203',
      message:
        'Could not choose the best candidate function between: public.any_json( => json), public.any_json( => jsonb)',
    });
  });
});

test('a body that no function takes whole is refused without a guess', async () => {
  const reply = await rest.ask('POST rpc/bodi', { 'content-type': 'text/plain' }, 'x');
  expect([reply.status, reply.json()]).toEqual([
    404,
    {
      code: 'PGRST202',
      message: 'Could not find the function public.bodi in the schema cache',
      details:
        'Searched for the function public.bodi with a single unnamed text parameter, but no matches were found in the schema cache.',
      hint: null,
    },
  ]);
});

test('a body without a content type is JSON', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request(`${rest.app.url}/rest/v1/rpc/hello`, { method: 'POST' }, (reply) => {
    text(reply).then(resolve, reject);
  });
  sent.on('error', reject).setHeader('apikey', rest.app.serviceKey);
  sent.end('{"name":"you"}');
  expect(await promise).toBe('"Hello, you"');
});

test('Preference-Applied lists what means something for a call', async () => {
  const applied = async (method: string, prefer: string) =>
    (await rest.ask(`${method} rpc/two_out`, { prefer }, method === 'GET' ? undefined : '{}')).headers.get(
      'preference-applied',
    );
  const all = 'resolution=merge-duplicates, missing=default, count=exact, tx=commit, handling=lenient';
  const kept = 'count=exact, tx=commit, handling=lenient';
  expect(await applied('GET', `${all}, return=representation`)).toBe(kept);
  expect(await applied('POST', `${all}, return=representation`)).toBe(kept);
  expect(await applied('POST', `${all}, return=minimal`)).toBe(`return=minimal, ${kept}`);
});

test('an embed by its table, an order, a count, a strict limit and an undone call go together', async () => {
  const before = (await rest.ask('GET jars?select=id&order=id')).json();
  const prefer = 'count=exact, tx=rollback, handling=strict, timezone=Europe/Paris, max-affected=2';
  const query = 'select=id,place:shelves(label)&shelves.label=eq.top&id=lt.3&order=id.desc';
  const reply = await rest.ask(`POST rpc/emptied?${query}`, { prefer }, '{}');
  expect([reply.status, reply.json()]).toEqual([
    200,
    [
      { id: 2, place: { label: 'top' } },
      { id: 1, place: { label: 'top' } },
    ],
  ]);
  expect(reply.headers.get('content-range')).toBe('0-1/2');
  expect(reply.headers.get('preference-applied')).toBe(
    'count=exact, tx=rollback, handling=strict, timezone=Europe/Paris, max-affected=2',
  );
  expect((await rest.ask('GET jars?select=id&order=id')).json()).toEqual(before);
});

test.each(['tx=rollback', 'tx=commit', ''])('a deferred constraint is checked with %s', async (prefer) => {
  for (const [line, body] of [
    ['POST rpc/take_slot', '{}'],
    ['POST slots', '[{"n":2},{"n":2}]'],
  ] as const) {
    const reply = await rest.ask(line, { prefer }, body);
    expect([reply.status, reply.json()]).toMatchObject([409, { code: '23505' }]);
  }
  expect((await rest.ask('GET slots')).json()).toEqual([]);
});

describe('replies that a function shapes', () => {
  test('a header that is set twice is sent twice, and a void function has no content type', async () => {
    const reply = await rest.ask('POST rpc/two_cookies', {}, '{}');
    expect(reply.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([reply.status, reply.headers.get('x-one'), reply.headers.get('content-type')]).toEqual([
      204,
      '1',
      null,
    ]);
    const silent = await rest.ask('POST rpc/nothing', {}, '{}');
    expect([silent.status, silent.headers.get('content-type')]).toEqual([204, null]);
  });

  test('an error of our own number keeps it; a wrong one is our fault', async () => {
    const own = await rest.ask('POST rpc/refused', {}, '{"state":"x"}');
    expect([own.status, own.json()]).toEqual([
      402,
      { code: 'PT402', message: 'Pay', details: 'Quota', hint: 'Upgrade' },
    ]);
    const wrong = await rest.ask('POST rpc/badly_refused', {}, '{}');
    expect([wrong.status, wrong.json()]).toMatchObject([500, { code: 'PT40A', message: 'Wrong' }]);
  });

  test('raise sqlstate PGRST can give the status words of its own', async () => {
    const words = JSON.stringify({ code: '1', message: 'm' });
    const statusText = async (text: unknown) => {
      const way = JSON.stringify({ status: 404, headers: {}, status_text: text });
      const reply = await fetch(`${rest.app.url}/rest/v1/rpc/sent`, {
        method: 'POST',
        headers: { apikey: rest.app.serviceKey, 'content-type': 'application/json' },
        body: JSON.stringify({ words, way }),
      });
      return [reply.status, reply.statusText, await reply.json()];
    };
    const body = { code: '1', message: 'm', details: null, hint: null };
    expect(await statusText('Not on this shelf')).toEqual([404, 'Not on this shelf', body]);
    expect(await statusText('a\r\nset-cookie: b=1')).toEqual([404, 'Not Found', body]);
    expect(await statusText(undefined)).toEqual([404, 'Not Found', body]);
  });

  test.each([
    ['INVALID', '{}', "Invalid JSON value for MESSAGE: 'INVALID'", 'MESSAGE'],
    ['{"code":"1","message":"m"}', 'INVALID', "Invalid JSON value for DETAIL: 'INVALID'", 'DETAIL'],
    ['{"code":"1","message":"m"}', null, 'DETAIL is missing in the RAISE statement', 'DETAIL'],
  ])('raise sqlstate PGRST with %s and %s says what is missing', async (words, way, details, part) => {
    const reply = await rest.ask('POST rpc/sent', {}, JSON.stringify({ words, way }));
    expect([reply.status, reply.json()]).toMatchObject([
      500,
      {
        code: 'PGRST121',
        details,
        hint: expect.stringMatching(`^${part} must be a JSON object with obligatory keys`),
      },
    ]);
  });
});
