import { expect, test } from 'vitest';
import { SUPPORTS_SINGLE_WRITE } from './single-write-reply.ts';

test('the private field of Node by which a page is sent in one write is there', () => {
  // Fails when Node has changed. Pages then take the documented way; `bench static` shows what that costs.
  expect(SUPPORTS_SINGLE_WRITE).toBe(true);
});
