import { expect, test } from 'vitest';
import { crashRun } from './run.ts';

const KILLS = 6;

test(`after ${KILLS} kills at random moments no credit, file, payment or report is lost or doubled`, async () => {
  const { faults, ...done } = await crashRun(KILLS);
  expect(faults).toEqual([]);
  expect(done.payments).toBeGreaterThan(0);
  expect(done.files + done.deleted).toBeGreaterThan(0);
}, 240_000);
