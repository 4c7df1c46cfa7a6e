import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { passStage, seededRandom, simulateP95 } from '../bench/scale/queue-simulation.ts';
import {
  type Costs,
  customersAt,
  demandOf,
  MOST_FEED,
  POINTS,
  planFor,
  waitOf,
} from '../bench/scale/scale-model.ts';
import { withTables } from '../bench/scale/scale-report.ts';

const ROOT = path.join(import.meta.dirname, '..');
const costs = JSON.parse(readFileSync(path.join(ROOT, 'bench/scale/costs.json'), 'utf8')) as Costs;

test('the tables of docs/scale.md are what the model makes of the stored costs', () => {
  const page = readFileSync(path.join(ROOT, 'docs/scale.md'), 'utf8');
  expect(withTables(page, costs)).toBe(page);
});

test('a queue waits as queueing theory says', () => {
  // M/M/1 at 70 %: the time in the system is exponential with 1 / (service rate - arrival rate).
  const kinds = [{ perSecond: 70, loop: 10, database: 0 }];
  const p95 = simulateP95(kinds, { processes: 1, databaseCores: 1 }, { seed: 1, requests: 200_000 });
  const theory = (-Math.log(0.05) / (100 - 70)) * 1000;
  expect(p95 / theory).toBeGreaterThan(0.9);
  expect(p95 / theory).toBeLessThan(1.1);
  expect(simulateP95(kinds, { processes: 2, databaseCores: 1 }, { seed: 1, requests: 200_000 })).toBeLessThan(
    p95 / 1.5,
  );
});

test('a stage serves in order of arrival, with as many servers as it has', () => {
  const visits = [
    { at: 5, service: 10 },
    { at: 0, service: 10 },
    { at: 1, service: 10 },
  ];
  expect(passStage(visits, 1)).toEqual([30, 10, 20]);
  expect(passStage(visits, 2)).toEqual([20, 10, 11]);
  const [one, two] = [seededRandom(7), seededRandom(7)];
  expect([one(), one()]).toEqual([two(), two()]);
});

test('more customers never need fewer machines, and a plan stays below every limit', () => {
  let before = { processes: 0, databaseCores: 0, helperCores: 0 };
  for (let customers = 1000; customers < 1e7; customers *= 1.7) {
    const demand = demandOf(costs, customers);
    const plan = planFor(demand);
    for (const kind of ['processes', 'databaseCores', 'helperCores'] as const)
      expect(plan[kind]).toBeGreaterThanOrEqual(before[kind]);
    if (demand.feed > MOST_FEED) expect(waitOf(costs, demand, plan)).toBeUndefined();
    else expect(demand.loops / plan.processes + demand.feed).toBeLessThanOrEqual(0.6);
    before = plan;
  }
});

test('each limit is reached above its number of customers and not far below', () => {
  for (const point of POINTS) {
    const customers = customersAt(costs, point);
    expect(Number.isFinite(customers), point.name).toBe(true);
    expect(point.hurts(demandOf(costs, customers * 1.1)), point.name).toBe(true);
    expect(point.hurts(demandOf(costs, customers / 1.1)), point.name).toBe(false);
  }
});
