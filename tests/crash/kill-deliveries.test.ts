import { expect, test } from 'vitest';
import { killDeliveries } from './kill-deliveries.ts';

test('no event is lost between the commit and its delivery, and repeats can be told', async () => {
  const { acknowledged, lost, refused, doubled } = await killDeliveries(4);
  expect({ lost, refused, doubled }).toEqual({ lost: [], refused: 0, doubled: [] });
  expect(acknowledged).toBeGreaterThanOrEqual(4);
}, 240_000);
