import { createClient } from '@supabase/supabase-js';
import { describe, expect, test } from 'vitest';
import {
  ANNA,
  app,
  BORIS,
  clientOf,
  clients,
  db,
  follow,
  heard,
  labels,
  mark,
  openRealtime,
  type Payload,
  second,
  subscribed,
} from '../../../tests/support/customers/realtime-clients.ts';

/** In `office`, a policy finds the table of its function only through the search path of the served schema. */
const TABLES = `
  create schema office;
  create schema closed;
  create schema unserved;
  create schema bare;
  grant usage on schema office, bare, unserved to authenticated, service_role;
  create table office.owners (user_id uuid primary key);
  insert into office.owners values ('${ANNA}'), ('${BORIS}');
  grant select on office.owners to authenticated, service_role;
  create function office.is_mine(owner uuid) returns boolean language plpgsql stable as $$
    begin return owner = auth.uid() and exists (select from owners where user_id = owner); end $$;
  create table office.things (id int primary key, user_id uuid not null, label text, big int8);
  alter table office.things enable row level security;
  create policy own on office.things to authenticated using (office.is_mine(user_id)) with check (office.is_mine(user_id));
  create table office.notes (id int primary key, user_id uuid, label text);
  create table office.secrets (id int primary key, user_id uuid);
  create table closed.things (id int primary key, user_id uuid not null, label text);
  create table unserved.things (id int primary key, user_id uuid not null, label text);
  grant all on office.things, office.notes, closed.things, unserved.things to authenticated, service_role;
  select realtime.watch('office.things');
  select realtime.watch('office.secrets');
  alter publication supabase_realtime add table office.notes, closed.things, unserved.things`;

openRealtime({ schemas: 'public,office,closed,bare,later', tables: TABLES });

type Change = Payload & { schema: string; table: string };
const told = (list: readonly Payload[]) =>
  (list as readonly Change[]).map(
    ({ schema, table, eventType, ...row }) => `${eventType} ${schema}.${table} ${row.new.id ?? row.old.id}`,
  );
const NOT_ENABLED =
  /Unable to subscribe to changes with given parameters\. Please check Realtime is enabled for the given connect parameters/;

