import pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  ANNA,
  address,
  app,
  BORIS,
  bare,
  clientOf,
  db,
  heard,
  openRealtime,
  type Payload,
  second,
  subscribed,
  tokenOf,
} from '../../../tests/support/customers/realtime-clients.ts';
import { sweepChangeLog } from './change-log.server.ts';

openRealtime();

type Frame = {
  event: string;
  payload: Record<string, never> & { data?: Data; message?: string; cursor?: string };
};
type Data = { type: string; record: { label?: string }; old_record: { id: number } | null; cursor: string };
const INSERT = 'insert into public.things (user_id, label) values ($1, $2)';

/**
 * Labels of the changes that disconnected clients received. Delivery is at least once: an open transaction
 * anywhere on the server, e.g. of a parallel test, makes a change come again (decision 0034).
 */
const heardBefore = new Set<string>();

/** A client that stores cursors; it receives the changes of `things` after `since`. */
async function away(since: string, { sub = ANNA, at = app, token = true, filter = {} } = {}) {
  const socket = bare(address(at));
  await socket.opened;
  socket.say('1', '1', 'realtime:away', 'phx_join', {
    config: {
      postgres_changes: [{ event: '*', schema: 'public', table: 'things', ...filter }],
      postgres_changes_since: since,
    },
    ...(token ? { access_token: await tokenOf(sub) } : {}),
  });
  const frames = (): Frame[] => socket.frames.map(([, , , event, payload]) => ({ event, payload }) as Frame);
  const told = () =>
    frames().filter(({ payload }) => payload.cursor !== undefined && payload.message !== 'cursor');
  const changes = () => frames().flatMap(({ payload }) => payload.data ?? []);
  const labels = () =>
    changes().map(({ type, record, old_record }) => `${type} ${record.label ?? old_record?.id}`);
  await expect.poll(() => told().length).toBe(1);
  return {
    ...socket,
    changes,
    labels: () => labels().filter((label) => !heardBefore.has(label)),
    /** The `system` messages that carry cursors. */
    told: () => told().map(({ payload }) => payload),
    cursor: () => frames().reduce((last, { payload }) => payload.data?.cursor ?? payload.cursor ?? last, ''),
    leave: async () => {
      for (const label of labels()) heardBefore.add(label);
      socket.ws.close();
      await socket.closed;
    },
  };
}

describe('a client that was away', () => {
  test('gets what it missed once and in order, from any process, and then new changes', async () => {
    const before = await away('');
    expect(before.told()).toMatchObject([{ message: expect.stringMatching(/^from now on/), resync: false }]);
    await db("insert into public.things (id, user_id, label) values (900, $1, 'seen')", [ANNA]);
    await expect.poll(before.labels).toEqual(['INSERT seen']);
    await before.leave();
    await db(INSERT, [ANNA, 'missed 1']);
    await db(INSERT, [BORIS, 'of another']);
    await db('delete from public.things where id = 900');
    await db("with a as (insert into public.things (user_id, label) values ($1, 'missed 2')) select", [ANNA]);
    const after = await away(before.cursor(), { at: second });
    const missed = ['INSERT missed 1', 'DELETE 900', 'INSERT missed 2'];
    expect(after.labels()).toEqual(missed);
    await db(INSERT, [ANNA, 'live']);
    await expect.poll(after.labels).toEqual([...missed, 'INSERT live']);
    await after.leave();
    const last = await away(after.cursor());
    expect(last.labels()).toEqual([]);
    expect(last.told()).toMatchObject([{ message: 'resumed' }]);
    await last.leave();
  });

  test('gets the change of a transaction that began before its cursor and ended after it', async () => {
    const slow = new pg.Client({ connectionString: app.databaseUrl });
    await slow.connect();
    try {
      const before = await away('');
      await slow.query('begin');
      await slow.query(INSERT, [ANNA, 'slow']);
      await db(INSERT, [ANNA, 'quick']);
      await expect.poll(before.labels).toEqual(['INSERT quick']);
      await before.leave();
      await slow.query('commit');
      const after = await away(before.cursor());
      expect(after.labels()).toEqual(['INSERT slow']);
      await after.leave();
    } finally {
      await slow.end();
    }
  });

  test('gets nothing of others, whoever made the cursor, and only what its filter allows', async () => {
    const before = await away('');
    await before.leave();
    await db(INSERT, [ANNA, 'private']);
    await db(INSERT, [ANNA, 'wanted']);
    await db('delete from public.things where user_id = $1', [ANNA]);
    await db(INSERT, [ANNA, 'wanted']);
    const boris = await away(before.cursor(), { sub: BORIS });
    expect(boris.labels().filter((label) => label !== 'INSERT of another')).toEqual([]);
    const anna = await away(before.cursor(), { filter: { event: 'INSERT', filter: 'label=eq.wanted' } });
    expect(anna.labels()).toEqual(['INSERT wanted']);
    await Promise.all([boris.leave(), anna.leave()]);
  });

  test('whose token comes after the join then gets what it missed', async () => {
    const before = await away('');
    await before.leave();
    await db(INSERT, [ANNA, 'missed']);
    const late = await away(before.cursor(), { token: false });
    expect(late.labels()).toEqual([]);
    expect(late.cursor()).toBe(before.cursor());
    late.say('1', '2', 'realtime:away', 'access_token', { access_token: await tokenOf(ANNA) });
    await expect.poll(late.labels).toContain('INSERT missed');
    await late.leave();
  });

  test.each([
    ['no cursor at all', () => 'yesterday'],
    ['one of another database', () => '0123456789ab.1.0.0'],
    ['one with foreign characters', () => "1' or '1'='1"],
  ])('with %s is asked to read again, and is live from there', async (name, since) => {
    const client = await away(since());
    expect(client.told()).toMatchObject([{ resync: true, message: expect.stringMatching(/^resync/) }]);
    await db(INSERT, [ANNA, `live with ${name}`]);
    await expect.poll(client.labels).toEqual([`INSERT live with ${name}`]);
    await client.leave();
    expect((await away(client.cursor())).told()).toMatchObject([{ resync: false }]);
  });
});

