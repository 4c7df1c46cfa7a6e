import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, readMail } from '../support/auth/mail-read.ts';
import { callAuth, newEmail, PASSWORD } from '../support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    realPasswords: true,
  });
});
afterAll(() => app.close());

const from = (address: string) => ({ 'x-forwarded-for': address });
const signIn = (email: string, password: string, address: string) =>
  callAuth(app, 'POST', '/token?grant_type=password', { body: { email, password }, headers: from(address) });

test('attack 18: a flood of pairs from many addresses is turned away in time, and the owner still gets in by mail', async () => {
  const email = newEmail();
  const made = await callAuth(app, 'POST', '/signup', {
    body: { email, password: PASSWORD },
    headers: from('203.0.113.1'),
  });
  expect(made.status).toBe(200);
  // At the same time: guesses at one account, and pairs of others, each from another address.
  const flood = await Promise.all(
    Array.from({ length: 240 }, (_, at) =>
      signIn(at % 2 === 0 ? email : newEmail(), 'a guess', `198.18.${at >> 8}.${at & 255}`),
    ),
  );
  const count = (status: number) => flood.filter((reply) => reply.status === status).length;
  // At most thirty guesses are checked; requests beyond the queue's capacity are asked to come back later.
  expect(count(200)).toBe(0);
  expect(count(429)).toBeGreaterThan(60);
  expect(count(400) + count(429) + count(503)).toBe(240);
  for (const reply of flood.filter(({ status }) => status !== 400)) {
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const asked = await callAuth(app, 'POST', '/recover', { body: { email }, headers: from('203.0.113.1') });
  expect(asked.status).toBe(200);
  const token = codeIn(await readMail(app.url, email, /password/));
  const verified = await callAuth(app, 'POST', '/verify', {
    body: { type: 'recovery', email, token },
    headers: from('203.0.113.1'),
  });
  expect(verified.status).toBe(200);
});
