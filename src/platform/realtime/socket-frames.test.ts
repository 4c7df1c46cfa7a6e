import { createClient } from '@supabase/supabase-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  ANNA,
  address,
  app,
  bare,
  clientOf,
  clients,
  db,
  follow,
  heard,
  labels,
  mark,
  openRealtime,
  type Payload,
  tokenOf,
} from '../../../tests/support/customers/realtime-clients.ts';

openRealtime();

describe('sockets', () => {
  test('a heartbeat is answered, the join reply repeats the bindings and is followed by system', async () => {
    const socket = bare(address(app));
    await socket.opened;
    socket.say(null, '1', 'phoenix', 'heartbeat', {});
    const wanted = { event: '*', schema: 'public', table: 'things', filter: `user_id=eq.${ANNA}` };
    socket.say('2', '2', 'realtime:t', 'phx_join', {
      config: { postgres_changes: [wanted] },
      access_token: await tokenOf(ANNA),
    });
    await expect.poll(() => socket.frames.length).toBe(3);
    expect(socket.frames).toEqual([
      [null, '1', 'phoenix', 'phx_reply', { status: 'ok', response: {} }],
      [
        '2',
        '2',
        'realtime:t',
        'phx_reply',
        { status: 'ok', response: { postgres_changes: [{ id: 1, ...wanted }] } },
      ],
      [
        '2',
        null,
        'realtime:t',
        'system',
        { extension: 'postgres_changes', status: 'ok', message: 'Subscribed to PostgreSQL', channel: 't' },
      ],
    ]);
    socket.say('2', '3', 'realtime:t', 'phx_leave', {});
    await expect
      .poll(() => socket.frames.slice(3).map((frame) => frame[3]))
      .toEqual(['phx_reply', 'phx_close']);
    socket.ws.close();
  });

  test('a channel that joined without a token gets its changes once the token comes, and none is lost between', async () => {
    const socket = bare(address(app));
    await socket.opened;
    socket.say('1', '1', 'realtime:late', 'phx_join', {
      config: { postgres_changes: [{ event: 'INSERT', schema: 'public', table: 'things' }] },
    });
    await expect.poll(() => socket.frames.length).toBe(2);
    await db("insert into public.things (user_id, label) values ($1, 'between')", [ANNA]);
    socket.say('1', '2', 'realtime:late', 'access_token', { access_token: await tokenOf(ANNA) });
    await expect.poll(() => socket.frames.length).toBeGreaterThan(2);
    expect(socket.frames[2]?.[4]).toMatchObject({
      ids: [1],
      data: { type: 'INSERT', record: { label: 'between' } },
    });
    socket.ws.close();
  });

  test('an expired token closes the channel with the reason, a bad one at once', async () => {
    const socket = bare(address(app));
    await socket.opened;
    socket.say('1', '1', 'realtime:short', 'phx_join', { access_token: await tokenOf(ANNA, 6) });
    socket.say('2', '2', 'realtime:bad', 'phx_join', {});
    socket.say('2', '3', 'realtime:bad', 'access_token', { access_token: 'x.y.z' });
    socket.say('4', '4', 'realtime:worse', 'phx_join', { access_token: 'x.y.z' });
    const events = (topic: string) =>
      socket.frames.filter((frame) => frame[2] === topic).map((frame) => frame[3]);
    await expect.poll(() => events('realtime:short')).toEqual(['phx_reply', 'system', 'phx_close']);
    expect(events('realtime:bad')).toEqual(['phx_reply', 'system', 'phx_close']);
    expect(socket.frames.find((frame) => frame[2] === 'realtime:worse')?.[4]).toMatchObject({
      status: 'error',
      response: { reason: expect.stringMatching(/^InvalidJWTToken: /) },
    });
    socket.ws.close();
  });

  test('foreign origins, unknown paths and missing keys are refused', async () => {
    expect(await bare(address(app), { origin: 'https://evil.example' }).closed).toContain('403');
    expect(await bare(`${app.url.replace('http', 'ws')}/realtime/v1/websocket`).closed).toContain('401');
    expect(await bare(`${app.url.replace('http', 'ws')}/elsewhere`).closed).toContain('404');
    const own = bare(address(app), { origin: app.url });
    await own.opened;
    own.ws.close();
  });

  test('too many channels are refused, a flood and a huge frame close the socket', async () => {
    const socket = bare(address(app));
    await socket.opened;
    for (let n = 1; n <= 101; n += 1) socket.say(`${n}`, `${n}`, `realtime:c${n}`, 'phx_join', {});
    await expect.poll(() => socket.frames.length).toBe(101);
    expect(socket.frames[100]?.[4]).toMatchObject({
      status: 'error',
      response: { reason: expect.stringMatching(/^ChannelRateLimitReached/) },
    });
    for (let n = 0; n < 1000; n += 1) socket.say(null, `${n}`, 'phoenix', 'heartbeat', {});
    expect(await socket.closed).toBe(1008);
    const huge = bare(address(app));
    await huge.opened;
    huge.ws.send('x'.repeat(300_000));
    expect(await huge.closed).toBe(1009);
  });

  test('the end of a session closes its channels', async () => {
    const client = createClient(app.url, app.anonKey, {
      auth: { storageKey: 'ended', persistSession: false },
    });
    clients.push(client);
    const { data } = await client.auth.signUp({
      email: 'end@example.com',
      password: 'correct horse battery staple',
    });
    const socket = bare(address(app));
    await socket.opened;
    socket.say('1', '1', 'realtime:mine', 'phx_join', { access_token: data.session?.access_token });
    await expect.poll(() => socket.frames.length).toBe(1);
    await client.auth.signOut();
    await expect.poll(() => socket.frames.slice(1).map((frame) => frame[3])).toEqual(['system', 'phx_close']);
    socket.ws.close();
  });

  test('a client that does not read gets a resync instead of an endless queue', async () => {
    const socket = bare(address(app));
    await socket.opened;
    const watch = { event: 'INSERT', schema: 'public', table: 'things' };
    socket.say('1', '1', 'realtime:slow', 'phx_join', {
      config: { postgres_changes: [watch] },
      access_token: await tokenOf(ANNA),
    });
    await expect.poll(() => socket.frames.length).toBe(2);
    socket.ws.pause();
    const watcher = await follow(await clientOf(ANNA));
    for (let round = 0; round < 6; round += 1) {
      await db(
        "insert into public.things (user_id, label) select $1, repeat('x', 20000) from generate_series(1, 200)",
        [ANNA],
      );
      await expect.poll(() => watcher.changes.length).toBe((round + 1) * 200);
    }
    socket.ws.resume();
    const events = () => socket.frames.map((frame) => frame[3]);
    await expect.poll(events).toContain('phx_error');
    expect(socket.frames.filter((frame) => frame[3] === 'postgres_changes').length).toBeLessThan(1200);
    expect(events().slice(-2)).toEqual(['system', 'phx_error']);
    socket.ws.close();
  });

  test('when notifications may have been missed, the channel is informed and joins again', async () => {
    const client = await clientOf(ANNA);
    const signals = heard<{ message: string; status: string }>();
    const statuses = heard<string>();
    const changes = heard<Payload>();
    const channel = client.channel('resync').on('system', {}, signals.push as never);
    channel.on('postgres_changes', { event: '*', schema: 'public', table: 'things' }, changes.push as never);
    channel.subscribe((status) => statuses.push(status));
    await expect.poll(() => statuses.list).toContain('SUBSCRIBED');
    await db(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'northline listen' and datname = current_database()",
    );
    await expect.poll(() => statuses.list).toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED']);
    expect(signals.list.some((one) => one.status === 'error' && one.message.startsWith('resync'))).toBe(true);
    await mark(ANNA);
    await expect.poll(() => labels(changes.list)).toContain('INSERT mark');
  });

  test('no frame, however malformed, stops the server', async () => {
    const part = fc.oneof(
      fc.constantFrom(
        'phx_join',
        'phx_leave',
        'access_token',
        'presence',
        'broadcast',
        'realtime:a',
        'phoenix',
        null,
        '1',
      ),
      fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
    );
    const frame = fc.oneof(
      fc.array(part, { maxLength: 6 }).map((parts) => JSON.stringify(parts)),
      fc
        .tuple(
          fc.constantFrom('realtime:a', 'realtime:b'),
          fc.constantFrom('phx_join', 'broadcast', 'presence', 'access_token'),
          fc.anything(),
        )
        .map(([topic, event, payload]) =>
          JSON.stringify(['1', '1', topic, event, payload], (_key, value) =>
            typeof value === 'bigint' ? 1 : value,
          ),
        ),
      fc.string(),
      fc.uint8Array({ maxLength: 60 }),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Uint8Array.from([3, ...bytes])),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 40 }), async (frames) => {
        const ws = new WebSocket(address(app));
        const answered = new Promise<boolean>((resolve) => {
          ws.on('message', (data, isBinary) => {
            if (!isBinary && String(data).includes('"the-end"')) resolve(true);
          });
          ws.on('close', () => resolve(false));
        });
        await new Promise((resolve) => ws.on('open', resolve));
        for (const one of frames) ws.send(one);
        ws.send(JSON.stringify([null, 'the-end', 'phoenix', 'heartbeat', {}]));
        expect(await answered).toBe(true);
        ws.terminate();
      }),
      { numRuns: 150 },
    );
  });
});
