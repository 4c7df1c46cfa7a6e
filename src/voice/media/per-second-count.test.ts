import { expect, test } from 'vitest';
import { SecondCount } from './per-second-count.server.ts';

test('what comes within a second is added up, and the next begins anew', () => {
  const count = new SecondCount();
  expect([count.add(3, 5000), count.add(4, 5999), count.add(1, 6000), count.add(2, 9000)]).toEqual([
    3, 7, 1, 2,
  ]);
});
