import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { faultsNow } from './invariants.ts';
import { STEPS } from './steps.ts';
import { closeMonth, type Month, openMonth, type Person, quiet } from './world.ts';

/** Months in `npm test`. More by hand: `MONTH_RUNS=10000 npm test -- tests/month/month.test.ts`. */
const RUNS = Number(process.env.MONTH_RUNS ?? 3);
/** The seed of the first month; each later one has the next. With `MONTH_RUNS=1` it is that month again. */
const SEED = Number(process.env.MONTH_SEED ?? process.env.SOAK_SEED ?? 42);
const LENGTH = Number(process.env.MONTH_LENGTH ?? 40);
/** Everybody is looked at after every eighth step. */
const LOOK_AROUND = 8;
/** Time in which a failed month is made shorter. */
const SHORTEN_MS = 30_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { VOICE_HOURS: 'mon-sun 9:00-17:00' } });
});
afterAll(() => app?.close());

const NAMES = Object.entries(STEPS).flatMap(([name, [often]]) => Array<string>(often).fill(name));
const STEP = fc.record(
  { do: fc.constantFrom(...NAMES), who: fc.nat(2), pick: fc.nat(999) },
  { noNullPrototype: true },
);
const MONTH = fc.array(STEP, { minLength: LENGTH, maxLength: LENGTH, size: 'max' });
type Done = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

test.each(Array.from({ length: RUNS }, (_, at) => SEED + at))(
  'in the month with the seed %i, pages say what the server enforces, sums agree, and everybody sees what is theirs',
  async (seed) => {
    const steps = fc.sample(MONTH, { seed, numRuns: 1 })[0] as Done[];
    const failure = await live(steps);
    if (failure === undefined) return;
    const { steps: fewest, error } = await shortened(failure, Date.now() + SHORTEN_MS);
    throw new Error(`seed ${seed}: MONTH_RUNS=0 MONTH_STEPS='${JSON.stringify(fewest)}'`, { cause: error });
  },
);

// A failed month prints its steps; with them it is lived through again.
test.runIf(process.env.MONTH_STEPS)('the given month', async () => {
  const failure = await live(JSON.parse(process.env.MONTH_STEPS ?? '[]'));
  if (failure !== undefined) throw failure.error;
});

/** Steps of which the last one failed. */
interface Failure {
  readonly steps: readonly Done[];
  readonly error: unknown;
}

/** Lives through a month, up to the first step after which something is wrong. */
async function live(steps: readonly Done[]): Promise<Failure | undefined> {
  const month = await openMonth(app);
  try {
    for (const [at, step] of steps.entries()) {
      const error = await take(month, step, at % LOOK_AROUND === 0 || at === steps.length - 1);
      if (error !== undefined) return { steps: steps.slice(0, at + 1), error };
    }
    return undefined;
  } finally {
    await closeMonth(month);
  }
}

/** Takes a step, and looks at the person who took it or at everybody. */
async function take(month: Month, { do: name, who, pick }: Done, all: boolean): Promise<unknown> {
  try {
    await STEPS[name]?.[1](month, month.people[who] as Person, pick);
    await quiet(month);
    const faults = await faultsNow(month, all ? [0, 1, 2] : [who]);
    return faults.length > 0 ? new Error(faults.join('\n')) : undefined;
  } catch (error) {
    return error;
  }
}

/** Leaves steps out, first many at once, as long as what is left fails too and there is time. */
async function shortened(failure: Failure, until: number): Promise<Failure> {
  let shortest = failure;
  for (let size = failure.steps.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at + size < shortest.steps.length && Date.now() < until; ) {
      const left = shortest.steps.toSpliced(at, size);
      const again = await live(left);
      if (again === undefined) at += size;
      else shortest = again;
    }
  }
  return shortest;
}
