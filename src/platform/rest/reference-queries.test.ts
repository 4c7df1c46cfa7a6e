import { describe, expect, test } from 'vitest';
import { openRest } from '../../../tests/support/rest-requests.ts';

const rest = openRest(`
  create schema if not exists extensions;
  create extension if not exists ltree with schema extensions;
  create table public.clients (id int primary key, name text);
  create table public.projects (id int primary key, name text, client_id int references public.clients);
  create table public.tasks (id int primary key, name text, project_id int references public.projects);
  create table public.users (id int primary key, name text);
  create table public.users_tasks (user_id int references public.users, task_id int references public.tasks, primary key (user_id, task_id));
  create view public.main_tasks as select user_id, task_id from public.users_tasks where task_id < 2;
  insert into public.clients values (1, 'Ann'), (2, 'Bo');
  insert into public.projects values (1, 'roof', 1), (2, 'door', 1), (3, 'lamp', null);
  insert into public.tasks values (1, 'draw', 1), (2, 'build', 1), (3, 'paint', 2);
  insert into public.users values (1, 'Una'), (2, 'Vic'), (3, 'Wes');
  insert into public.users_tasks values (1, 1), (1, 3), (2, 2);
  create table public.countries (id int primary key, name text);
  create table public.capitals (id int primary key, name text, country_id int unique references public.countries);
  insert into public.countries values (1, 'Chad'), (2, 'Peru');
  insert into public.capitals values (1, 'Lima', 2);
  create table public.simple_one (id int primary key);
  create table public.simple_two (id int primary key, one_id int references public.simple_one);
  create view public.one_view as select id from public.simple_one;
  create view public.two_view as select id, one_id as one_a, one_id as one_b from public.simple_two;
  create table public.sites (id int primary key, main_user int references public.users);
  create table public.visits (site_id int references public.sites, user_id int references public.users, primary key (site_id, user_id));
  create view public.good_visits as select * from public.visits;
  create table public.notes (id int primary key, data jsonb, path extensions.ltree, text text);
  insert into public.notes values
    (1, '{"!@#$%^&*_d": {"!@#$%^&*_e": 3}, "a-b": 4}', 'Top.Science', 'plain'), (2, '[1, 2]', 'Top.Hobbies', '"'), (3, null, null, '\\');
  create domain public.word_list as tsvector;
  create domain public.deep_list as public.word_list;
  create table public.found (id int primary key, words word_list, deep deep_list);
  insert into public.found values (1, to_tsvector('english', 'impossible fun'), to_tsvector('english', 'deep water'));
  create table public.sales (day date, amount int) partition by list (day);
  create table public.sales_first partition of public.sales for values in ('2026-01-01');
  create view public.broken as select (select id from public.users) as id;
  create domain public.color as int;
  create function public.json(public.color) returns json language sql immutable as $$ select to_json('#' || $1::text) $$;
  create cast (public.color as json) with function public.json(public.color) as implicit;
  create table public.paints (shade public.color);
  create function public.plain() returns text language sql stable as $$ select 'text' $$;
  create table public.moments (at timestamptz);
  create table public.crews (id int primary key, lead_id int);
  create table public.sailors (id int primary key, crew_id int references public.crews);
  alter table public.crews add foreign key (lead_id) references public.sailors;
  create schema hidden;
  create table hidden.people (id int primary key, chief int references hidden.people);
  create view public.staff as select p.id, p.chief, c.chief as head from hidden.people p left join hidden.people c on c.id = p.chief;
  create view public.bosses as select id, chief from hidden.people;
  insert into hidden.people values (1, null), (2, 1), (3, 2);
  insert into public.moments values ('2026-01-01T00:00:00Z');
`);
const get = async (path: string, headers?: Record<string, string>): Promise<unknown> =>
  (await rest.ask(`GET ${path}`, headers)).json();

