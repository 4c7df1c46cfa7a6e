import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { illustrativeStatistics, SMALLEST_SAMPLE, type Statistics } from './statistics.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function ask(of: TestApp = app): Promise<Statistics> {
  const { data, error } = await createClient(of.url, of.anonKey).functions.invoke('statistics', {
    method: 'GET',
  });
  expect(error).toBeNull();
  return data;
}

const insertOutcomes = (of: TestApp, count: number) =>
  of.resources.database.run(
    `insert into private.analysis_outcomes (made_report, seconds)
     select number % 4 <> 0, number from generate_series(1, $1::int) number`,
    [count],
  );

test('below the smallest sample there is no figure, and the reply says so', async () => {
  await insertOutcomes(app, SMALLEST_SAMPLE - 1);
  expect(await ask()).toMatchObject({
    basis: 'illustrative',
    sample: SMALLEST_SAMPLE - 1,
    median_analysis_seconds: null,
    uptime_share: null,
  });
});

test('with enough analyses the figures are measured', async () => {
  const other = await startTestApp();
  try {
    await insertOutcomes(other, 40);
    expect(await ask(other)).toMatchObject({
      basis: 'measured',
      sample: 40,
      success_share: 0.75,
      documents_analysed: 30,
      median_analysis_seconds: 20,
    });
  } finally {
    await other.close();
  }
});

test('uptime is the share of minutes since the first recorded one', async () => {
  const other = await startTestApp();
  try {
    await insertOutcomes(other, SMALLEST_SAMPLE);
    await other.resources.database.run(
      `insert into private.running_minutes (minute)
       select date_trunc('minute', now()) - make_interval(mins => number)
       from generate_series(0, 99) number where number % 2 = 1 on conflict do nothing`,
    );
    const { uptime_share, uptime_days } = await ask(other);
    expect(uptime_share).toBeGreaterThanOrEqual(0.5);
    expect(uptime_share).toBeLessThanOrEqual(0.52);
    for (const { share } of uptime_days) {
      expect(share).toBeGreaterThan(0.4);
      expect(share).toBeLessThan(0.6);
    }
  } finally {
    await other.close();
  }
});

test('each day since the first start has its share, and a day without the service has none', async () => {
  claims(
    'The share of each day in which the service ran, since its first start and for 30 days at most.',
    'It ran all the time.',
    'Days with gaps: ….',
  );
  const other = await startTestApp();
  try {
    await other.resources.database.run(
      `insert into private.running_minutes (minute)
       select date_trunc('day', now(), 'UTC') - interval '3 days' + make_interval(mins => number)
       from generate_series(0, 1439) number on conflict do nothing`,
    );
    const { basis, uptime_days } = await ask(other);
    expect(basis).toBe('illustrative');
    const days = [3, 2, 1, 0].map((ago) =>
      new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
    );
    expect(uptime_days.map(({ day }) => day)).toEqual(days);
    expect(uptime_days.slice(0, 3).map(({ share }) => share)).toEqual([1, 0, 0]);
  } finally {
    await other.close();
  }
});

test('the operator can choose illustrative figures', async () => {
  const other = await startTestApp({ settings: { STATISTICS: 'illustrative' } });
  try {
    await insertOutcomes(other, SMALLEST_SAMPLE);
    expect(await ask(other)).toMatchObject({ basis: 'illustrative' });
  } finally {
    await other.close();
  }
});

test('the specified formula stays in its ranges', () => {
  for (const number of [0, 0.5, 0.999]) {
    const { processing, accuracy, costReduction, uptime } = illustrativeStatistics(() => number);
    expect(Math.abs(processing - 85)).toBeLessThanOrEqual(5);
    expect(Math.abs(accuracy - 95)).toBeLessThanOrEqual(3);
    expect(Math.abs(costReduction - 60)).toBeLessThanOrEqual(8);
    expect(uptime).toBeGreaterThan(99.7);
    expect(uptime).toBeLessThanOrEqual(99.9);
  }
});
