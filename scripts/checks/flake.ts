import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { testEnvironment } from './test-environment.ts';
import { runVitest, type TestOutcome } from './vitest-run.ts';

/** Programs that use one core each while the tests run. */
const BUSY_LOOPS = 2;

/** The results of one test over all runs. */
interface Tally {
  passed: number;
  failed: number;
  slowest: number;
}

// `npm run flake -- <files> [--times 20]`: runs the same test files again and again beside two busy loops.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '20' } },
});
const times = Number(values.times);
if (positionals.length === 0 || !(times >= 1)) throw new Error('npm run flake -- <test files> [--times 20]');
const environment = testEnvironment(true);
const loops = Array.from({ length: BUSY_LOOPS }, () =>
  spawn(process.execPath, ['-e', 'for (;;) Math.random()'], {
    stdio: 'ignore',
  }),
);
process.on('exit', () => {
  for (const loop of loops) loop.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const tallies = new Map<string, Tally>();
let failedRuns = 0;
for (let run = 0; run < times; run += 1) {
  process.stdout.write(`\n== run ${run + 1} of ${times}\n`);
  const { failed, outcomes } = runVitest(positionals, environment);
  if (failed > 0) failedRuns += 1;
  for (const outcome of outcomes) count(outcome);
}

function count({ name, passed, ms }: TestOutcome): void {
  const tally = tallies.get(name) ?? { passed: 0, failed: 0, slowest: 0 };
  tallies.set(name, tally);
  if (passed) tally.passed += 1;
  else tally.failed += 1;
  tally.slowest = Math.max(tally.slowest, ms);
}

process.stdout.write('\n passed  failed  slowest ms  test\n');
const worstFirst = [...tallies].sort(
  ([, left], [, right]) => right.failed - left.failed || right.slowest - left.slowest,
);
for (const [name, { passed, failed, slowest }] of worstFirst) {
  const cells = [
    String(passed).padStart(7),
    String(failed).padStart(7),
    String(Math.round(slowest)).padStart(11),
  ];
  process.stdout.write(`${cells.join(' ')}  ${name}\n`);
}
process.stdout.write(`\n${times - failedRuns} passed, ${failedRuns} failed\n`);
process.exit(failedRuns === 0 ? 0 : 1);
