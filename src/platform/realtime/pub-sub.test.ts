import type { SupabaseClient } from '@supabase/supabase-js';
import { describe, expect, test } from 'vitest';
import {
  ANNA,
  app,
  BORIS,
  clientOf,
  db,
  heard,
  openRealtime,
  second,
  subscribed,
} from '../../../tests/support/customers/realtime-clients.ts';

openRealtime();

describe('broadcast and presence', () => {
  test.each(['1.0.0', '2.0.0'])(
    'messages reach the others with version %s, oneself when asked, with an answer',
    async (vsn) => {
      const [one, two] = [await clientOf(ANNA, app, vsn), await clientOf(BORIS, app, vsn)];
      const mine = heard();
      const theirs = heard();
      const sender = one
        .channel('room', { config: { broadcast: { self: true, ack: true } } })
        .on('broadcast', { event: 'say' }, mine.push);
      const receiver = two.channel('room').on('broadcast', { event: 'say' }, theirs.push);
      await Promise.all([subscribed(sender), subscribed(receiver)]);
      expect(await sender.send({ type: 'broadcast', event: 'say', payload: { text: 'grüß 👋' } })).toBe('ok');
      await expect.poll(() => [mine.list.length, theirs.list.length]).toEqual([1, 1]);
      expect(theirs.list[0]).toMatchObject({ type: 'broadcast', event: 'say', payload: { text: 'grüß 👋' } });
      await receiver.send({ type: 'broadcast', event: 'say', payload: {} });
      await expect.poll(() => mine.list.length).toBe(2);
      expect(theirs.list).toHaveLength(1);
    },
  );

  test('bytes, large messages and HTTP reach the clients of another process', async () => {
    const received = heard<{ payload: unknown }>();
    await subscribed(
      (await clientOf(BORIS, second)).channel('wide').on('broadcast', { event: '*' }, received.push as never),
    );
    const sender = await subscribed((await clientOf(ANNA)).channel('wide'));
    await sender.send({ type: 'broadcast', event: 'bytes', payload: new Uint8Array([1, 2, 255]).buffer });
    await sender.send({ type: 'broadcast', event: 'large', payload: { text: 'x'.repeat(50_000) } });
    expect(await sender.httpSend('http', { by: 'http' })).toEqual({ success: true });
    const headers = { apikey: app.anonKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ messages: [{ topic: 'wide', event: 'batch', payload: { by: 'batch' } }] });
    expect(
      (await fetch(`${app.url}/realtime/v1/api/broadcast`, { method: 'POST', headers, body })).status,
    ).toBe(202);
    await expect.poll(() => received.list.length).toBe(4);
    expect(new Uint8Array(received.list[0]?.payload as ArrayBuffer)).toEqual(new Uint8Array([1, 2, 255]));
    expect(received.list.slice(2).map((one) => one.payload)).toEqual([{ by: 'http' }, { by: 'batch' }]);
    const bad = await fetch(`${app.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers,
      body: '{"messages":[{}]}',
    });
    expect(bad.status).toBe(422);
    expect(
      (
        await fetch(`${app.url}/realtime/v1/api/broadcast`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(401);
  });

  test('presence: state, joins and leaves, across processes', async () => {
    const joins = heard<{ key: string }>();
    const leaves = heard<{ key: string }>();
    const anna = (await clientOf(ANNA)).channel('who', { config: { presence: { key: 'anna' } } });
    anna
      .on('presence', { event: 'join' }, joins.push as never)
      .on('presence', { event: 'leave' }, leaves.push as never);
    await subscribed(anna);
    expect(await anna.track({ at: 1 })).toBe('ok');
    const other = await clientOf(BORIS, second);
    const boris = other
      .channel('who', { config: { presence: { key: 'boris' } } })
      .on('presence', { event: 'sync' }, () => {});
    await subscribed(boris);
    await boris.track({ at: 2 });
    await expect.poll(() => Object.keys(anna.presenceState()).sort()).toEqual(['anna', 'boris']);
    await expect.poll(() => Object.keys(boris.presenceState()).sort()).toEqual(['anna', 'boris']);
    await anna.track({ at: 3 });
    await expect.poll(() => boris.presenceState().anna).toMatchObject([{ at: 3 }]);
    await boris.untrack();
    await expect.poll(() => Object.keys(anna.presenceState())).toEqual(['anna']);
    await boris.track({ at: 4 });
    await expect.poll(() => Object.keys(anna.presenceState()).length).toBe(2);
    await other.realtime.disconnect();
    await expect.poll(() => Object.keys(anna.presenceState())).toEqual(['anna']);
    expect(joins.list.map((one) => one.key)).toContain('boris');
    expect(leaves.list.map((one) => one.key)).toContain('boris');
  });

  test('presences become right again after the connection between processes broke', async () => {
    const anna = (await clientOf(ANNA)).channel('back', { config: { presence: { key: 'anna' } } });
    anna.on('presence', { event: 'sync' }, () => {});
    await subscribed(anna);
    await anna.track({});
    const keys = () => Object.keys(anna.presenceState()).sort();
    const join = async (key: string) => {
      const channel = (await clientOf(BORIS, second)).channel('back', { config: { presence: { key } } });
      await subscribed(channel);
      await channel.track({});
      return channel;
    };
    const leaving = await join('leaving');
    await join('staying');
    await expect.poll(keys).toEqual(['anna', 'leaving', 'staying']);
    const listening = "application_name = 'northline listen' and datname = current_database()";
    await db(`select pg_terminate_backend(pid) from pg_stat_activity where ${listening}`);
    await leaving.untrack();
    await join('coming');
    await expect.poll(keys).toEqual(['anna', 'coming', 'staying']);
  });

  test('private channels open only by policy and are separate from public ones', async () => {
    const config = { config: { private: true, broadcast: { self: true } } };
    const open = (client: SupabaseClient) => subscribed(client.channel(`room-${ANNA}`, config));
    await expect(open(await clientOf(BORIS))).rejects.toThrow(/Unauthorized/);
    await expect(open(await clientOf(undefined))).rejects.toThrow(/Unauthorized/);
    const anna = await clientOf(ANNA);
    const got = heard();
    const channel = anna.channel(`room-${ANNA}`, config).on('broadcast', { event: 'x' }, got.push);
    await subscribed(channel);
    const intruder = await subscribed((await clientOf(BORIS)).channel(`room-${ANNA}`));
    await intruder.send({ type: 'broadcast', event: 'x', payload: { from: 'boris' } });
    await channel.send({ type: 'broadcast', event: 'x', payload: { from: 'anna' } });
    await expect.poll(() => got.list.length).toBe(1);
    expect(got.list[0]).toMatchObject({ payload: { from: 'anna' } });
  });
});

test('a presence that ended while the processes were disconnected is gone everywhere', async () => {
  const topic = 'outage';
  const states: unknown[] = [];
  const watcher = (await clientOf(BORIS, second)).channel(topic, { config: { presence: { enabled: true } } });
  watcher.on('presence', { event: 'sync' }, () => states.push(watcher.presenceState()));
  await subscribed(watcher);
  const tracker = await subscribed(
    (await clientOf(ANNA)).channel(topic, { config: { presence: { key: 'anna' } } }),
  );
  await tracker.track({ at: 'desk' });
  await expect.poll(() => Object.keys(watcher.presenceState())).toEqual(['anna']);
  // Messages to the other process are lost with its connection.
  await app.resources.database.run(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'northline listen' and datname = current_database() and pid <> pg_backend_pid()`,
  );
  await tracker.untrack();
  await expect.poll(() => Object.keys(watcher.presenceState())).toEqual([]);
});
