import { afterAll, beforeAll, expect, test } from 'vitest';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import { signUpPerson } from '../support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { ENDLESS_INPUT } from './endless-input.ts';

/** Refusing hostile input takes no longer than this many harmless requests, which are timed beside it. */
const MOST_HARMLESS_REQUESTS = 25;
const TRIES = 7;

let app: TestApp;
let bearer: string;
beforeAll(async () => {
  app = await startTestApp();
  await app.resources.database.run(
    uncheckedSql(
      `
    create table public.letters (id int primary key, body text, data jsonb);
    grant all on public.letters to anon, authenticated, service_role`,
      'composed',
    ),
  );
  bearer = (await signUpPerson(app)).session.access_token;
});
afterAll(() => app.close());

test.each(ENDLESS_INPUT)('attack 48: %s takes no time', async (_name, path, init) => {
  const headers = {
    apikey: app.anonKey,
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    ...(init.headers as Record<string, string> | undefined),
  };
  const timed = async (url: string, request: RequestInit): Promise<number> => {
    const started = performance.now();
    await (await fetch(url, request)).text();
    return performance.now() - started;
  };
  const times: number[] = [];
  const harmless: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    times.push(await timed(app.url + path, { ...init, headers }));
    harmless.push(await timed(`${app.url}/rest/v1/letters?limit=1`, { headers }));
  }
  // The quickest of several attempts, because other load on the machine is not the cost of the input.
  expect(Math.min(...times) / Math.min(...harmless)).toBeLessThan(MOST_HARMLESS_REQUESTS);
});
