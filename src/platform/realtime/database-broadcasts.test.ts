import { expect, test } from 'vitest';
import {
  ANNA,
  app,
  BORIS,
  clientOf,
  heard,
  openRealtime,
  second,
  subscribed,
} from '../../../tests/support/customers/realtime-clients.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';

openRealtime();

interface Said {
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly meta?: { readonly replayed?: boolean };
}

const run = (text: string) => app.resources.database.run(uncheckedSql(text, 'composed'));
const mine = `room-${ANNA}`;
const own = { config: { private: true } };

test('a broadcast from SQL reaches every process once, and only channels of the same kind', async () => {
  const [here, there, open] = [heard<Said>(), heard<Said>(), heard<Said>()];
  const listen = async (at: typeof app, into: typeof here, config: object) => {
    const channel = (await clientOf(ANNA, at)).channel(mine, config as never);
    await subscribed(channel.on('broadcast', { event: '*' }, into.push as never));
  };
  await listen(app, here, own);
  await listen(second, there, own);
  await listen(app, open, {});
  await run(`select realtime.send('{"text": "first"}', 'said', '${mine}')`);
  await run(`select realtime.send('{"id": 7, "text": "${'x'.repeat(9000)}"}', 'said', '${mine}')`);
  await expect.poll(() => [here.list.length, there.list.length]).toEqual([2, 2]);
  expect(here.list[0]).toMatchObject({ event: 'said', payload: { text: 'first', id: expect.any(String) } });
  expect(there.list[1]?.payload).toMatchObject({ id: 7 });
  await run(`select realtime.send('{}', 'said', '${mine}', false)`);
  await expect.poll(() => open.list.length).toBe(1);
  expect(here.list).toHaveLength(2);
});

test('a trigger broadcasts changes with both rows, and policies decide whether its user may send', async () => {
  await run(`
    create table public.scores (id int primary key, points int);
    grant all on public.scores to authenticated;
    create function public.tell_score() returns trigger language plpgsql as $$
      begin perform realtime.broadcast_changes('${mine}', tg_op, tg_op, tg_table_name, tg_table_schema, new, old); return null; end $$;
    create trigger tell after insert or update on public.scores for each row execute function public.tell_score();
    notify pgrst, 'reload schema'`);
  const told = heard<Said>();
  const anna = await clientOf(ANNA);
  await subscribed(anna.channel(mine, own as never).on('broadcast', { event: '*' }, told.push as never));
  expect((await anna.from('scores').insert({ id: 1, points: 2 })).error).toBeNull();
  expect((await anna.from('scores').update({ points: 3 }).eq('id', 1)).error).toBeNull();
  await expect.poll(() => told.list.length).toBe(2);
  expect(told.list[1]).toMatchObject({
    event: 'UPDATE',
    payload: {
      operation: 'UPDATE',
      table: 'scores',
      schema: 'public',
      record: { id: 1, points: 3 },
      old_record: { id: 1, points: 2 },
    },
  });
  // Boris may not send to Anna's room: his row is stored, but no client receives it.
  expect((await (await clientOf(BORIS)).from('scores').insert({ id: 2, points: 9 })).error).toBeNull();
  expect((await anna.from('scores').insert({ id: 3, points: 1 })).error).toBeNull();
  await expect.poll(() => told.list.length).toBe(3);
  expect(told.list[2]?.payload).toMatchObject({ record: { id: 3 } });
});

