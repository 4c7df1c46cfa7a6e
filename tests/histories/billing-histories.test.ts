import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { openWorld, type World } from './open-world.ts';
import { runHistories } from './run-histories.ts';

let app: TestApp;
let world: World;
beforeAll(async () => {
  // Only its database is used: a real process would work through the jobs in its own order.
  app = await startTestApp();
  world = await openWorld(app.resources.database, app.resources.settings, app.resources.keys);
});
afterAll(async () => {
  await world.close();
  await app.close();
});

test('after any history, with webhooks lost, doubled and out of order and processes killed, our state is the provider’s and every credit is explained', async () => {
  const [count, seed] = [12, 1];
  const { histories, kills, faults } = await runHistories(world, { count, seed, parallel: 4 });
  expect(faults).toEqual([]);
  expect(histories).toBe(count);
  expect(kills).toBeGreaterThan(0);
});

test('a stopped run finishes its current histories; the remaining seeds follow', async () => {
  const seed = 1000;
  const stop = new AbortController();
  const { histories, faults } = await runHistories(world, {
    ...{ count: 1000, seed, parallel: 2, signal: stop.signal },
    told: () => stop.abort(),
  });
  expect(faults).toEqual([]);
  // The history that ended first, and the one beside it.
  expect(histories).toBe(2);
});
