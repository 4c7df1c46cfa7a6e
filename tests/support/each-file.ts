import fc from 'fast-check';
import { afterAll } from 'vitest';
import { openThings } from './open-things.ts';

// Loaded before every test file: `npm test` tries the same inputs each time, `npm run soak` others, with the
// seed that it prints.
fc.configureGlobal({ seed: Number(process.env.SOAK_SEED ?? 42) });

// If a test failed before it closed its product, the product must not stay open for the next file.
afterAll(async () => {
  for (const thing of [...openThings()].reverse()) await thing.close();
});
