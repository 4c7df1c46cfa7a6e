import { expect, test } from 'vitest';
import { SUPPORTS_SINGLE_WRITE } from './single-write-reply.ts';

test('Node still has the private field by which a page is sent in one write', () => {
  // Fails when Node has changed. Pages then take the documented way; `bench static` shows what that costs.
  expect(SUPPORTS_SINGLE_WRITE).toBe(true);
});
