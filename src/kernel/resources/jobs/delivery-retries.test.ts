import { expect, test } from 'vitest';
import type { Database, Queries } from '../database/database.ts';
import { createLog } from '../log/log.ts';
import { OutboundBlocked } from '../outbound-http/outbound-http.ts';
import { defineDelivery, judgeReply, type Outcome } from './delivery-retries.ts';
import type { JobOptions, Jobs } from './jobs.ts';

/** A queue and a clock that a test turns: it runs the planned jobs one after the other. */
function turnedQueue(outcomes: readonly Outcome[]) {
  const planned: { data: object; options: JobOptions }[] = [];
  const ends: string[] = [];
  let work = async (_data: object): Promise<void> => {};
  const jobs = {
    define: (_name: string, _policy: object, run: (job: { data: object }) => Promise<void>) => {
      work = (data) => run({ data });
    },
    add: async (_queries: Queries, _name: string, data: object, options: JobOptions) => {
      planned.push({ data, options });
    },
  } as unknown as Jobs;
  const queries = { one: async (_sql: string, [seconds]: [number]) => ({ due: new Date(seconds * 1000) }) };
  const database = {
    transaction: (steps: (queries: object) => Promise<unknown>) => steps(queries),
  } as unknown as Database;
  let made = 0;
  const delivery = defineDelivery(
    { database, jobs, log: createLog('silent') },
    {
      queues: { parcels: 1 },
      async attempt() {
        const outcome = outcomes[made] ?? 'again';
        made += 1;
        return {
          outcome,
          askedSeconds: made === 1 ? 9999 : 0,
          async settle(_queries, due) {
            ends.push(due === undefined ? `${outcome}, the last` : outcome);
          },
        };
      },
    },
  );
  const run = async (): Promise<number[]> => {
    await delivery.add(queries as unknown as Queries, { id: 'parcel', group: 'owner' });
    const waits: number[] = [];
    for (let job = planned.shift(); job !== undefined; job = planned.shift()) {
      expect(job.options.group).toBe('owner');
      waits.push((job.options.after?.getTime() ?? 0) / 1000);
      await work(job.data);
    }
    return waits;
  };
  return { run, ends };
}

test('a receiver that is down is asked seven times, the last time hours later', async () => {
  const { run, ends } = turnedQueue([]);
  const [now, first, ...waits] = await run();
  // The receiver asked for more than an hour, and gets an hour.
  expect([now, first]).toEqual([0, 3600]);
  const documented = [30, 120, 600, 3600, 21_600];
  expect(waits).toHaveLength(documented.length);
  for (const [at, seconds] of documented.entries()) {
    expect(Math.abs((waits[at] ?? 0) - seconds)).toBeLessThanOrEqual(seconds * 0.2);
  }
  expect(ends.at(-1)).toBe('again, the last');
  expect(ends).toHaveLength(7);
});

test.each(['delivered', 'refused', 'gone'] as const)(
  'nothing follows an attempt that was %s',
  async (end) => {
    const { run, ends } = turnedQueue(['again', end]);
    await run();
    expect(ends).toEqual(['again', `${end}, the last`]);
  },
);

const reply = (status: number, headers = {}) => ({ status, headers, body: Buffer.of(), cut: false });
test.each([
  [reply(204), 'delivered'],
  [reply(302), 'refused'],
  [reply(404), 'refused'],
  [reply(408), 'again'],
  [reply(410), 'gone'],
  [reply(425), 'again'],
  [reply(429, { 'retry-after': '7' }), 'again'],
  [reply(503), 'again'],
  [new Error('no network'), 'again'],
  [new OutboundBlocked('a private address'), 'refused'],
] as const)('a reply is judged by its status: %j', (answer, outcome) => {
  expect(judgeReply(answer).outcome).toBe(outcome);
});
