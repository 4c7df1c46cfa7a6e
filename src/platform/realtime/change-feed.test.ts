import { createClient, type SupabaseClient } from '@supabase/supabase-js';
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

openRealtime();

describe('changes', () => {
  test('insert, update and delete arrive with values of their types', async () => {
    const { changes } = await follow(await clientOf(ANNA));
    await db(
      `insert into public.things (id, user_id, label, size, big, tags, extra) values (100, $1, 'new', 5, 12, '{a,b}', '{"x": [1]}')`,
      [ANNA],
    );
    await expect.poll(() => changes.length).toBe(1);
    await db("update public.things set label = 'changed' where id = 100");
    await expect.poll(() => changes.length).toBe(2);
    await db('delete from public.things where id = 100');
    await expect.poll(() => changes.length).toBe(3);
    expect(changes[0]).toMatchObject({
      eventType: 'INSERT',
      schema: 'public',
      table: 'things',
      errors: null,
      new: {
        id: 100,
        user_id: ANNA,
        label: expect.any(String),
        size: 5,
        big: 12,
        tags: ['a', 'b'],
        extra: { x: [1] },
      },
      old: {},
    });
    expect(changes[1]).toMatchObject({ eventType: 'UPDATE', new: { id: 100 }, old: { id: 100 } });
    expect(changes[2]).toMatchObject({ eventType: 'DELETE', new: {}, old: { id: 100, user_id: ANNA } });
  });

  test('nobody sees another user’s changes, including deletions', async () => {
    const [anna, boris, nobody] = await Promise.all([
      follow(await clientOf(ANNA)),
      follow(await clientOf(BORIS)),
      follow(await clientOf(undefined)),
    ]);
    await db("insert into public.things (id, user_id, label) values (200, $1, 'secret')", [ANNA]);
    await db('delete from public.things where id = 200');
    await mark(BORIS);
    await expect.poll(() => boris.changes.length).toBe(1);
    expect(labels(boris.changes)).toEqual(['INSERT mark']);
    await expect.poll(() => anna.changes.some((one) => one.eventType === 'DELETE')).toBe(true);
    expect(anna.changes.every((one) => (one.new.user_id ?? one.old.user_id) === ANNA)).toBe(true);
    expect(nobody.changes).toEqual([]);
  });

  test('a caller who may read every row gets all deletions by key, as long as they may', async () => {
    await db('create table public.boards (id int primary key, user_id uuid)');
    await db('grant select on public.boards to anon, authenticated');
    await db("select realtime.watch('public.boards')");
    const boris = await follow(await clientOf(BORIS), { table: 'boards', event: 'DELETE' });
    const nobody = await follow(await clientOf(undefined), { table: 'boards', event: 'DELETE' });
    const remove = async (id: number, owner: string) => {
      await db('insert into public.boards values ($1, $2)', [id, owner]);
      await db('delete from public.boards where id = $1', [id]);
    };
    const heardOf = ({ changes }: { changes: Payload[] }) => changes.map((one) => one.old);

    await remove(1, ANNA);
    await expect.poll(() => heardOf(boris)).toEqual([{ id: 1 }]);
    await expect.poll(() => heardOf(nobody)).toEqual([{ id: 1 }]);
    await db('alter table public.boards enable row level security');
    await db('create policy all_rows on public.boards for select to authenticated using (true)');
    await remove(2, ANNA);
    await expect.poll(() => heardOf(boris)).toEqual([{ id: 1 }, { id: 2 }]);
    await db('create policy narrow on public.boards as restrictive to authenticated using (id > 2)');
    await db('create policy anybody on public.boards for select to anon using (true)');
    await remove(3, ANNA);
    await expect.poll(() => heardOf(nobody)).toEqual([{ id: 1 }, { id: 3 }]);
    await remove(4, BORIS);
    await expect.poll(() => heardOf(boris)).toEqual([{ id: 1 }, { id: 2 }, { id: 4, user_id: BORIS }]);
  });

  test('the service sees all', async () => {
    const service = createClient(app.url, app.serviceKey);
    clients.push(service);
    const { changes } = await follow(service);
    await mark(ANNA);
    await mark(BORIS);
    await expect.poll(() => changes.map((one) => one.new.user_id)).toEqual([ANNA, BORIS]);
  });

  test.each([
    ['size=eq.2', 'b'],
    ['size=neq.2', 'ac'],
    ['size=lt.2', 'a'],
    ['size=lte.2', 'ab'],
    ['size=gt.2', 'c'],
    ['size=gte.2', 'bc'],
    ['size=in.(1,3)', 'ac'],
    ['label=in.(a,"b")', 'ab'],
    ['label=like.a%', 'a'],
    ['size=not.eq.1,label=neq.c', 'b'],
    [`user_id=eq.${ANNA}`, 'abc'],
    [`user_id=eq.${BORIS}`, ''],
  ])('the filter %s is applied by the server', async (filter, expected) => {
    const client = await clientOf(ANNA);
    const all = await follow(client);
    const some = await follow(client, { filter, event: 'INSERT' });
    await db(
      "insert into public.things (user_id, label, size) values ($1, 'a', 1), ($1, 'b', 2), ($1, 'c', 3)",
      [ANNA],
    );
    await expect.poll(() => all.changes.length).toBe(3);
    expect(some.changes.map((one) => one.new.label).join('')).toBe(expected);
  });

  test('several entries of one channel, each with its event, and chosen columns', async () => {
    const channel = (await clientOf(ANNA)).channel('several');
    const inserts = heard<Payload>();
    const deletes = heard<Payload>();
    const on = (filter: object, push: unknown) =>
      channel.on('postgres_changes' as never, { schema: 'public', ...filter } as never, push as never);
    on({ event: 'INSERT', table: 'things', select: ['id', 'label'] }, inserts.push);
    on({ event: 'DELETE', table: 'things', filter: `user_id=eq.${ANNA}` }, deletes.push);
    await subscribed(channel);
    await db("insert into public.things (id, user_id, label) values (300, $1, 'x')", [ANNA]);
    await expect.poll(() => inserts.list.map((one) => one.new)).toEqual([{ id: 300, label: 'x' }]);
    await db('delete from public.things where id = 300');
    await expect.poll(() => deletes.list.map((one) => one.old)).toEqual([{ id: 300, user_id: ANNA }]);
    expect(inserts.list).toHaveLength(1);
  });

  test('a process delivers changes that were made through another one', async () => {
    const { changes } = await follow(await clientOf(ANNA, second));
    const writer = await clientOf(ANNA);
    expect((await writer.from('things').insert({ user_id: ANNA, label: 'across' })).status).toBe(201);
    await expect.poll(() => labels(changes)).toEqual(['INSERT across']);
  });

  test('thousands of rows in one commit all arrive', async () => {
    const { changes } = await follow(await clientOf(ANNA));
    await db(
      "insert into public.things (user_id, label, size) select $1, 'bulk', n from generate_series(1, 2000) n",
      [ANNA],
    );
    await expect.poll(() => changes.length).toBe(2000);
    expect(new Set(changes.map((one) => one.new.size)).size).toBe(2000);
  });

  test.each([
    [{ table: 'unwatched' }, /UnableToSubscribe/],
    [{ table: 'nowhere' }, /UnableToSubscribe/],
    [{ table: 'hidden' }, /permission/],
    [{ filter: 'nope=eq.1' }, /InvalidFilter/],
    [{ filter: 'size=eq.many' }, /InvalidFilter/],
    [{ filter: "size=zz.1'; drop table x" }, /InvalidFilter/],
  ])('a join with %j is refused with the reason', async (filter, reason) => {
    await expect(follow(await clientOf(ANNA), filter)).rejects.toThrow(reason);
  });
});

