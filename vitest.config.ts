import os from 'node:os';
import path from 'node:path';
import {
  defineConfig,
  type TestProjectConfiguration,
  type TestProjectInlineConfiguration,
} from 'vitest/config';
import { installedPostgres } from './scripts/checks/second-postgres.ts';
import { measuredPatience } from './tests/patience.ts';
import { type Ring, ringOf, SECOND_DATABASE, testFiles } from './tests/rings.ts';

const FILES = testFiles();
const SUPPORT = 'tests/support';

const patience = measuredPatience();
/** Each worker starts real servers and a browser of its own. */
const MOST_CORES = 4;
const SOAK_PATIENCE_MS = 300_000;

export default defineConfig({
  resolve: {
    alias: { '@northline/call': path.join(import.meta.dirname, 'packages/call/src/public.ts') },
  },
  test: {
    projects: [
      ring('unit'),
      ring('app', [`${SUPPORT}/test-database.ts`]),
      ring('browser', [`${SUPPORT}/test-database.ts`]),
      ring('process'),
      ring('journey', [`${SUPPORT}/test-database.ts`]),
      soak(),
      {
        extends: true,
        // The storage service once more, its bytes in a bucket instead of a folder.
        test: {
          name: 'storage on S3',
          include: ['src/platform/storage/**/*.test.ts'],
          // Those need no store, or bring their own.
          exclude: ['**/{object-name,tus-protocol,content-scan,aborted-uploads,store-copy}.test.ts'],
          env: { TEST_STORAGE: 's3' },
          globalSetup: [`${SUPPORT}/test-database.ts`],
        },
      },
      // Where the system has none, `npm test` says so.
      ...(installedPostgres() === undefined ? [] : [secondDatabase()]),
    ],
    env: { TEST_PATIENCE: String(patience) },
    setupFiles: [`${SUPPORT}/each-file.ts`],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'],
      exclude: ['**/*.{test,fixture}.*'],
      reporter: [['text', { skipFull: true }], 'json-summary'],
    },
    pool: 'forks',
    // One more than cores, as tests that wait for a call or a database leave their core to another. `npm test` has a
    // further one; the journeys do not, because calls in a browser need their time.
    maxWorkers: Math.min(os.availableParallelism(), MOST_CORES) + Number(process.env.TEST_MORE_WORKERS ?? 1),
    // One process for all files of a project that a worker gets: the product is imported once.
    isolate: false,
    testTimeout: 60_000 * patience,
    hookTimeout: 60_000 * patience,
    teardownTimeout: 30_000 * patience,
    expect: { poll: { timeout: 15_000 * patience } },
  },
});

function ring(name: Ring, globalSetup: readonly string[] = []): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: { name, include: FILES.filter((file) => ringOf(file) === name), globalSetup: [...globalSetup] },
  };
}

/** Lost servers are waited for as long as browsers take to believe it, and releases of a gigabyte are packed. */
function soak(): TestProjectConfiguration {
  const { test, ...rest } = ring('soak', [`${SUPPORT}/test-database.ts`]);
  const patient = SOAK_PATIENCE_MS * patience;
  return { ...rest, test: { ...test, testTimeout: patient, hookTimeout: patient } };
}

function secondDatabase(): TestProjectConfiguration {
  return {
    extends: true,
    test: {
      name: 'second database',
      include: [...SECOND_DATABASE],
      globalSetup: [`${SUPPORT}/second-database.ts`],
    },
  };
}
