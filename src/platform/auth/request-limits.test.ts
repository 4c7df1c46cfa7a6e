import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth, newEmail, PASSWORD } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => app.close());

/** A caller with an address of its own. */
const from = (address: string) => ({ 'x-forwarded-for': address });

type Reply = { status: number };

/**
 * Calls until one request is refused. 30 pass first, and one more for each token that has come back since,
 * one in `seconds`.
 *
 * @returns the statuses of those that passed
 */
async function expectThirty(seconds: number, call: (index: number) => Promise<Reply>): Promise<number[]> {
  const begun = performance.now();
  const passed: number[] = [];
  for (let index = 0; ; index += 1) {
    const { status } = await call(index);
    if (status === 429) break;
    passed.push(status);
    const back = Math.ceil((performance.now() - begun) / 1000 / seconds);
    expect(passed.length).toBeLessThanOrEqual(30 + back);
  }
  expect(passed.length).toBeGreaterThanOrEqual(30);
  return [...new Set(passed)];
}

test('thirty sign-ups in five minutes from one address, then 429 with Retry-After', async () => {
  const call = () => callAuth(app, 'POST', '/signup', { body: {}, headers: from('198.51.100.1') });
  expect(await expectThirty(10, call)).toEqual([422]);
  const reply = await call();
  expect(reply).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  const elsewhere = await callAuth(app, 'POST', '/signup', { body: {}, headers: from('198.51.100.2') });
  expect(elsewhere.status).toBe(422);
});

test('a burst of thirty at /token', async () => {
  const headers = from('198.51.100.3');
  const call = () => callAuth(app, 'POST', '/token?grant_type=none', { headers, body: {} });
  expect(await expectThirty(2, call)).toEqual([400]);
});

test('passwords of one account are guessed thirty times at most, from however many addresses', async () => {
  const email = newEmail();
  const guess = (index: number) =>
    callAuth(app, 'POST', '/token?grant_type=password', {
      body: { email, password: 'a guess' },
      headers: from(`198.51.101.${index}`),
    });
  expect(await expectThirty(10, guess)).toEqual([400]);
  const other = await callAuth(app, 'POST', '/recover', { body: { email }, headers: from('198.51.101.99') });
  expect(other.status).toBe(200);
});

test.each(['GET', 'POST'])(
  '%s of links about a deletion: thirty, then 429 and everybody else is served',
  async (method) => {
    const call = (address: string) =>
      fetch(`${app.url}/auth/v1/keep?d=1&k=x`, { method, headers: from(address) });
    expect(await expectThirty(10, () => call(`198.51.102.${method.length}`))).toEqual([404]);
    expect((await call('198.51.102.9')).status).toBe(404);
  },
);

test('one mail a minute, for a known and an unknown address alike', async () => {
  const known = newEmail();
  await callAuth(app, 'POST', '/signup', { body: { email: known, password: PASSWORD } });
  for (const email of [known, newEmail()]) {
    const ask = () => callAuth(app, 'POST', '/recover', { body: { email }, headers: from('198.51.100.4') });
    expect((await ask()).status).toBe(200);
    expect(await ask()).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } });
  }
});

test('the message that an address is taken comes five times an hour', async () => {
  const email = newEmail();
  const call = () =>
    callAuth(app, 'POST', '/signup', { body: { email, password: PASSWORD }, headers: from('198.51.100.5') });
  const seen: number[] = [];
  for (let round = 0; round < 7; round += 1) seen.push((await call()).status);
  expect(seen).toEqual([200, 422, 422, 422, 422, 422, 429]);
});

test('an address for which no trusted proxy vouches is not believed', async () => {
  const direct = await startTestApp({ settings: { RATE_LIMITS: 'on' } });
  const call = (index: number) =>
    callAuth(direct, 'POST', '/signup', { body: {}, headers: from(`203.0.113.${index}`) });
  expect(await expectThirty(10, call)).toEqual([422]);
  await direct.close();
});