describe('the tables of the site', () => {
  test('credits, customers, files and subscriptions report changes and deletions to their owner and nobody else', async () => {
    const changes = heard<Payload & { table: string }>();
    const others = heard();
    const on = (client: SupabaseClient, push: unknown) => {
      const channel = client.channel('site');
      for (const table of ['credit_transactions', 'customers', 'user_files', 'subscriptions']) {
        channel.on(
          'postgres_changes' as never,
          { event: '*', schema: 'public', table } as never,
          push as never,
        );
      }
      return subscribed(channel);
    };
    await Promise.all([on(await clientOf(ANNA), changes.push), on(await clientOf(BORIS), others.push)]);
    await db(
      "insert into public.customers (user_id, customer_id, credits) values ($1, 'cus_1', 3) on conflict (user_id) do update set customer_id = 'cus_1'",
      [ANNA],
    );
    await db(
      "insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status) values ('cus_1', 'sub_1', 'price_1', 'x', 'active')",
    );
    // Each table has a queue of its own.
    await expect
      .poll(() => changes.list.map((one) => one.table).sort())
      .toEqual(['customers', 'subscriptions']);
    await db("delete from public.subscriptions where customer_id = 'cus_1'");
    await expect
      .poll(() => changes.list.at(-1))
      .toMatchObject({ table: 'subscriptions', eventType: 'DELETE' });
    await db("delete from public.customers where customer_id = 'cus_1'");
    await expect.poll(() => changes.list.at(-1)).toMatchObject({ table: 'customers', eventType: 'DELETE' });
    expect(others.list).toEqual([]);
  });
});
