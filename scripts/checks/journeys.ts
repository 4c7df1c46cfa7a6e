import os from 'node:os';
import { installedPostgres } from './second-postgres.ts';
import { testEnvironment } from './test-environment.ts';
import { JOURNEYS, runVitest, sumUp } from './vitest-run.ts';

const MOST_WORKERS = 4;

// `npm run journeys [-- files]`: the ways through the product for which `npm test` has no time.
const environment = testEnvironment(true);
if (environment.CHROMIUM_PATH === undefined)
  process.stdout.write('There is no Chromium: the journeys in a browser were skipped.\n');
if (installedPostgres() === undefined)
  process.stdout.write('There is no PostgreSQL of the system: tests ran against the embedded one only.\n');
const projects = JOURNEYS.map((name) => `--project=${name}`);
// Two browsers that code video keep a core busy: one more worker than cores would only make each of them late.
const workers = `--maxWorkers=${Math.min(os.availableParallelism(), MOST_WORKERS)}`;
sumUp([runVitest([...projects, workers, ...process.argv.slice(2)], environment)]);
