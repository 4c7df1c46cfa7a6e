import { expect, test } from 'vitest';
import { SUPPORTS_SINGLE_WRITE } from './single-write-reply.ts';

test('the private field of Node by which a page is sent in one write is there', () => {
  // Red after a change of Node: pages then go the documented way, and `bench static` shows what that costs.
  expect(SUPPORTS_SINGLE_WRITE).toBe(true);
});