describe('what is selected', () => {
  test.each([
    ['users?select=&id=eq.1', [{ id: 1, name: 'Una' }]],
    ['users?select=name,users_tasks(tasks(projects()))&id=eq.1', [{ name: 'Una' }]],
    ['users?select=id,tasks(projects(clients()),users_tasks())&id=eq.1', [{ id: 1 }]],
    [
      'users?select=id,tasks!inner(projects(clients()),users_tasks(),name)&tasks.id=eq.3',
      [{ id: 1, tasks: [{ name: 'paint' }] }],
    ],
    ['users?select=id,users_tasks!inner(tasks!inner(projects()))&users_tasks.tasks.id=eq.3', [{ id: 1 }]],
    [
      'projects?select= id , name , clients( * ) , tasks( id , name )&id=eq.2',
      [{ id: 2, name: 'door', clients: { id: 1, name: 'Ann' }, tasks: [{ id: 3, name: 'paint' }] }],
    ],
    ['notes?select=data->!@%23$%25^%26*_d->>!@%23$%25^%26*_e::integer&id=eq.1', [{ '!@#$%^&*_e': 3 }]],
    ['notes?select=data->>a-b&id=eq.1', [{ 'a-b': '4' }]],
    ['notes?select=data->>-1&id=eq.2', [{ data: '2' }]],
  ])('%s', async (path, result) => {
    expect(await get(path)).toEqual(result);
  });

  test.each([
    ['notes?select=data->>--34', '"failed to parse select parameter (data->>--34)" (line 1, column 9)'],
    ['notes?select=data->(a', '"failed to parse select parameter (data->(a)" (line 1, column 7)'],
  ])('%s is refused', async (path, message) => {
    expect(await get(path)).toMatchObject({ code: 'PGRST100', message });
  });
});

