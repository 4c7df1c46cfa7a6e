import { describe, expect, test } from 'vitest';
import {
  ANNA,
  app,
  BORIS,
  clientOf,
  db,
  follow,
  openRealtime,
} from '../../../tests/support/customers/realtime-clients.ts';

/** Names that a project which moves here brings along; the product has tables of the first four itself. */
const NAMES = ['messages', 'teams', 'courses', 'bookings', 'profiles'];

const table = (name: string): string => `
  create table public.${name} (id int primary key, user_id uuid not null, label text);
  alter table public.${name} enable row level security;
  create policy own on public.${name} to authenticated
    using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
  grant all on public.${name} to authenticated, service_role;
  select realtime.watch('public.${name}')`;

const FURTHER = `
  create table public.message_files (id int primary key, message_id int references public.messages (id), name text);
  grant all on public.message_files to authenticated, service_role;
  create table public.counts (id int primary key, rows int not null);
  grant select on public.counts to authenticated;
  insert into public.counts values (1, 0);
  create function public.count_messages() returns trigger language plpgsql security definer as $$
    begin update public.counts set rows = rows + 1; return null; end $$;
  create trigger count_messages after insert on public.messages
    for each row execute function public.count_messages();
  create function public.read_messages(p_label text) returns setof public.messages language sql stable as $$
    select * from messages where label = p_label $$`;

openRealtime({ tables: [...NAMES.map(table), FURTHER].join(';') });

describe("an owner's tables have the names that the product uses in its own schema", () => {
  test.each(NAMES)('public.%s is written, read, changed and followed as the owner made it', async (name) => {
    const anna = await clientOf(ANNA);
    const boris = await clientOf(BORIS);
    const heard = await follow(await clientOf(ANNA), { table: name });
    const rows = anna.from(name);
    expect((await rows.insert({ id: 1, user_id: ANNA, label: 'one' })).error).toBeNull();
    expect((await boris.from(name).insert({ id: 2, user_id: ANNA })).error?.code).toBe('42501');
    expect((await rows.update({ label: 'two' }).eq('id', 1)).error).toBeNull();
    expect((await rows.select()).data).toEqual([{ id: 1, user_id: ANNA, label: 'two' }]);
    expect((await boris.from(name).select()).data).toEqual([]);
    await expect.poll(() => heard.changes.length).toBe(2);
    expect(heard.changes.map(({ eventType }) => eventType)).toEqual(['INSERT', 'UPDATE']);
  });

  test('functions, triggers and embedding take the tables of the owner, and the product keeps its own', async () => {
    const anna = await clientOf(ANNA);
    expect((await anna.from('messages').insert({ id: 10, user_id: ANNA, label: 'mine' })).error).toBeNull();
    expect((await anna.from('counts').select('rows').single()).data?.rows).toBeGreaterThan(0);
    expect((await anna.rpc('read_messages', { p_label: 'mine' })).data).toMatchObject([{ id: 10 }]);
    expect(
      (await anna.from('message_files').insert({ id: 1, message_id: 10, name: 'a.txt' })).error,
    ).toBeNull();
    const { data } = await anna.from('messages').select('id, message_files(name)').eq('id', 10).single();
    expect(data).toEqual({ id: 10, message_files: [{ name: 'a.txt' }] });

    const own = anna.schema('northline_app');
    const followed = await follow(await clientOf(ANNA), { schema: 'northline_app', table: 'messages' });
    const everything = await follow(await clientOf(ANNA), { schema: '*', table: '*' });
    await db('select private.write_message($1, true, $2, array[]::uuid[])', [ANNA, 'Good morning']);
    expect((await own.from('messages').select('body')).data).toEqual([{ body: 'Good morning' }]);
    await expect.poll(() => followed.changes.length).toBe(1);
    const [message] = (await own.from('messages').select('id')).data ?? [];
    expect((await own.rpc('read_messages', { p_ids: [message?.id] })).data).toBe(1);
    expect((await anna.from('messages').insert({ id: 11, user_id: ANNA })).error).toBeNull();
    await expect.poll(() => everything.changes.length).toBe(1);
    expect(everything.changes).toMatchObject([{ schema: 'public', table: 'messages' }]);
  });

  test('a request that names no schema, or a wrong one, is told of the schemas of the owner only', async () => {
    const anna = await clientOf(ANNA);
    const { error } = await anna.schema('private').from('mails').select();
    expect(error).toMatchObject({ code: 'PGRST106', hint: 'Only the following schemas are exposed: public' });
    const reply = await fetch(`${app.url}/rest/v1/`, { headers: { apikey: app.serviceKey } });
    const paths = Object.keys(((await reply.json()) as { paths: object }).paths);
    expect(paths).toContain('/messages');
    expect(paths).not.toContain('/team_members');
  });
});

test('public holds the names of the specification and nothing else of the product', async () => {
  const found = await app.resources.database.many(
    `select relname::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'S')
     union select proname::text from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  );
  const made = [...NAMES, 'message_files', 'counts', 'count_messages', 'read_messages'];
  const ofHelper = ['things', 'things_id_seq', 'unwatched', 'hidden'];
  expect(found.map(({ name }) => name).filter((name) => ![...made, ...ofHelper].includes(name))).toEqual([
    'credit_transactions',
    'customers',
    'enquiries',
    'news_posts',
    'subscriptions',
    'use_credits',
    'user_files',
    'user_subscription',
  ]);
});
