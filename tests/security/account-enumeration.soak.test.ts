import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newClient, newEmail, PASSWORD } from '../support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { medianDifference } from './median-comparison.ts';

/** Samples of each kind; for the attack's requirement, 500: `ATTACK_SAMPLES=500`. */
const SAMPLES = Number(process.env.ATTACK_SAMPLES ?? 40);
const _PATIENCE_MS = process.env.ATTACK_SAMPLES === undefined ? 60_000 : 900_000;
/** Largest difference of the medians, as a share of the median. */
const LARGEST = 0.05;
const WARM_UP = 5;

let app: TestApp;
const known = newEmail();
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_AUTOCONFIRM: 'false' }, realPasswords: true });
  const { error } = await newClient(app).auth.signUp({ email: known, password: PASSWORD });
  expect(error).toBeNull();
  await app.resources.database.run('update auth.users set email_confirmed_at = now() where email = $1', [
    known,
  ]);
});
afterAll(() => app.close());

type Ask = (email: string) => Promise<{ status: number; body: object }>;
const post = (path: string, rest: object): Ask => {
  return (email) => callAuth(app, 'POST', path, { body: { email, ...rest } });
};

test.each<[name: string, ask: Ask]>([
  ['sign-up', post('/signup', { password: PASSWORD })],
  ['recovery', post('/recover', {})],
  ['one-time login', post('/otp', { create_user: false })],
  ['a wrong password', post('/token?grant_type=password', { password: 'not this one' })],
])(
  'attack 8: %s tells a known address from an unknown one neither by its answer nor by its time',
  async (_name, ask) => {
    const shapes = { known: new Set<string>(), unknown: new Set<string>() };
    const timed = async (kind: 'known' | 'unknown'): Promise<number> => {
      const email = kind === 'known' ? known : newEmail();
      const started = performance.now();
      const { status, body } = await ask(email);
      const elapsed = performance.now() - started;
      shapes[kind].add(`${status} ${Object.keys(body).sort().join()}`);
      return elapsed;
    };
    const pairs: [known: number, unknown: number][] = [];
    for (let sample = 0; sample < SAMPLES + WARM_UP; sample += 1) {
      // The order is random, so that effects of one request on the next affect both kinds alike.
      const first = Math.random() < 0.5 ? 'known' : 'unknown';
      const early = await timed(first);
      const late = await timed(first === 'known' ? 'unknown' : 'known');
      if (sample >= WARM_UP) pairs.push(first === 'known' ? [early, late] : [late, early]);
    }
    expect(shapes.known).toEqual(shapes.unknown);
    expect(shapes.known.size).toBe(1);
    const { difference, uncertainty, median } = medianDifference(pairs);
    if (process.env.ATTACK_SAMPLES !== undefined)
      console.log(
        `${_name}: ${(difference * 100).toFixed(2)} % ± ${(uncertainty * 100).toFixed(2)} % of ${median.toFixed(2)} ms`,
      );
    // A difference that the samples cannot distinguish from zero is no finding; more samples tell more.
    expect(Math.abs(difference) - uncertainty).toBeLessThan(LARGEST);
  },
);
