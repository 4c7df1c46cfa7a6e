import { expect, test } from 'vitest';
import { createHeavyQueue } from '../http/heavy-queue.ts';
import { nextSlice } from './event-loop-slices.ts';
import { FairQueue } from './fair-queue.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Starts work that lasts until the test ends it, and records the order in which pieces of work began. */
function occupy(queue: FairQueue) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const start = (caller: string) =>
    queue.run(caller, async () => {
      begun.push(caller);
      await new Promise<void>((resolve) => ends.push(resolve));
      return caller;
    });
  const endNext = async () => {
    ends.shift()?.();
    await soon();
  };
  return { begun, start, endNext };
}

test('the queue runs a few at a time, one for each caller, and callers take turns', async () => {
  const { begun, start, endNext } = occupy(createHeavyQueue(2));
  const work = ['anna', 'anna', 'anna', 'boris', 'boris', 'clara'].map(start);
  await soon();
  expect(begun).toEqual(['anna', 'boris']);
  for (let ended = 0; ended < 6; ended += 1) await endNext();
  expect(begun).toEqual(['anna', 'boris', 'clara', 'anna', 'boris', 'anna']);
  expect(await Promise.all(work)).toEqual(['anna', 'anna', 'anna', 'boris', 'boris', 'clara']);
});

test('a single caller runs one at a time, however many places there are', async () => {
  const { begun, start, endNext } = occupy(createHeavyQueue(4));
  const work = [start('anna'), start('anna')];
  await soon();
  expect(begun).toEqual(['anna']);
  await endNext();
  expect(begun).toEqual(['anna', 'anna']);
  await endNext();
  await Promise.all(work);
});

test('failed work gives its place back, and too many waiting requests are refused with a sentence', async () => {
  const queue = createHeavyQueue(1);
  const broken = queue.run('anna', async () => {
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  const { start, endNext } = occupy(queue);
  const work = Array.from({ length: 101 }, () => start('anna'));
  await expect(start('anna')).rejects.toMatchObject({
    status: 429,
    code: 'over_request_rate_limit',
    message: 'Too many requests at a time: wait for the replies to earlier ones.',
  });
  work.push(start('boris'));
  for (let ended = 0; ended < 102; ended += 1) await endNext();
  expect(await Promise.all(work)).toHaveLength(102);
});

test('tasks of one key run in order, also after a failure', async () => {
  const queue = new FairQueue({ places: 1 });
  const order: number[] = [];
  const work = [1, 2, 3].map((n) =>
    queue.run('all', async () => {
      order.push(n);
      if (n === 2) throw new Error('failed');
    }),
  );
  await Promise.allSettled(work);
  expect(order).toEqual([1, 2, 3]);
  expect(queue.waiting('all')).toBe(0);
});

test('an urgent key goes first, and no key has more places than its rule allows', async () => {
  const queue = new FairQueue<'first' | 'late'>({
    places: 2,
    each: (key) => (key === 'late' ? 1 : 2),
    priorities: ['first', 'late'],
  });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const start = (key: 'first' | 'late') =>
    queue.run(key, () => {
      begun.push(key);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const work = [start('late'), start('late'), start('first'), start('first')];
  await soon();
  expect([begun, queue.held('late'), queue.waiting('first')]).toEqual([['late', 'first'], 2, 1]);
  ends.shift()?.();
  await soon();
  expect(begun).toEqual(['late', 'first', 'first']);
  for (let ended = 0; ended < 3; ended += 1) {
    ends.shift()?.();
    await soon();
  }
  await Promise.all(work);
  expect(begun).toEqual(['late', 'first', 'first', 'late']);
});

test('waiting slices run in order, each in its own round of the event loop', async () => {
  const order: number[] = [];
  const slices = Array.from({ length: 20 }, async (_, n) => {
    await nextSlice();
    order.push(n);
  });
  let rounds = 0;
  for (; order.length < 20; rounds += 1) await soon();
  expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(rounds).toBeGreaterThanOrEqual(10);
  await Promise.all(slices);
});
