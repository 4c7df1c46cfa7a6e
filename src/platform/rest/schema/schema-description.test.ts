import { beforeAll, describe as describeTests, expect, test } from 'vitest';
import { app, call, openBookShop } from '../../../../tests/support/customers/book-shop.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';

openBookShop();

const describe = async (key: string) => {
  const reply = await fetch(`${app.url}/rest/v1/`, { headers: { apikey: key } });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([
    200,
    'application/openapi+json; charset=utf-8',
  ]);
  return (await reply.json()) as {
    swagger: string;
    info: Record<string, string>;
    paths: Record<string, Record<string, Record<string, unknown>>>;
    parameters: Record<string, Record<string, unknown>>;
    definitions: Record<
      string,
      { description?: string; required?: string[]; properties: Record<string, unknown> }
    >;
  };
};

test('the root describes tables, views and functions that the caller may use, and no others', async () => {
  const { swagger, paths, definitions } = await describe(app.anonKey);
  expect(swagger).toBe('2.0');
  expect(Object.keys(paths['/books'] ?? {})).toEqual(['get', 'post', 'patch', 'delete']);
  expect(Object.keys(paths['/inbox'] ?? {})).toEqual(['post']);
  expect(Object.keys(paths['/rpc/add'] ?? {})).toEqual(['get', 'post']);
  expect(Object.keys(paths['/rpc/bump'] ?? {})).toEqual(['post']);
  expect(paths['/secret']).toBeUndefined();
  expect(definitions.secret).toBeUndefined();
  expect(definitions.authors?.required).toEqual(['id', 'name']);
  expect(definitions.books?.properties).toMatchObject({
    id: { type: 'integer', format: 'integer', description: 'Note:\nThis is a Primary Key.<pk/>' },
    tags: { type: 'array', format: 'text[]', items: { type: 'string' } },
    author_id: { description: expect.stringContaining("<fk table='authors' column='id'/>") },
  });
});

const refs = (...names: string[]) => names.map((name) => ({ $ref: `#/parameters/${name}` }));

