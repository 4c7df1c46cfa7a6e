import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureChromium } from './find-chromium.ts';
import { installedPostgres, startSecondPostgres } from './second-postgres.ts';
import { runStaticChecks, runTool } from './static-checks.ts';

interface Counts {
  passed: number;
  failed: number;
}

/** The part of vitest's JSON report that is counted. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { name: string; status: string; assertionResults: unknown[] }[];
}

/** Files that also run against a PostgreSQL of the system's packages. */
const DATABASE_TESTS = [
  'src/features/',
  '.contract.test.',
  // These never ask a database.
  '--exclude=src/features/analysis/read-documents.test.ts',
  '--exclude=src/features/voice/{recognition,dialogue,media}/*.test.ts',
];

/** One run of vitest. A run without tests, or one that fails outside of a test, counts as a failure. */
function runVitest(title: string, filters: readonly string[], environment: NodeJS.ProcessEnv): Counts {
  process.stdout.write(`\n== tests ${title}\n`);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-report-'));
  const file = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = runTool(['vitest', 'run', ...reporters, ...filters], environment);
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
  rmSync(folder, { recursive: true, force: true });
  const passed = report?.numPassedTests ?? 0;
  const broken = report?.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
  );
  const failed = (report?.numFailedTests ?? 0) + (broken?.length ?? 0);
  if (report?.numPendingTests) process.stdout.write(`${report.numPendingTests} tests were skipped.\n`);
  if (passed + failed === 0) process.stdout.write('FAILED: no test ran at all.\n');
  else if (code !== 0 && failed === 0)
    process.stdout.write('FAILED: an error outside of the tests, see above.\n');
  return { passed, failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed };
}

async function runAgainstSecondServer(environment: NodeJS.ProcessEnv): Promise<Counts> {
  const version = installedPostgres();
  if (version === undefined) {
    process.stdout.write(
      '\nThere is no PostgreSQL of the system: the tests ran against the embedded one only.\n',
    );
    return { passed: 0, failed: 0 };
  }
  const server = await startSecondPostgres(version);
  try {
    const against = { ...environment, TEST_DATABASE_URL: server.address };
    return runVitest(`against the system's PostgreSQL ${version}`, DATABASE_TESTS, against);
  } finally {
    server.stop();
  }
}

async function runEverything(): Promise<Counts[]> {
  const chromium = ensureChromium();
  if (chromium === undefined) process.stdout.write('The tests in a browser are skipped.\n');
  const environment: NodeJS.ProcessEnv = { ...process.env, ...(chromium ? { CHROMIUM_PATH: chromium } : {}) };
  const filters = process.argv.slice(2);
  if (filters.length > 0) return [runVitest(filters.join(' '), filters, environment)];
  return [
    runStaticChecks(),
    runVitest('against the embedded database', [], environment),
    await runAgainstSecondServer(environment),
  ];
}

const counts = await runEverything();
const passed = counts.reduce((sum, part) => sum + part.passed, 0);
const failed = counts.reduce((sum, part) => sum + part.failed, 0);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
