import { findTestChromium } from './chromium-path.ts';
import { JOURNEYS, runVitest, sumUp } from './vitest-run.ts';

// `npm run journeys [-- files]`: the ways through the product that `npm test` has no minutes for.
const chromium = findTestChromium();
const environment: NodeJS.ProcessEnv = { ...process.env, ...(chromium ? { CHROMIUM_PATH: chromium } : {}) };
if (chromium === undefined)
  process.stdout.write('There is no Chromium: the journeys in a browser were skipped.\n');
const projects = JOURNEYS.map((name) => `--project=${name}`);
sumUp([runVitest([...projects, ...process.argv.slice(2)], environment)]);
