import { buildSiteFor } from './site-build.ts';
import { runStaticChecks } from './static-checks.ts';
import { testEnvironment } from './test-environment.ts';
import { type Counts, JOURNEYS, runVitest, sumUp } from './vitest-run.ts';

// `npm test`: says within minutes whether a change may land. `npm run journeys` tests the other ways through
// the product, `npm run soak` what takes longer.
/** Vitest projects with their own command. */
const ELSEWHERE = [...JOURNEYS, 'soak'];

const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const named = args.filter((arg) => !arg.startsWith('-'));
const isPart = named.length > 0;
const environment = testEnvironment(buildSiteFor(named));

const parts: Counts[] = isPart
  ? [runVitest(args, environment)]
  : [
      await runStaticChecks(),
      runVitest([...ELSEWHERE.map((name) => `--project=!${name}`), ...options], {
        ...environment,
        TEST_MORE_WORKERS: '2',
      }),
    ];
if (environment.CHROMIUM_PATH === undefined)
  process.stdout.write('There is no Chromium: the tests in a browser were skipped.\n');

sumUp(parts);
