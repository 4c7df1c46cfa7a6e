import { findTestChromium } from './chromium-path.ts';
import { installedPostgres } from './second-postgres.ts';
import { runStaticChecks } from './static-checks.ts';
import { type Counts, runVitest } from './vitest-run.ts';

// `npm test`: what says within minutes whether a change may land. `npm run soak` holds what takes longer.
const chromium = findTestChromium();
const environment: NodeJS.ProcessEnv = { ...process.env, ...(chromium ? { CHROMIUM_PATH: chromium } : {}) };
const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const isPart = options.length < args.length;

const parts: Counts[] = isPart
  ? [runVitest(args, environment)]
  : [runStaticChecks(), runVitest(['--project=!soak', ...options], environment)];
if (chromium === undefined)
  process.stdout.write('There is no Chromium: the tests in a browser were skipped.\n');
if (!isPart && installedPostgres() === undefined)
  process.stdout.write(
    'There is no PostgreSQL of the system: the tests ran against the embedded one only.\n',
  );

const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = parts.reduce((sum, part) => sum + part.failed, 0);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