test('a private channel gets the last broadcasts from SQL again on request; a public one is refused', async () => {
  const topic = `room-${BORIS}`;
  const since = Date.now() - 60_000;
  const boris = await clientOf(BORIS);
  const live = heard<Said>();
  const witness = (await clientOf(BORIS)).channel(topic, own as never);
  await subscribed(witness.on('broadcast', { event: 'kept' }, live.push as never));
  for (const n of [1, 2, 3]) await run(`select realtime.send('{"n": ${n}}', 'kept', '${topic}')`);
  await expect.poll(() => live.list.length).toBe(3);
  const again = heard<Said>();
  const config = { private: true, broadcast: { replay: { since, limit: 2 } } };
  await subscribed(boris.channel(topic, { config }).on('broadcast', { event: 'kept' }, again.push as never));
  await expect.poll(() => again.list.length).toBe(2);
  expect(again.list.map(({ payload, meta }) => [payload.n, meta?.replayed])).toEqual([
    [2, true],
    [3, true],
  ]);
  // The client library refuses that by itself; for other clients the server refuses it.
  const open = boris.channel('open', { config });
  open.params.config.private = false;
  await expect(subscribed(open)).rejects.toThrow(/Replay is not allowed for public channels/);
});

test('a client’s broadcast that asks to be stored is sent, and the client is told that it was not stored', async () => {
  const heardOf = heard<Said>();
  const witness = (await clientOf(ANNA)).channel(mine, own as never);
  await subscribed(witness.on('broadcast', { event: 'keep' }, heardOf.push as never));
  const config = { private: true, broadcast: { ack: true } };
  const sender = await subscribed((await clientOf(ANNA)).channel(mine, { config }));
  const message = { type: 'broadcast', event: 'keep', payload: { n: 1 } } as const;
  expect(await sender.send(message)).toBe('ok');
  expect(await sender.send({ ...message, persist: true })).toMatch(/not stored/);
  expect(await sender.send({ ...message, persist: { ttl: 60 } })).toMatch(/not stored/);
  await expect.poll(() => heardOf.list.length).toBe(3);
  await expect(sender.httpSend('keep', { n: 2 }, { persist: true })).rejects.toThrow(/not stored/);
  await expect(sender.httpSend('keep', { n: 2 }, { persist: { ttl: 60 } })).rejects.toThrow(/not stored/);
  expect(await sender.httpSend('keep', { n: 3 })).toEqual({ success: true });
  await expect.poll(() => heardOf.list.map(({ payload }) => payload.n)).toEqual([1, 1, 1, 3]);
});

test('a table of the publication is watched as soon as somebody joins for it', async () => {
  await run(`
    create table public.orders (id int primary key, label text);
    grant all on public.orders to authenticated;
    alter publication supabase_realtime add table public.orders`);
  const changes = heard<{ new: unknown }>();
  const anna = await clientOf(ANNA);
  const orders = { event: 'INSERT', schema: 'public', table: 'orders' } as const;
  await subscribed(anna.channel('orders').on('postgres_changes', orders, changes.push as never));
  await run("insert into public.orders values (1, 'one')");
  await expect.poll(() => changes.list.map((change) => change.new)).toEqual([{ id: 1, label: 'one' }]);
});

test('bytes from SQL reach clients as bytes', async () => {
  const told = heard<{ readonly event: string; readonly payload: unknown }>();
  const anna = await clientOf(ANNA);
  await subscribed(anna.channel(mine, own as never).on('broadcast', { event: '*' }, told.push as never));
  await run(`select realtime.send_binary('\\xdeadbeef00ff'::bytea, 'bytes', '${mine}')`);
  await run(`select realtime.send_binary('\\x01'::bytea, 'open', '${mine}', false)`);
  await run(`select realtime.send('{}', 'last', '${mine}')`);
  await expect.poll(() => told.list.map(({ event }) => event)).toEqual(['bytes', 'last']);
  expect(Buffer.from(told.list[0]?.payload as ArrayBuffer).toString('hex')).toBe('deadbeef00ff');
});

test('a client that waits for the database is told that it is heard', async () => {
  const told = heard<Record<string, unknown>>();
  const channel = (await clientOf(ANNA)).channel(mine, {
    config: { private: true, broadcast: { replication_ready: true } },
  });
  await subscribed(channel.on('system', {}, told.push as never));
  await expect
    .poll(() => told.list)
    .toEqual([
      { extension: 'system', status: 'ok', message: 'Replication connection established', channel: mine },
    ]);
});
