import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { createLog } from '../log/log.ts';
import { createDatabase, type Database, type Queries } from './database.ts';
import { NotificationListener, retryDelay } from './notification-listener.ts';

let app: TestApp;
let database: Database;
/** A connection outside of the pools, which cuts off theirs. */
let onlooker: pg.Client;
const log = createLog('silent');

beforeAll(async () => {
  app = await startTestApp();
  database = app.resources.database;
  onlooker = new pg.Client({ connectionString: app.databaseUrl });
  await onlooker.connect();
});
afterAll(async () => {
  await onlooker?.end();
  await app?.close();
});

const listening = async (): Promise<number[]> => {
  const { rows } = await onlooker.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'northline listen' and datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
};
const end = (pid: number) => onlooker.query('select pg_terminate_backend($1)', [pid]);
const gone = (pid: number) =>
  expect
    .poll(async () => (await onlooker.query('select from pg_stat_activity where pid = $1', [pid])).rowCount)
    .toBe(0);
const pidOf = async (queries: Queries) => (await queries.one('select pg_backend_pid() as pid')).pid;
const unavailable = { status: 503, code: 'database_unavailable' };

describe('a connection that breaks while it is used', () => {
  test('between two statements ends its transaction with the 503, and the pool goes on', async () => {
    const work = database.transaction(async (queries) => {
      const pid = await pidOf(queries);
      await end(pid);
      await gone(pid);
      return queries.one('select 1 as ok');
    });
    await expect(work).rejects.toMatchObject(unavailable);
    expect(await database.one('select 1 as ok')).toEqual({ ok: 1 });
  });

  test('before the commit ends it with the 503: nothing is reported as done that is not', async () => {
    const work = database.transaction(async (queries) => {
      const pid = await pidOf(queries);
      await end(pid);
      await gone(pid);
      return 'done';
    });
    await expect(work).rejects.toMatchObject(unavailable);
  });

  test('an error of the work itself stays what it is, and its broken connection is not used again', async () => {
    const work = database.transaction(async (queries) => {
      const pid = await pidOf(queries);
      await end(pid);
      await gone(pid);
      throw new Error('the work went wrong');
    });
    await expect(work).rejects.toThrow('the work went wrong');
    expect(await database.one('select 1 as ok')).toEqual({ ok: 1 });
  });
});

test('of two transactions that wait for each other, one ends with the 503, and the other goes on', async () => {
  const holding = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const work = [0, 1].map((first) =>
    database.transaction(async (queries) => {
      await queries.many('select pg_advisory_xact_lock($1)', [first]);
      holding[first === 0 ? 0 : 1].resolve();
      await Promise.all(holding.map(({ promise }) => promise));
      await queries.many('select pg_advisory_xact_lock($1)', [1 - first]);
    }),
  );
  const outcomes = await Promise.allSettled(work);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: unavailable });
});

describe('the listening connection', () => {
  test('is one for the whole process', async () => {
    expect(await listening()).toHaveLength(1);
  });

  test('is opened again once, calls every `resumed` once and delivers each notification once', async () => {
    const told: string[] = [];
    const stops = await Promise.all(
      ['one', 'one', 'two'].map((channel, at) =>
        database.listen(
          channel,
          (payload) => told.push(`${at} heard ${payload}`),
          () => told.push(`${at} resumed`),
        ),
      ),
    );
    const [pid = 0] = await listening();
    await end(pid);
    await expect.poll(() => told.length).toBe(3);
    await onlooker.query("select pg_notify('one', 'x'), pg_notify('two', 'y')");
    await expect.poll(() => told.length).toBe(6);
    expect(told.toSorted()).toEqual([
      '0 heard x',
      '0 resumed',
      '1 heard x',
      '1 resumed',
      '2 heard y',
      '2 resumed',
    ]);
    expect(await listening()).toHaveLength(1);
    await Promise.all(stops.map((stop) => stop()));
  });

  test('when one of two listeners on a channel stops, the other continues; the last one ends the listening', async () => {
    const told: string[] = [];
    const [first, second] = await Promise.all(
      ['first', 'second'].map((name) =>
        database.listen('shared', (payload) => told.push(`${name} ${payload}`)),
      ),
    );
    const fence = await database.listen('fence', (payload) => told.push(payload));
    await first?.();
    await onlooker.query("select pg_notify('shared', 'a'), pg_notify('fence', 'after a')");
    await expect.poll(() => told).toContain('after a');
    await second?.();
    await onlooker.query("select pg_notify('shared', 'b'), pg_notify('fence', 'after b')");
    await expect.poll(() => told).toContain('after b');
    await fence();
    expect(told).toEqual(['second a', 'after a', 'after b']);
  });

  test('a listener that throws does not keep the others from being called', async () => {
    const told: string[] = [];
    const stops = [
      await database.listen('careless', () => {
        throw new Error('a fault');
      }),
      await database.listen('careless', (payload) => told.push(payload)),
    ];
    await onlooker.query("select pg_notify('careless', 'x')");
    await expect.poll(() => told).toEqual(['x']);
    await Promise.all(stops.map((stop) => stop()));
  });

  test('a first connection that fails is an error, and is not retried', async () => {
    const nowhere = { host: '127.0.0.1', port: 1 };
    const listener = new NotificationListener(nowhere, log);
    await expect(listener.listen('any', () => {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await listener.close();
    const broken = createDatabase({ owner: nowhere, api: nowhere, poolSize: 1, log });
    await expect(broken.one('select 1 as ok')).rejects.toMatchObject(unavailable);
    await broken.close();
  });

  test('waits longer after each failure, up to a ceiling, and never the same for everybody', () => {
    const longest = Array.from({ length: 12 }, (_, failures) => retryDelay(failures, 1));
    const shortest = Array.from({ length: 12 }, (_, failures) => retryDelay(failures, 0));
    expect(longest.slice(0, 7)).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
    expect(Math.max(...longest)).toBe(10_000);
    expect(shortest).toEqual(longest.map((delay) => delay / 2));
  });
});