describe('tables of a further served schema', () => {
  test('insert, update and delete reach callers who may read the row, in every process, and nobody else', async () => {
    const anna = await clientOf(ANNA);
    const [hers, his, ofPublic] = await Promise.all([
      follow(await clientOf(ANNA, second), { schema: 'office' }),
      follow(await clientOf(BORIS), { schema: 'office' }),
      follow(anna),
    ]);
    const things = anna.schema('office').from('things');
    expect((await things.insert({ id: 1, user_id: ANNA, label: 'new', big: 12 })).error).toBeNull();
    await expect.poll(() => hers.changes.length).toBe(1);
    expect((await things.update({ label: 'changed' }).eq('id', 1)).error).toBeNull();
    await expect.poll(() => hers.changes.length).toBe(2);
    expect((await things.delete().eq('id', 1)).error).toBeNull();
    await expect.poll(() => hers.changes.length).toBe(3);
    const row = { id: 1, user_id: ANNA, big: 12 };
    expect(hers.changes).toMatchObject([
      { eventType: 'INSERT', schema: 'office', table: 'things', new: { ...row, label: 'new' }, old: {} },
      { eventType: 'UPDATE', schema: 'office', new: { ...row, label: 'changed' }, old: { id: 1 } },
      { eventType: 'DELETE', schema: 'office', new: {}, old: { id: 1, user_id: ANNA } },
    ]);
    expect(hers.changes[2]?.old).not.toHaveProperty('label');
    // Each table has its own queue: when its last change arrives, nothing came before it.
    await db("insert into office.things (id, user_id, label) values (2, $1, 'his')", [BORIS]);
    await expect.poll(() => labels(his.changes)).toEqual(['INSERT his']);
    await mark(ANNA);
    await expect.poll(() => labels(ofPublic.changes)).toEqual(['INSERT mark']);
  });

  test('filters and chosen columns are those of its table', async () => {
    const client = await clientOf(ANNA);
    const [all, some] = await Promise.all([
      follow(client, { schema: 'office' }),
      follow(client, { schema: 'office', filter: 'big=gt.5,label=in.(a,b)', select: ['id', 'big'] }),
    ]);
    await db("insert into office.things values (11, $1, 'a', 5), (12, $1, 'b', 6), (13, $1, 'c', 7)", [ANNA]);
    await expect.poll(() => all.changes.length).toBe(3);
    expect(some.changes.map((one) => one.new)).toEqual([{ id: 12, big: 6 }]);
    await expect(follow(client, { schema: 'office', filter: 'size=eq.1' })).rejects.toThrow(/InvalidFilter/);
  });

  test.each([
    [{ schema: 'office', table: '*' }, ['INSERT office.notes 20', 'INSERT office.things 20']],
    [{ schema: '*', table: 'things' }, ['INSERT office.things 20', 'INSERT public.things 20']],
    [
      { schema: '*', table: undefined },
      ['INSERT office.notes 20', 'INSERT office.things 20', 'INSERT public.things 20'],
    ],
  ])('a join with %j delivers every table that the caller may read', async (filter, expected) => {
    const { changes } = await follow(await clientOf(ANNA), filter as object);
    for (const table of ['public.things', 'office.things', 'office.notes']) {
      await db(`insert into ${table} (id, user_id, label) values (20, $1, 'x')`, [ANNA]);
    }
    await expect.poll(() => told(changes).sort()).toEqual(expected);
    for (const table of ['public.things', 'office.things', 'office.notes']) {
      await db(`delete from ${table} where id = 20`);
    }
    const deleted = expected.map((line) => line.replace('INSERT', 'DELETE'));
    await expect.poll(() => told(changes).sort()).toEqual([...deleted, ...expected]);
  });

  test('a client that was away gets what it missed in each served schema, without deletions it has no rights to', async () => {
    const tables = ['public.things', 'office.things', 'closed.things', 'unserved.things'];
    for (const table of tables) {
      await db(`insert into ${table} (id, user_id, label) values (700, $1, 'old')`, [ANNA]);
    }
    const client = await clientOf(ANNA, second);
    const join = async (since: string) => {
      const [changes, system] = [heard<Payload>(), heard<{ message: string; cursor?: string }>()];
      const filter = { event: '*', schema: '*', since } as const;
      const channel = client.channel(`away ${since}`).on('system', {}, system.push as never);
      await subscribed(channel.on('postgres_changes', filter, changes.push as never));
      await expect.poll(() => system.list.some(({ cursor }) => cursor !== undefined)).toBe(true);
      return { channel, changes: changes.list, cursor: system.list.findLast((one) => one.cursor)?.cursor };
    };
    const before = await join('');
    await client.removeChannel(before.channel);
    // Deleted separately, so that the deletion is not hidden beside a row that may not be read.
    for (const table of tables) await db(`delete from ${table} where id = 700`);
    for (const table of tables) {
      await db(`insert into ${table} (id, user_id, label) values (701, $1, 'missed')`, [ANNA]);
    }
    // Missed changes come in order, so all of them come before this one.
    await db("insert into public.things (id, user_id, label) values (702, $1, 'last')", [ANNA]);
    const { changes } = await join(before.cursor ?? '');
    await expect.poll(() => told(changes)).toContain('INSERT public.things 702');
    const missed = told(changes).filter((line) => /INSERT .* 701|DELETE .* 700/.test(line));
    expect([...new Set(missed)]).toEqual([
      'DELETE public.things 700',
      'DELETE office.things 700',
      'INSERT public.things 701',
      'INSERT office.things 701',
    ]);
  });
});

