import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Apps } from '../../../tests/support/auth-errors/error-calls.ts';
import { errorsOfChanges } from '../../../tests/support/auth-errors/errors-of-changes.ts';
import { errorsOfSigningIn } from '../../../tests/support/auth-errors/errors-of-signing-in.ts';
import { callAuth, newClient } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp } from '../../../tests/support/test-app.ts';

const apps = {} as Apps;
beforeAll(async () => {
  apps.app = await startTestApp({ settings: { AUTH_MFA_PHONE: 'true' } });
  apps.strict = await startTestApp({
    beside: apps.app,
    settings: {
      AUTH_AUTOCONFIRM: 'false',
      RATE_LIMITS: 'on',
      AUTH_SESSION_IDLE_HOURS: '1',
      SMS_URL: 'http://AC1:token@127.0.0.1:9?from=+15550100',
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1:9',
    },
  });
  apps.closed = await startTestApp({
    beside: apps.app,
    settings: { AUTH_SIGNUP: 'false', AUTH_EMAIL: 'false', AUTH_PHONE: 'false', AUTH_PASSKEYS: 'false' },
  });
});
afterAll(async () => {
  await apps.closed.close();
  await apps.strict.close();
  await apps.app.close();
});

/** Every code that the service itself produces: its status, and a request that causes it. */
const CODES = [...errorsOfSigningIn(apps), ...errorsOfChanges(apps)];

test.each(CODES)('%s is answered with %i, in every shape that clients read', async (code, status, make) => {
  const reply = await make();
  expect({ status: reply.status, ...reply.body }).toMatchObject({
    status,
    code,
    error_code: code,
    message: expect.any(String),
    msg: reply.body.message,
  });
  expect(reply.headers.get('x-sb-error-code')).toBe(code);
  expect(reply.headers.get('x-supabase-api-version')).toBe('2024-01-01');
  expect(reply.headers.has('retry-after')).toBe(status === 429);
});

/** Codes whose test needs a set-up of its own, and where that test is. */
const ELSEWHERE = new Set([
  // A lock held for five seconds: refresh-session.test.ts.
  'conflict',
  // A provider of captchas: verify-captcha.test.ts.
  'captcha_failed',
  // The account's own function, with its own tests: account-deletion.test.ts.
  'reauthentication_needed',
  'team_ends',
  // The console keeps an owner: colleagues.test.ts.
  'last_owner',
  // Paths of services that this product does not have: client-replies.test.ts.
  'feature_disabled',
  // A setting of its own: one-time-login.test.ts.
  'otp_disabled',
  'unexpected_failure',
]);

test('the table names every code that the sources of the service produce', () => {
  const folder = import.meta.dirname;
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    // Those three have their own tests for each of their codes.
    /^(?!providers|passkeys|saml).*\.server\.ts$/.test(name),
  );
  const found = sources.flatMap((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const thrown = text.matchAll(/(?:ServiceError\(\s*\d+,|refused\(|'over_)\s*'?([a-z_]+)'/g);
    return [...thrown].map(([all, code = '']) => (all.startsWith("'over_") ? `over_${code}` : code));
  });
  const named = new Set([...CODES.map(([code]) => code), ...ELSEWHERE]);
  expect(found.length).toBeGreaterThan(60);
  expect([...new Set(found)].filter((code) => !named.has(code)).sort()).toEqual([]);
});

test('an older client gets the number as the code, and the word beside it', async () => {
  const reply = await callAuth(apps.app, 'POST', '/signup', {
    body: {},
    headers: { 'x-supabase-api-version': '' },
  });
  expect(reply.body).toMatchObject({ code: 422, error_code: 'anonymous_provider_disabled' });
  const { error } = await newClient(apps.app).auth.signInAnonymously();
  expect(error).toMatchObject({ status: 422, code: 'anonymous_provider_disabled' });
});