describeTests('the form of the description', () => {
  beforeAll(async () => {
    await app.resources.database.run(
      uncheckedSql(
        `create type public.mood as enum ('glad', 'sad');
         create domain public.short as varchar(3);
         create table public.guests (
           id int primary key, name varchar(20) not null default 'O''Neil', initials char(2), short public.short default 'a',
           mood public.mood default 'sad', tags json[], visits smallint default 3, share numeric default 0.5, here boolean default false,
           day date default '2020-02-29', at timestamptz default now(), author_id int references public.authors, data jsonb default '{}');
         create view public.guest_names as select id, name, author_id from public.guests;
         comment on schema public is E'A shop\\n\\nBooks\\nand guests';
         comment on table public.guests is E'Who came\\nOne row each';
         comment on column public.guests.id is 'Number';
         comment on column public.guests.name is 'As they say it';
         create function public.invite(who text, mood public.mood, ids int[], extra json default '{}', variadic days date[] default '{}')
           returns int language sql stable as 'select 1';
         comment on function public.invite is E'Invites\\nOnce';
         create function public.no_arguments(out a int) language sql stable as 'select 1';
         grant all on public.guests, public.guest_names to anon;
         notify pgrst`,
        'command',
      ),
    );
  });

  const described = async () => {
    await expect.poll(async () => (await describe(app.anonKey)).definitions).toHaveProperty('guests');
    return describe(app.anonKey);
  };

  test('a table has its comments, the types, defaults and limits of its columns, and its keys', async () => {
    const { info, definitions } = await described();
    expect(info).toMatchObject({ title: 'A shop', description: 'Books\nand guests' });
    const authorKey = "Note:\nThis is a Foreign Key to `authors.id`.<fk table='authors' column='id'/>";
    expect(definitions.guests).toEqual({
      type: 'object',
      description: 'Who came\nOne row each',
      required: ['id', 'name'],
      properties: {
        id: {
          format: 'integer',
          type: 'integer',
          description: 'Number\n\nNote:\nThis is a Primary Key.<pk/>',
        },
        name: {
          ...{ format: 'character varying', type: 'string', maxLength: 20, default: "O'Neil" },
          description: 'As they say it',
        },
        initials: { format: 'character', type: 'string', maxLength: 2 },
        short: { format: 'public.short', type: 'string', maxLength: 3, default: expect.stringMatching(/^a/) },
        mood: { format: 'public.mood', type: 'string', enum: ['glad', 'sad'], default: 'sad' },
        tags: { format: 'json[]', type: 'array', items: {} },
        visits: { format: 'smallint', type: 'integer', default: 3 },
        share: { format: 'numeric', type: 'number', default: 0.5 },
        here: { format: 'boolean', type: 'boolean', default: false },
        day: { format: 'date', type: 'string', default: '2020-02-29' },
        at: { format: 'timestamp with time zone', type: 'string', default: 'now()' },
        author_id: { format: 'integer', type: 'integer', description: authorKey },
        data: { format: 'jsonb' },
      },
    });
    expect(definitions.guest_names).toEqual({
      type: 'object',
      properties: {
        id: { format: 'integer', type: 'integer', description: 'Note:\nThis is a Primary Key.<pk/>' },
        name: { format: 'character varying', type: 'string', maxLength: 20 },
        author_id: { format: 'integer', type: 'integer', description: authorKey },
      },
    });
  });

  test('the methods of a table refer to parameters that exist', async () => {
    const document = await described();
    const path = document.paths['/guest_names'];
    const filters = refs(...['id', 'name', 'author_id'].map((name) => `rowFilter.guest_names.${name}`));
    expect(path?.get).toMatchObject({
      tags: ['guest_names'],
      parameters: [
        ...filters,
        ...refs('select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount'),
      ],
      responses: { 200: { schema: { type: 'array', items: { $ref: '#/definitions/guest_names' } } } },
    });
    expect(path?.post?.parameters).toEqual(refs('body.guest_names', 'select', 'preferPost'));
    expect(path?.patch?.parameters).toEqual([...filters, ...refs('body.guest_names', 'preferReturn')]);
    expect(path?.delete?.parameters).toEqual([...filters, ...refs('preferReturn')]);
    expect(document.paths['/guests']?.get).toMatchObject({
      summary: 'Who came',
      description: 'One row each',
    });
    expect(document.parameters['rowFilter.guests.name']).toEqual({
      ...{ name: 'name', in: 'query', type: 'string', required: false, description: 'As they say it' },
    });
    const named = [...JSON.stringify(document).matchAll(/"\$ref":"#\/(\w+)\/([^"]+)"/g)];
    expect(named.length).toBeGreaterThan(100);
    for (const [, part = '', name = ''] of named) {
      expect(document[part as 'parameters'], name).toHaveProperty([name]);
    }
  });

  test('a function has its comment and its arguments, in the address and in a body', async () => {
    const { paths } = await described();
    const path = paths['/rpc/invite'];
    expect(path?.get).toMatchObject({ tags: ['(rpc) invite'], summary: 'Invites', description: 'Once' });
    expect(path?.get?.parameters).toEqual([
      { name: 'who', in: 'query', required: true, type: 'string', format: 'text' },
      { name: 'mood', in: 'query', required: true, type: 'string', format: 'mood' },
      { name: 'ids', in: 'query', required: true, type: 'string', format: 'integer[]' },
      { name: 'extra', in: 'query', required: false, type: 'string', format: 'json' },
      {
        ...{ name: 'days', in: 'query', required: false, type: 'array', collectionFormat: 'multi' },
        items: { type: 'string', format: 'date' },
      },
    ]);
    expect(path?.post?.parameters).toEqual([
      {
        ...{ name: 'args', in: 'body', required: true },
        schema: {
          type: 'object',
          description: 'Invites\nOnce',
          required: ['who', 'mood', 'ids'],
          properties: {
            who: { type: 'string', format: 'text' },
            mood: { type: 'string', format: 'mood' },
            ids: { type: 'array', format: 'integer[]', items: { type: 'integer' } },
            extra: { format: 'json' },
            days: { type: 'array', format: 'date[]', items: { type: 'string' } },
          },
        },
      },
    ]);
    expect(paths['/rpc/no_arguments']?.post?.parameters).toEqual([
      { name: 'args', in: 'body', required: true, schema: { type: 'object', properties: {} } },
    ]);
  });

  test('a new comment is seen once the database is told so', async () => {
    await app.resources.database.run(
      uncheckedSql("comment on table public.guests is 'Changed'; notify pgrst", 'command'),
    );
    await expect
      .poll(async () => (await describe(app.anonKey)).definitions.guests?.description)
      .toBe('Changed');
  });
});

test('the service key sees more than a visitor', async () => {
  const [visitor, service] = [await describe(app.anonKey), await describe(app.serviceKey)];
  expect(Object.keys(service.paths).length).toBeGreaterThan(Object.keys(visitor.paths).length);
});

test('without a key there is no description, and plans and GeoJSON are not supported', async () => {
  expect((await fetch(`${app.url}/rest/v1/`)).status).toBe(401);
  for (const path of ['/', '/books']) {
    const types = [
      'vnd.pgrst.plan',
      'vnd.pgrst.plan+json',
      'vnd.pgrst.plan+text; options=analyze',
      'geo+json',
    ];
    for (const type of types) {
      const refused = await call(path, { headers: { accept: `application/${type}` } });
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([406, 'PGRST107']);
    }
  }
});
