import { createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import {
  ANNA,
  app,
  BORIS,
  clientOf,
  clients,
  db,
  follow,
  openRealtime,
  type Payload,
} from '../../../tests/support/customers/realtime-clients.ts';

openRealtime({
  tables: `
    create table public.kept (id int primary key, user_id uuid, label text, big int8);
    alter table public.kept replica identity full;
    alter table public.kept enable row level security;
    create policy all_rows on public.kept for select to anon, authenticated using (true);
    create table public.open (id int primary key, label text, secret text, number int8);
    alter table public.open replica identity full;
    grant select on public.kept to anon, authenticated;
    grant select (id, label) on public.open to anon;
    grant select on public.open to authenticated;
    grant all on public.kept, public.open to service_role;
    select realtime.watch('public.kept'), realtime.watch('public.open')`,
});

const olds = (changes: readonly Payload[]) => changes.map((one) => one.old);

test('replica identity full gives an update its old row, and a deletion the key where policies decide', async () => {
  const service = createClient(app.url, app.serviceKey);
  clients.push(service);
  const people = [await clientOf(ANNA), await clientOf(BORIS), await clientOf(undefined), service];
  const followed = await Promise.all(people.map((client) => follow(client, { table: 'kept' })));
  // Rows are read again when they are delivered, so each change waits for the one before.
  const heardBy = async (count: number): Promise<void> => {
    for (const { changes } of followed) await expect.poll(() => changes.length).toBe(count);
  };
  await db("insert into public.kept values (1, $1, 'before', 9007199254740991)", [ANNA]);
  await heardBy(1);
  await db("update public.kept set label = 'after' where id = 1");
  await heardBy(2);
  await db('delete from public.kept where id = 1');
  await heardBy(3);
  const old = { id: 1, user_id: ANNA, label: 'before', big: 9007199254740991 };
  // The owner and the server's key also learn whose row it was, as of any deletion.
  const owned = { id: 1, user_id: ANNA };
  expect(followed.map(({ changes }) => olds(changes))).toEqual([
    [{}, old, owned],
    [{}, old, { id: 1 }],
    [{}, old, { id: 1 }],
    [{}, old, owned],
  ]);
});

test('without policies a deletion has the old row, with the columns that the role may read', async () => {
  const [anna, nobody] = await Promise.all([
    follow(await clientOf(ANNA), { table: 'open', event: 'DELETE' }),
    follow(await clientOf(undefined), { table: 'open', event: 'DELETE' }),
  ]);
  const filtered = await follow(await clientOf(ANNA), {
    table: 'open',
    event: 'DELETE',
    filter: 'label=eq.wanted',
    select: ['label'],
  });
  await db("insert into public.open values (1, 'other', 's1', 1), (2, 'wanted', 's2', 2)");
  await db('delete from public.open where id = 1');
  await db('delete from public.open where id = 2');
  await expect.poll(() => anna.changes.length).toBe(2);
  await expect.poll(() => nobody.changes.length).toBe(2);
  await expect.poll(() => filtered.changes.length).toBe(1);
  expect(olds(anna.changes)).toEqual([
    { id: 1, label: 'other', secret: 's1', number: 1 },
    { id: 2, label: 'wanted', secret: 's2', number: 2 },
  ]);
  expect(olds(nobody.changes)).toEqual([
    { id: 1, label: 'other' },
    { id: 2, label: 'wanted' },
  ]);
  expect(olds(filtered.changes)).toEqual([{ label: 'wanted' }]);
});

test('an old row that does not fit into a notification comes from the log', async () => {
  const anna = await follow(await clientOf(ANNA), { table: 'open', event: 'UPDATE' });
  const secret = 'x'.repeat(20_000);
  await db("insert into public.open values (3, 'long', $1, 3)", [secret]);
  await db("update public.open set secret = 'short' where id = 3");
  await db("update public.open set secret = 'shorter' where id = 3");
  await expect.poll(() => anna.changes.length).toBe(2);
  expect(olds(anna.changes)).toEqual([
    { id: 3, label: 'long', secret, number: 3 },
    { id: 3, label: 'long', secret: 'short', number: 3 },
  ]);
});
