import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { '@northline/call': path.join(import.meta.dirname, 'packages/call/src/public.ts') },
  },
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'tests/**/*.test.ts', 'packages/**/*.test.ts'],
    globalSetup: ['tests/support/start-test-database.ts'],
    pool: 'forks',
    // Each worker starts real servers; more of them than cores makes every one slower.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
