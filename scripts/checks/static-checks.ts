import { spawn, spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { PassedBefore } from './passed-before.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const CACHE = path.join('node_modules', '.cache', 'northline');

/** A tool that says something about the sources without running them; it counts as one test. */
export interface StaticCheck {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Whether it reads documents (Markdown) beside sources and settings. */
  readonly readsDocuments?: boolean;
}

/** TypeScript notes the hash of each file that it read, and checks again what a change reaches. */
const types = (project: string): readonly [string, ...string[]] => [
  'tsc',
  ...['-p', project, '--incremental', '--tsBuildInfoFile', path.join(CACHE, `${project}.tsbuildinfo`)],
];

/** What `npm test` and `npm run lint` run, the longest first. */
export const STATIC_CHECKS: readonly StaticCheck[] = [
  { name: 'types of the server', command: types('tsconfig.json') },
  { name: 'format, lint and import rules', command: ['biome', 'check', '--error-on-warnings'] },
  { name: 'types of the browser', command: types('tsconfig.web.json') },
  {
    name: 'SQL statements against the schema',
    command: ['node', 'scripts/database/statements/check-statements.ts'],
  },
  { name: 'unused files, exports and dependencies', command: ['knip'] },
];

/** The installed tools first on PATH, and this Node. */
function toolEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const bin = path.join(ROOT, 'node_modules', '.bin');
  return { ...environment, PATH: `${path.dirname(process.execPath)}:${bin}:${environment.PATH ?? ''}` };
}

const toolPath = (name: string): string => path.join(ROOT, 'node_modules', '.bin', name);

/** Runs an installed tool in the foreground under this Node and returns its exit code (1 when it was killed). */
export function runTool([name, ...args]: readonly [string, ...string[]], environment = process.env): number {
  const outcome = spawnSync(toolPath(name), args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: toolEnvironment(environment),
  });
  if (outcome.error) process.stderr.write(`${name} could not run: ${outcome.error.message}\n`);
  return outcome.status ?? 1;
}

/** Runs an installed tool while others run, and returns what it printed. */
function runToolAside([name, ...args]: StaticCheck['command']): Promise<{ code: number; printed: string }> {
  return new Promise((resolve) => {
    const child = spawn(toolPath(name), args, { cwd: ROOT, env: toolEnvironment(process.env) });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    child.once('error', (error) =>
      resolve({ code: 1, printed: `${name} could not run: ${error.message}\n` }),
    );
    child.once('close', (code) => resolve({ code: code ?? 1, printed }));
  });
}

/**
 * Runs checks, as many at once as there are cores and at most two, and returns how many passed and failed. A check that
 * has passed with the same files is not run again.
 */
export async function runStaticChecks(
  checks: readonly StaticCheck[] = STATIC_CHECKS,
): Promise<{ passed: number; failed: number }> {
  const passedBefore = new PassedBefore(ROOT, path.join(ROOT, CACHE));
  const left = [...checks];
  let failed = 0;
  const worker = async (): Promise<void> => {
    for (let check = left.shift(); check !== undefined; check = left.shift())
      if (!(await runCheck(check, passedBefore))) failed += 1;
  };
  await Promise.all(Array.from({ length: Math.min(2, os.availableParallelism()) }, worker));
  return { passed: checks.length - failed, failed };
}

async function runCheck(check: StaticCheck, passedBefore: PassedBefore): Promise<boolean> {
  const { name, command } = check;
  if (passedBefore.has(check)) {
    process.stdout.write(`passed before with the same files: ${name}\n`);
    return true;
  }
  const started = performance.now();
  const { code, printed } = await runToolAside(command);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const verdict = code === 0 ? 'passed' : 'FAILED';
  process.stdout.write(`\n== ${name}: ${command.join(' ')}\n${printed}${verdict} in ${seconds} s: ${name}\n`);
  if (code === 0) passedBefore.add(check);
  return code === 0;
}
