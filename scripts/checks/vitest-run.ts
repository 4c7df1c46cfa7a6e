import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runTool } from './static-checks.ts';

/**
 * The projects of `npm run journeys`: less important ways through the product, and tests that run once more on another
 * engine: the system's PostgreSQL, where there is one, and a store that speaks S3.
 */
export const JOURNEYS: readonly string[] = ['journey', 'second database', 'storage on S3'];

/** Tests that passed and failed. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** One test of a run, named by its file and its own title. `ms` is how long it took. */
export interface TestOutcome {
  readonly name: string;
  readonly passed: boolean;
  readonly ms: number;
}

/** The part of vitest's JSON report that is used. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; duration?: number; failureMessages: string[] }[];
  }[];
}

/** Runs vitest once. A run without tests, or one that fails outside of a test, counts as a failure. */
export function runVitest(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Counts & { outcomes: readonly TestOutcome[] } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-report-'));
  const file = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = runTool(['vitest', 'run', ...reporters, ...args], environment);
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
  rmSync(folder, { recursive: true, force: true });
  const suites = report?.testResults ?? [];
  const passed = report?.numPassedTests ?? 0;
  const broken = suites.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  const failed = (report?.numFailedTests ?? 0) + broken.length;
  if (report?.numPendingTests) process.stdout.write(`${report.numPendingTests} tests were skipped.\n`);
  // Every test said why it could not run here, e.g. because a program is not installed.
  const onlySkipped = code === 0 && (report?.numPendingTests ?? 0) > 0;
  if (passed + failed === 0 && !onlySkipped) process.stdout.write('FAILED: no test ran at all.\n');
  else if (code !== 0 && failed === 0)
    process.stdout.write('FAILED: an error outside of the tests, see above.\n');
  process.stdout.write(faultsOf(suites).join(''));
  const outcomes = suites.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, duration = 0 }) => ({
        name: `${path.relative(process.cwd(), name)}: ${fullName}`,
        passed: status === 'passed',
        ms: duration,
      })),
  );
  return {
    passed,
    failed: failed === 0 && (code !== 0 || (passed === 0 && !onlySkipped)) ? 1 : failed,
    outcomes,
  };
}

/** A line for each test or file that failed, with the first line of why: a build machine repeats them at its end. */
function faultsOf(suites: Report['testResults']): string[] {
  return suites.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(process.cwd(), name);
    const because = (text = ''): string => text.split('\n', 1)[0]?.slice(0, 300) ?? '';
    if (status === 'failed' && assertionResults.length === 0)
      return [`FAILED ${file}: ${because(message)}\n`];
    return assertionResults
      .filter((result) => result.status === 'failed')
      .map(({ fullName, failureMessages: [first] }) => `FAILED ${file}: ${fullName}: ${because(first)}\n`);
  });
}

/**
 * Prints the last line of a command that runs tests, and sets its exit code: a failure also without a single
 * test.
 */
export function sumUp(parts: readonly Counts[]): void {
  const passed = parts.reduce((sum, part) => sum + part.passed, 0);
  const failed = parts.reduce((sum, part) => sum + part.failed, 0);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