describe('conditions', () => {
  test.each([
    ['users?select=id&and=( and ( id.in.( 1, 2, 3 ) , id.eq.3 ) , or ( id.eq.2 , id.eq.3 ) )', [{ id: 3 }]],
    [
      'users?select=id&or=( id.eq.1, and(id.in.(2,3), id.in.(3,4)), not.and ( id.gt.0 , id.lt.9 ) )',
      [{ id: 1 }, { id: 3 }],
    ],
    ['notes?select=id&text=in.(")', [{ id: 2 }]],
    ['notes?select=id&text=in.(\\)', [{ id: 3 }]],
    ['notes?select=id&text=in.("\\"",x"y)', [{ id: 2 }]],
    ['notes?select=id&id=in.(   )', []],
    ['notes?select=id&id=not.in.()', [{ id: 1 }, { id: 2 }, { id: 3 }]],
    ['notes?select=id&data->!@%23$%25^%26*_d->>!@%23$%25^%26*_e=eq.3', [{ id: 1 }]],
    ['notes?select=id&path=match.*.Hobbies', [{ id: 2 }]],
    ['notes?select=id&text=like(any).{pl*,x}', [{ id: 1 }]],
    ['notes?select=id&text=imatch.^PL', [{ id: 1 }]],
    ['found?select=id&words=fts(english).impossible', [{ id: 1 }]],
    ['found?select=id&words=plfts.nothing', []],
    ['found?select=id&deep=fts(english).deep', [{ id: 1 }]],
  ])('%s', async (path, result) => {
    expect(await get(path)).toEqual(result);
  });

  test('an operator that is missing, and a number that is empty', async () => {
    expect(await get('users?id=0')).toMatchObject({
      code: 'PGRST100',
      message: '"failed to parse filter (0)" (line 1, column 1)',
      details: 'unexpected "0" expecting "not" or operator (eq, gt, ...)',
    });
    expect(await get('users?id=in.( ,3)')).toMatchObject({ code: '22P02' });
  });

  test.each([
    [
      'users?order=id.asc.nullslastx',
      '"failed to parse order (id.asc.nullslastx)" (line 1, column 17)',
      `unexpected 'x' expecting "," or end of input`,
    ],
    [
      'users?or=()',
      '"failed to parse logic tree (())" (line 1, column 4)',
      'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
    ],
    [
      'users?not.and=(id)',
      '"failed to parse logic tree ((id))" (line 1, column 11)',
      'unexpected ")" expecting "."',
    ],
  ])('%s says where it cannot be read', async (path, message, details) => {
    expect(await get(path)).toEqual({ code: 'PGRST100', message, details, hint: null });
  });

  test('an arrow after a text is refused by PostgreSQL', async () => {
    const refused = async (path: string) => (await rest.ask(`GET notes?select=${path}`)).json();
    const message = (type: string) => `operator does not exist: text -> ${type}`;
    expect(await refused('data->>a->b')).toMatchObject({ code: '42883', message: message('unknown') });
    expect(await refused('data->>a->1')).toMatchObject({ code: '42883', message: message('integer') });
  });

  test('a negative offset counts as none', async () => {
    expect(await get('users?select=id&offset=-4&order=id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });
});

describe('embedding', () => {
  test.each([
    [
      'countries?select=name,id(name)&order=name',
      [
        { name: 'Chad', id: null },
        { name: 'Peru', id: { name: 'Lima' } },
      ],
    ],
    ['countries?select=name,capitals!id(name)&id=eq.2', [{ name: 'Peru', capitals: { name: 'Lima' } }]],
    ['capitals?select=name,country_id(name)', [{ name: 'Lima', country_id: { name: 'Peru' } }]],
    ['users?select=id,tasks(id)&id=eq.1', [{ id: 1, tasks: [{ id: 1 }, { id: 3 }] }]],
    ['users?select=id,tasks!main_tasks(id)&id=eq.1', [{ id: 1, tasks: [{ id: 1 }] }]],
    ['one_view?select=*,two_view!one_a(*)', []],
    ['one_view?select=*,two_view!one_b(*)', []],
    ['two_view?select=*,one_view!one_b(*)', []],
    ['two_view?select=*,simple_one!one_a(*)', []],
  ])('%s', async (path, result) => {
    expect(await get(path)).toEqual(result);
  });

  test.each([
    [
      'projects?select=id,jobs:tasks(id)&tasks.order=id.desc&id=eq.1',
      [{ id: 1, jobs: [{ id: 2 }, { id: 1 }] }],
    ],
    [
      'projects?select=jobs:tasks(id,who:users(id))&tasks.users.id=eq.2&jobs.id=eq.2&jobs.who.order=id&id=eq.1',
      [{ jobs: [{ id: 2, who: [{ id: 2 }] }] }],
    ],
    [
      'projects?select=jobs:tasks(id),tasks(id)&tasks.id=eq.2&id=eq.1',
      [{ jobs: [{ id: 1 }, { id: 2 }], tasks: [{ id: 2 }] }],
    ],
    ['projects?select=a:tasks(id),b:tasks(id)&tasks.limit=0&id=eq.2', [{ a: [], b: [{ id: 3 }] }]],
  ])('an embed answers to its alias and to its table (%s)', async (path, result) => {
    expect(await get(path)).toEqual(result);
  });

  test('a view whose rows refer to each other means its own rows, not those of another view', async () => {
    expect(await get('staff?select=id,chief(id)&order=id')).toEqual([
      { id: 1, chief: null },
      { id: 2, chief: { id: 1 } },
      { id: 3, chief: { id: 2 } },
    ]);
    expect(await get('staff?select=head(id)&id=eq.3')).toEqual([{ head: { id: 1 } }]);
    expect(await get('bosses?select=id,chief(id)&id=eq.2')).toEqual([{ id: 2, chief: { id: 1 } }]);
  });

  test('of two tables that refer to each other, the rows that refer here are listed first', async () => {
    expect(await get('sailors?select=*,crews(*)')).toMatchObject({
      code: 'PGRST201',
      hint: "Try changing 'crews' to one of the following: 'crews!crews_lead_id_fkey', 'crews!sailors_crew_id_fkey'. Find the desired relationship in the 'details' key.",
      details: [{ cardinality: 'one-to-many' }, { cardinality: 'many-to-one' }],
    });
  });

  test('a view that shows a key twice is ambiguous', async () => {
    const reply = await rest.ask('GET two_view?select=*,one_view(*)');
    expect([reply.status, reply.json()]).toMatchObject([
      300,
      {
        code: 'PGRST201',
        details: [
          { relationship: 'simple_two_one_id_fkey using two_view(one_a) and one_view(id)' },
          { relationship: 'simple_two_one_id_fkey using two_view(one_b) and one_view(id)' },
        ],
      },
    ]);
  });

  test('an ambiguous embed lists views of the junction too', async () => {
    expect(await get('sites?select=*,users(*)')).toMatchObject({
      code: 'PGRST201',
      hint: "Try changing 'users' to one of the following: 'users!sites_main_user_fkey', 'users!visits', 'users!good_visits'. Find the desired relationship in the 'details' key.",
    });
  });

  test('a partition cannot be named', async () => {
    const reply = await rest.ask('GET sales_first?select=*');
    expect([reply.status, reply.json()]).toMatchObject([
      404,
      {
        code: 'PGRST205',
        message: "Could not find the table 'public.sales_first' in the schema cache",
      },
    ]);
  });
});

describe('headers', () => {
  test('a read says its address with sorted parameters', async () => {
    const place = async (line: string) => (await rest.ask(line)).headers.get('content-location');
    expect(await place('GET users?name=eq.a b&id=eq.1&select=*')).toBe(
      '/users?id=eq.1&name=eq.a%20b&select=%2A',
    );
    expect(await place('GET users')).toBe('/users');
    expect(await place('HEAD users?limit=1')).toBe('/users?limit=1');
    expect(await place('GET rpc/none')).toBeNull();
  });

  test('HEAD says nothing of the length', async () => {
    for (const line of ['HEAD users', 'HEAD rpc/plain']) {
      const { status, headers } = await rest.ask(line);
      expect([status, headers.get('content-length')]).toEqual([200, null]);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  test('a reply says which headers it depends on', async () => {
    expect((await rest.ask('GET users')).headers.get('vary')).toBe('Origin, Accept, Prefer, Range');
  });

  test('an error names its code', async () => {
    const named = async (path: string) => (await rest.ask(`GET ${path}`)).headers.get('proxy-status');
    expect(await named('usrs')).toBe('PostgREST; error=PGRST205');
    expect(await named('users?nothing=eq.1')).toBe('PostgREST; error=42703');
  });

  test('the description of the API comes as JSON or OpenAPI alone', async () => {
    const type = async (accept: string) => (await rest.ask('GET ', { accept })).headers.get('content-type');
    expect(await type('*/*')).toBe('application/openapi+json; charset=utf-8');
    expect(await type('application/json')).toBe('application/json; charset=utf-8');
    expect((await rest.ask('GET ', { accept: 'text/csv' })).json()).toEqual({
      code: 'PGRST107',
      message: 'None of these media types are available: text/csv',
      details: null,
      hint: null,
    });
  });

  test('the type that the client likes best is sent', async () => {
    const type = async (accept: string) =>
      (await rest.ask('GET users?id=eq.1', { accept })).headers.get('content-type')?.split(';')[0];
    expect(await type('application/json;q=0.5, text/csv')).toBe('text/csv');
    expect(await type('*/*, text/csv')).toBe('text/csv');
    expect(await type('text/html, application/json;q=0.9, */*;q=0.8')).toBe('application/json');
    expect(await type('text/csv;q=0, application/json')).toBe('application/json');
  });

  test.each([
    'application/geo+json',
    'application/vnd.twkb',
    'text/plain',
    'application/octet-stream',
    'image/png',
  ])('a reply as %s is not to be had', async (accept) => {
    const message = `None of these media types are available: ${accept}`;
    for (const line of ['GET users', 'GET rpc/plain']) {
      const reply = await rest.ask(line, { accept });
      expect([reply.status, reply.json()]).toMatchObject([406, { code: 'PGRST107', message }]);
    }
    expect((await rest.ask('GET users?id=eq.1', { accept: `${accept}, */*;q=0.1` })).status).toBe(200);
  });

  test('a domain is read and written as its base type, whatever casts it has', async () => {
    const reply = await rest.ask('POST paints', { prefer: 'return=representation' }, '{"shade":5}');
    expect(reply.json()).toEqual([{ shade: 5 }]);
  });

  test('a time zone is whatever PostgreSQL takes; it refuses others', async () => {
    const at = (zone: string) => rest.ask('GET moments', { prefer: `timezone=${zone}` });
    expect((await at('+05:30')).json()).toEqual([{ at: '2025-12-31T18:30:00-05:30' }]);
    expect((await at('-4')).json()).toEqual([{ at: '2025-12-31T20:00:00-04:00' }]);
    const wrong = await at('Nowhere/None');
    expect([wrong.status, wrong.json()]).toMatchObject([
      400,
      { code: '22023', message: 'invalid value for parameter "TimeZone": "Nowhere/None"' },
    ]);
  });
});

test('a view whose subquery has several rows is at fault, not the client', async () => {
  const reply = await rest.ask('GET broken');
  expect([reply.status, reply.json()]).toMatchObject([500, { code: '21000' }]);
});