test('the published client resumes with `since` in its filter, and gets its cursor after each change', async () => {
  const client = await clientOf(ANNA);
  const first = client.channel('first');
  const cursors: string[] = [];
  const keep = (payload: unknown) => {
    const { cursor } = payload as { cursor?: string };
    if (cursor !== undefined) cursors.push(cursor);
  };
  const open = { event: '*', schema: 'public', table: 'things' };
  first.on('postgres_changes' as never, { ...open, since: '' } as never, () => {}).on('system', {}, keep);
  await subscribed(first);
  await expect.poll(() => cursors.length).toBe(1);
  await db(INSERT, [ANNA, 'heard by the client']);
  await expect.poll(() => cursors.at(-1)).not.toBe(cursors[0]);
  await client.removeChannel(first);
  await db(INSERT, [ANNA, 'missed by the client']);
  const changes = heard<Payload>();
  const filter = { ...open, since: cursors.at(-1) };
  await subscribed(
    client.channel('again').on('postgres_changes' as never, filter as never, changes.push as never),
  );
  await expect.poll(() => changes.list.map((one) => one.new.label)).toContain('missed by the client');
});

test('a token that is renewed while changes are on their way loses none', async () => {
  const client = await away('');
  await db(
    "insert into public.things (user_id, label) select $1, 'bulk ' || n from generate_series(1, 3000) n",
    [ANNA],
  );
  const renew = async () =>
    client.say('1', null, 'realtime:away', 'access_token', { access_token: await tokenOf(ANNA) });
  await renew();
  await expect.poll(() => client.changes().length).toBeGreaterThan(0);
  await renew();
  await expect.poll(() => new Set(client.labels()).size).toBe(3000);
  await client.leave();
});

// Comes last, because every later client would miss its thousands of changes.
test('a client that was away too long, for more changes than are kept or than it may miss, is asked to read again', async () => {
  const before = await away('');
  await before.leave();
  await db("insert into public.things (user_id, label) select $1, 'many' from generate_series(1, 5001)", [
    BORIS,
  ]);
  expect((await away(before.cursor())).told()).toMatchObject([{ resync: true }]);
  const still = await away('');
  await still.leave();
  await db(INSERT, [ANNA, 'old']);
  await db("update realtime.changes set at = now() - interval '2 hours'");
  await sweepChangeLog(app.resources.database);
  const swept = await away(still.cursor());
  expect(swept.told()).toMatchObject([{ resync: true }]);
  expect(swept.labels()).toEqual([]);
  await swept.leave();
});
