import { testEnvironment } from './test-environment.ts';
import { JOURNEYS, runVitest, sumUp } from './vitest-run.ts';

// `npm run journeys [-- files]`: the ways through the product for which `npm test` has no time.
const environment = testEnvironment(true);
if (environment.CHROMIUM_PATH === undefined)
  process.stdout.write('There is no Chromium: the journeys in a browser were skipped.\n');
const projects = JOURNEYS.map((name) => `--project=${name}`);
sumUp([runVitest([...projects, ...process.argv.slice(2)], environment)]);
