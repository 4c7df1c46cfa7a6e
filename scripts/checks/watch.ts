import { buildSiteFor } from './site-build.ts';
import { runTool } from './static-checks.ts';
import { testEnvironment } from './test-environment.ts';

// `npm run watch -- PATH`: the tests below PATH now, and again those that a change to a file reaches.
const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith('-'));
if (named.length === 0) {
  process.stderr.write('npm run watch -- PATH, as src/business/news or one test file\n');
  process.exit(1);
}
buildSiteFor(named);
process.exitCode = runTool(['vitest', 'watch', ...args], testEnvironment(false));
