import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Checks of the source by tools that do not run it; each counts as one test. */
export const STATIC_CHECKS: readonly { name: string; command: readonly [string, ...string[]] }[] = [
  { name: 'format, lint and import rules', command: ['biome', 'check', '--error-on-warnings'] },
  { name: 'types of the server', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'types of the browser', command: ['tsc', '-p', 'tsconfig.web.json'] },
  {
    name: 'SQL statements against the schema',
    command: ['node', 'scripts/database/statements/check-statements.ts'],
  },
  { name: 'unused files, exports and dependencies', command: ['knip'] },
];

/**
 * Runs one of our tools in the foreground under this Node, and returns its exit code (1 when it was killed).
 */
export function runTool([name, ...args]: readonly [string, ...string[]], environment = process.env): number {
  const bin = path.join(ROOT, 'node_modules', '.bin');
  const outcome = spawnSync(path.join(bin, name), args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...environment, PATH: `${path.dirname(process.execPath)}:${bin}:${environment.PATH ?? ''}` },
  });
  if (outcome.error) process.stderr.write(`${name} could not run: ${outcome.error.message}\n`);
  return outcome.status ?? 1;
}

/** Runs every static check and returns how many passed and failed. */
export function runStaticChecks(): { passed: number; failed: number } {
  const failures = STATIC_CHECKS.filter(({ name, command }) => {
    process.stdout.write(`\n== ${name}: ${command.join(' ')}\n`);
    const failed = runTool(command) !== 0;
    process.stdout.write(`${failed ? 'FAILED' : 'passed'}: ${name}\n`);
    return failed;
  });
  return { passed: STATIC_CHECKS.length - failures.length, failed: failures.length };
}
