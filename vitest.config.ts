import path from 'node:path';
import { defineConfig } from 'vitest/config';

const EVERYTHING = ['src/**/*.test.{ts,tsx}', 'tests/**/*.test.ts', 'packages/**/*.test.ts'];

export default defineConfig({
  resolve: {
    alias: { '@northline/call': path.join(import.meta.dirname, 'packages/call/src/public.ts') },
  },
  test: {
    projects: [
      { extends: true, test: { name: 'all', include: EVERYTHING } },
      {
        extends: true,
        // The storage service once more, its bytes in a bucket instead of a folder.
        test: {
          name: 'storage on S3',
          include: ['src/features/storage/*.test.ts'],
          // Those need no store, or bring their own.
          exclude: ['**/{object-name,tus-protocol,scan-content,aborted-uploads,copy-store}.test.ts'],
          env: { TEST_STORAGE: 's3' },
        },
      },
    ],
    globalSetup: ['tests/support/start-test-database.ts'],
    pool: 'forks',
    // Each worker starts real servers; more of them than cores makes every one slower.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
