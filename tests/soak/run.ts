import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findChromium } from '../../scripts/checks/test-environment.ts';
import { type Counts, runVitest, sumUp } from '../../scripts/checks/vitest-run.ts';
import { type Random, seeded } from '../histories/random.ts';
import { type SoakPart, soakParts } from './soak-parts.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const DEFAULT_MINUTES = 10;

/** The arguments of `npm run soak -- [--minutes 10] [--seed 42] [parts…]`. */
function readPlan() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
  });
  const known = soakParts();
  const unknown = positionals.filter((name) => !known.some((part) => part.name === name));
  const minutes = Number(values.minutes ?? DEFAULT_MINUTES);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  if (unknown.length > 0 || !(minutes > 0) || !Number.isSafeInteger(seed)) {
    const names = known.map(({ name }) => name).join(', ');
    throw new Error(`npm run soak -- [--minutes 10] [--seed 42] [parts]; the parts are ${names}.`);
  }
  const parts = positionals.length === 0 ? known : known.filter(({ name }) => positionals.includes(name));
  return { minutes, seed, parts };
}

/** The parts in an order that the seed decides, so that it is not always the same part that gets no time. */
function shuffled(parts: readonly SoakPart[], random: Random): SoakPart[] {
  const left = [...parts];
  return parts.flatMap(() => left.splice(random.below(left.length), 1));
}

function runPart(part: SoakPart, seed: number, seconds: number): Counts {
  const environment = { PROPERTY_TIMES: '10', ...process.env, SOAK_SEED: String(seed) };
  process.stdout.write(
    `\n== ${part.name}${part.endless ? `, ${Math.round(seconds)} s` : ''}, seed ${seed}\n`,
  );
  const [first = ''] = part.files;
  if (!part.endless) {
    const projects = first.endsWith('.soak.test.ts') ? ['soak'] : ['app', 'unit', 'journey'];
    return runVitest([...projects.map((name) => `--project=${name}`), ...part.files], environment);
  }
  const args = [path.join(ROOT, first), '--seed', String(seed), '--minutes', String(seconds / 60)];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: environment });
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Runs every part once while there is time; an endless one gets its share of the remaining time. */
function soak(parts: readonly SoakPart[], seed: number, minutes: number) {
  const until = Date.now() + minutes * 60_000;
  const secondsLeft = (): number => (until - Date.now()) / 1000;
  const order = shuffled(parts, seeded(seed));
  const sum = { passed: 0, failed: 0 };
  const without: string[] = [];
  for (const [at, part] of order.entries()) {
    if (secondsLeft() < part.least) {
      without.push(part.name);
      continue;
    }
    const later = order.slice(at + 1).reduce((total, { least }) => total + least, 0);
    const share = Math.max(part.least, (secondsLeft() - later) / (1 + order.length - at));
    const { passed, failed } = runPart(part, seed, share);
    if (failed > 0)
      process.stdout.write(`FAILED ${part.name}: npm run soak -- --seed ${seed} ${part.name}\n`);
    sum.passed += passed;
    sum.failed += failed;
  }
  return { ...sum, without };
}

const { minutes, seed, parts } = readPlan();
const chromium = findChromium();
if (chromium !== undefined) process.env.CHROMIUM_PATH = chromium;
process.stdout.write(`A soak of ${minutes} minutes with the seed ${seed}.\n`);
const { passed, failed, without } = soak(parts, seed, minutes);
if (without.length > 0)
  process.stdout.write(`\nThere was no time for ${without.join(', ')}: they did not run.\n`);
sumUp([{ passed, failed }]);
