import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { CallerShares } from './caller-share.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.resources.database.run(
    uncheckedSql(
      `
    create table public.notes (id int, body text);
    grant all on public.notes to anon, authenticated, service_role;
    create function public.wait() returns int language sql volatile as 'select 1 from pg_sleep(60)';
    grant execute on function public.wait() to anon`,
      'composed',
    ),
  );
});
afterAll(() => app?.close());

function post(body: string, headers: Record<string, string>) {
  return fetch(`${app.url}/rest/v1/notes`, { method: 'POST', headers, body });
}

describe('before a body is read', () => {
  const MANY_LINES = 'a\n'.repeat(600_000);

  test('its sender has to show a key', async () => {
    const reply = await post(MANY_LINES, { 'content-type': 'text/csv' });
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([401, 'PGRST302']);
  });

  test('without a session it has to be at most 1 MB, also when it comes in chunks', async () => {
    const headers = { apikey: app.anonKey, 'content-type': 'text/csv' };
    expect((await post(MANY_LINES, headers)).status).toBe(413);
    const body = new ReadableStream({
      start(controller) {
        for (let count = 0; count < 12; count += 1) controller.enqueue(Buffer.alloc(100_000, 'a\n'));
        controller.close();
      },
    });
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    expect((await fetch(`${app.url}/rest/v1/notes`, init)).status).toBe(413);
    const allowed = await post(MANY_LINES, { ...headers, apikey: app.serviceKey });
    expect(allowed.status).toBe(400);
  });

  test('rows with more keys than a table can have are refused', async () => {
    const headers = { apikey: app.serviceKey, 'content-type': 'application/json' };
    const row = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, n]));
    for (const body of [JSON.stringify(row), JSON.stringify([row])]) {
      expect((await post(body, headers)).status).toBe(400);
    }
    const form = new URLSearchParams(row as never).toString();
    const asForm = { apikey: app.serviceKey, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post(form, asForm)).status).toBe(400);
  });
});

describe('statements', () => {
  test('may contain only a few regular expressions in one request', async () => {
    const filters = (count: number) =>
      `or=(${Array.from({ length: count }, () => 'body.match."(.?){255}z"').join(',')})`;
    const get = (query: string) =>
      fetch(`${app.url}/rest/v1/notes?${query}`, { headers: { apikey: app.anonKey } });
    expect((await get(filters(10))).status).toBe(200);
    const refused = await get(filters(11));
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'PGRST100']);
    expect((await get('body=imatch.a&body=match.b')).status).toBe(200);
  });

  test.each([
    ['alone', {}],
    ['with a preference', { prefer: 'timezone=Europe/Berlin' }],
  ])('of a visitor end soon, %s, and that is not the server’s fault', async (_name, headers) => {
    const reply = await fetch(`${app.url}/rest/v1/rpc/wait`, {
      method: 'POST',
      headers: { apikey: app.anonKey, 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([504, '57014']);
  });
});

describe('the share of a caller', () => {
  const visitor = { role: 'anon', userId: undefined, claims: {} } as const;
  const user = (userId: string) => ({ role: 'authenticated', userId, claims: {} }) as const;

  /** Starts work that lasts until the test ends it; returns how many pieces run. */
  function load(shares: CallerShares) {
    const end = Promise.withResolvers<void>();
    let running = 0;
    const start = (caller: Parameters<CallerShares['run']>[0], address: string) =>
      shares.run(caller, address, async () => {
        running += 1;
        await end.promise;
      });
    return { start, end: () => end.resolve(), running: () => running };
  }

  test('is a third of the pool for a user', async () => {
    const shares = new CallerShares(12);
    const { start, end, running } = load(shares);
    const work = Array.from({ length: 9 }, () => start(user('anna'), '1.1.1.1'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(running()).toBe(4);
    work.push(start(user('boris'), '1.1.1.1'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(running()).toBe(4 + 1);
    end();
    await Promise.all(work);
    expect(running()).toBe(10);
  });

  test('is one for a whole IPv6 network, and too many waiting are refused', async () => {
    const shares = new CallerShares(12);
    const { start, end, running } = load(shares);
    const work = Array.from({ length: 104 }, (_, n) => start(visitor, `2001:db8::${n.toString(16)}`));
    await new Promise((resolve) => setImmediate(resolve));
    expect(running()).toBe(4);
    await expect(start(visitor, '2001:db8::1')).rejects.toMatchObject({ status: 429 });
    end();
    await Promise.all(work);
  });
});

test('an address without a session may send 2,000 requests at once, and the server’s key any number', async () => {
  // Limits keep the clock with which they were created. This one stands still, so no token comes back.
  vi.useFakeTimers({ toFake: ['Date'] });
  const limited = await startTestApp({ beside: app, settings: { RATE_LIMITS: 'on' } }).finally(() =>
    vi.useRealTimers(),
  );
  onTestFinished(() => limited.close());
  const ask = async (apikey: string): Promise<number> => {
    const reply = await fetch(`${limited.url}/rest/v1/rpc/none`, { method: 'PUT', headers: { apikey } });
    await reply.arrayBuffer();
    return reply.status;
  };
  const statuses: number[] = [];
  while (statuses.length < 2000)
    statuses.push(...(await Promise.all(Array.from({ length: 50 }, () => ask(app.anonKey)))));
  expect(new Set(statuses)).toEqual(new Set([405]));
  expect(await ask(app.anonKey)).toBe(429);
  expect(await ask(app.serviceKey)).toBe(405);
});

describe('visitors together', () => {
  const visitor = { role: 'anon', userId: undefined, claims: {} } as const;
  const SLEEP = uncheckedSql<object>('select pg_sleep(60)', 'composed');

  test.each(['one after another', 'in a transaction'])(
    'have three seconds for a statement, %s',
    async (way) => {
      const { database } = app.resources;
      const work =
        way === 'in a transaction'
          ? database.asCaller(visitor, (queries) => queries.run(SLEEP))
          : database.statementAsCaller(visitor, { text: 'select pg_sleep(60)', values: [], readOnly: true });
      await expect(work).rejects.toMatchObject({ code: '57014' });
    },
  );

  test('have half of the connections, and checks of rights for realtime have others', async () => {
    const { database } = app.resources;
    const end = Promise.withResolvers<void>();
    let running = 0;
    const hold = (caller: Parameters<typeof database.asCaller>[0]) =>
      database.asCaller(caller, async () => {
        running += 1;
        await end.promise;
      });
    const visitors = Array.from({ length: 8 }, () => hold(visitor));
    const own = { role: 'service_role', userId: undefined, claims: {} } as const;
    await database.asCaller(own, (queries) => queries.run('select 1 as ok'));
    await expect.poll(() => database.poolState().callers.busy).toBe(2);
    await expect.poll(() => running).toBe(2);
    const others = [hold(own), hold(own)];
    await expect.poll(() => running).toBe(4);
    await database.realtime.asCaller(visitor, (queries) => queries.run('select 1 as ok'));
    end.resolve();
    await Promise.all([...visitors, ...others]);
    expect(running).toBe(10);
  });
});
