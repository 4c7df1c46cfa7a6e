import { expect, test } from 'vitest';
import { storm } from './run.ts';

const [TABS, ROUNDS] = [6, 10];

test(`attack 1: ${TABS} tabs refresh one session ${ROUNDS} times while processes are killed, and only ended sessions end`, {
  timeout: 180_000,
}, async () => {
  const { faults, ...done } = await storm({ tabs: TABS, rounds: ROUNDS });
  expect(faults).toEqual([]);
  expect(done.refreshes).toBeGreaterThanOrEqual(ROUNDS);
  expect(done.ended).toBe(ROUNDS);
});
