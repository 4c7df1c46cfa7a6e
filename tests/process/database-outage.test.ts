import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countLeaked, countListeners, type OutageWorld, WORLDS } from '../outages/outage-world.ts';
import {
  type Customer,
  createCustomer,
  openSubscriber,
  type Subscriber,
  watchProbes,
} from '../outages/watch-product.ts';

const SLOW = 180_000 * Number(process.env.TEST_PATIENCE ?? 1);
/** Waits are long enough for a busy machine. */
const PATIENT = { timeout: SLOW / 3 };
const OUTAGE_MS = 1000;

describe.each(WORLDS)('$name', ({ open }) => {
  describe.skipIf(open === undefined)('goes away and comes back', () => {
    let world: OutageWorld;
    let customer: Customer;
    const pages: Subscriber[] = [];

    beforeAll(async () => {
      world = await (open as NonNullable<typeof open>)();
      customer = await createCustomer(world, 'owner');
      for (const name of ['first', 'second']) pages.push(await openSubscriber(world, customer, name));
    }, SLOW);
    afterAll(async () => {
      await Promise.all(pages.map((page) => page.close()));
      await world?.close();
    }, SLOW);

    /** Spends credits, each after the former one has reached every page; returns what the pages received. */
    async function spendAndListen(...descriptions: string[]): Promise<string[][]> {
      const before = pages.map(({ told }) => told.length);
      for (const description of descriptions) {
        await customer.spend(description);
        for (const page of pages) await expect.poll(() => page.told, PATIENT).toContain(description);
      }
      return pages.map(({ told }, at) => told.slice(before[at]));
    }

    test('after an outage of a second everything is as before, and each change arrives once', {
      timeout: SLOW,
    }, async () => {
      expect(await spendAndListen('a', 'b')).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
      for (const page of pages) {
        await expect
          .poll(() => Object.keys(page.presence() as object).sort(), PATIENT)
          .toEqual(['first', 'second']);
      }
      const before = {
        listeners: await countListeners(world),
        presence: pages.map((page) => page.presence()),
        movements: pages.map(({ movements }) => [...movements]),
        joined: pages.map((page) => page.joined()),
      };
      const probes = watchProbes(world.url);
      await expect.poll(probes.readiness, PATIENT).toBe(200);

      await world.stopDatabase();
      await expect.poll(probes.readiness, PATIENT).toBe(503);
      await pause(OUTAGE_MS);
      await world.startDatabase();

      await expect.poll(probes.readiness, PATIENT).toBe(200);
      for (const [at, page] of pages.entries()) {
        await expect.poll(page.joined, PATIENT).toBeGreaterThan(before.joined[at] ?? 0);
      }
      expect(await spendAndListen('c', 'd', 'e')).toEqual([
        ['c', 'd', 'e'],
        ['c', 'd', 'e'],
      ]);
      await expect.poll(() => countListeners(world), PATIENT).toBe(before.listeners);
      // PostgreSQL lists a connection that was ended until its process has gone.
      await expect.poll(() => countLeaked(world), PATIENT).toBe(0);
      expect(pages.map((page) => page.presence())).toEqual(before.presence);
      expect(pages.map(({ movements }) => movements)).toEqual(before.movements);
      await probes.stop();
      expect(probes.failures).toEqual([]);
    });

    test('a request whose connection is ended is answered with 503', { timeout: SLOW }, async () => {
      const blocker = await world.connect();
      await blocker.query('begin; lock table public.user_files in access exclusive mode');
      // Not with the client library, which would retry by itself.
      const read = () =>
        fetch(`${world.url}/rest/v1/user_files?select=id`, {
          headers: { apikey: world.anonKey, authorization: `Bearer ${customer.token}` },
        });
      const answer = read();
      const blocked = `select pid from pg_stat_activity
        where application_name = 'northline api' and wait_event_type = 'Lock'`;
      await expect.poll(() => world.ask(blocked), PATIENT).toHaveLength(1);
      await world.ask(`select pg_terminate_backend(pid) from (${blocked}) as waiting`);
      const refused = await answer;
      await blocker.end();
      expect({ status: refused.status, body: await refused.json() }).toMatchObject({
        status: 503,
        body: { code: 'database_unavailable' },
      });
      expect((await read()).status).toBe(200);
    });

    test('connections that are ended at random under load end only their own work', {
      timeout: SLOW,
    }, async () => {
      let busy = true;
      const statuses = new Set<number>();
      const loads = Array.from({ length: 6 }, async (_, at) => {
        while (busy) {
          const asked =
            at % 2 === 0
              ? customer.client.rpc('use_credits', {
                  p_user_id: customer.id,
                  p_amount: 1,
                  p_description: 'load',
                })
              : customer.client.from('user_files').select('id');
          statuses.add((await asked).status);
        }
      });
      for (let kill = 0; kill < 30; kill += 1) {
        await world.ask(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name in ('northline', 'northline api', 'northline jobs', 'northline listen')`,
        );
        await pause((kill * 7) % 20);
      }
      busy = false;
      await Promise.all(loads);
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect((await fetch(`${world.url}/livez`)).status).toBe(200);
      await expect.poll(() => countListeners(world), PATIENT).toBe(1);
      await expect.poll(() => countLeaked(world), PATIENT).toBe(0);
    });
  });
});