describe('a join for an unserved table is refused', () => {
  test.each([
    [{ schema: 'unserved' }, NOT_ENABLED],
    [{ schema: 'unserved', table: '*' }, NOT_ENABLED],
    [{ schema: 'nowhere' }, NOT_ENABLED],
    [{ schema: 'auth', table: 'users' }, NOT_ENABLED],
    [{ schema: 'bare', table: '*' }, NOT_ENABLED],
    [{ schema: 'office', table: 'owners' }, NOT_ENABLED],
    [{ schema: '*', table: 'nothing' }, NOT_ENABLED],
    [{ schema: 'office', table: 'secrets' }, /Unauthorized: You do not have permissions to read this table/],
    [{ schema: 'closed' }, /Unauthorized: You do not have permissions to read this table/],
    [{ schema: 'closed', table: '*' }, /Unauthorized: You do not have permissions to read this table/],
  ])('a join with %j', async (filter, reason) => {
    await expect(follow(await clientOf(ANNA), filter)).rejects.toThrow(reason);
  });

  test('the key of the service, where its role has no USAGE either', async () => {
    const service = createClient(app.url, app.serviceKey);
    clients.push(service);
    await expect(follow(service, { schema: 'closed' })).rejects.toThrow(/Unauthorized/);
    const { changes } = await follow(service, { schema: 'office' });
    await db("insert into office.things (id, user_id, label) values (30, $1, 'anybody’s')", [BORIS]);
    await expect.poll(() => labels(changes)).toEqual(['INSERT anybody’s']);
  });
});

test('a table of a schema created later is followed, refused once dropped, and followed again once it exists', async () => {
  const parcels = { schema: 'later', table: 'parcels' };
  const refusal = async (at = app) => follow(await clientOf(ANNA, at), parcels).then(String, String);
  expect(await refusal()).toMatch(NOT_ENABLED);
  await db(`
    create schema later;
    grant usage on schema later to authenticated;
    create table later.parcels (id int primary key, label text);
    grant all on later.parcels to authenticated;
    alter publication supabase_realtime add table later.parcels`);
  const early = heard<Payload>();
  const [earlySystem, earlyStates] = [heard<{ message: string }>(), heard<string>()];
  (await clientOf(ANNA, second))
    .channel('early')
    .on('system', {}, earlySystem.push as never)
    .on('postgres_changes' as never, { event: '*', ...parcels } as never, early.push as never)
    .subscribe(earlyStates.push);
  await expect.poll(() => earlyStates.list).toEqual(['SUBSCRIBED']);
  await db("insert into later.parcels values (1, 'first')");
  await expect.poll(() => early.list.map((one) => one.new)).toEqual([{ id: 1, label: 'first' }]);
  await db('drop table later.parcels');
  expect(await refusal()).toMatch(NOT_ENABLED);
  expect(await refusal(second)).toMatch(NOT_ENABLED);
  await db(`
    create table later.parcels (code text primary key, weight int);
    grant all on later.parcels to authenticated`);
  expect(await refusal()).toMatch(NOT_ENABLED);
  expect(await refusal(second)).toMatch(NOT_ENABLED);
  await db('alter publication supabase_realtime add table later.parcels');
  // No client joins and the database reports nothing. The followers of the old table are informed and join
  // the new one.
  const again = 'resync: changes may have been missed, read again';
  await expect.poll(() => earlySystem.list.map(({ message }) => message)).toContain(again);
  await expect.poll(() => earlyStates.list).toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED']);
  const late = await follow(await clientOf(ANNA), parcels);
  await db("insert into later.parcels values ('x', 3)");
  await expect.poll(() => late.changes.map((one) => one.new)).toEqual([{ code: 'x', weight: 3 }]);
  await expect.poll(() => early.list.at(-1)?.new).toEqual({ code: 'x', weight: 3 });
});

test('clients that follow a table which one migration drops, creates and watches again are notified', async () => {
  await db(`
    create table office.boxes (id int primary key, user_id uuid, label text);
    grant all on office.boxes to authenticated;
    select realtime.watch('office.boxes')`);
  const boxes = heard<Payload>();
  const states = heard<string>();
  (await clientOf(ANNA))
    .channel('boxes')
    .on(
      'postgres_changes' as never,
      { event: '*', schema: 'office', table: 'boxes' } as never,
      boxes.push as never,
    )
    .subscribe(states.push);
  await expect.poll(() => states.list).toEqual(['SUBSCRIBED']);
  await db(`
    drop table office.boxes;
    create table office.boxes (label text, weight int, id int primary key);
    grant all on office.boxes to authenticated;
    select realtime.watch('office.boxes');
    notify pgrst`);
  // The filter and the right to read are checked on the new table.
  await expect.poll(() => states.list).toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED']);
  await db("insert into office.boxes values ('new', 3, 1)");
  await expect.poll(() => boxes.list.map((one) => one.new)).toEqual([{ label: 'new', weight: 3, id: 1 }]);
});
