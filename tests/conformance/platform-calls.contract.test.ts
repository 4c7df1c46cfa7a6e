/// <reference lib="dom" />
import path from 'node:path';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAuth } from '../support/auth-client.ts';
import { newSamlIdp } from '../support/new-saml-idp.ts';
import { CHROMIUM, openBrowser } from '../support/open-browser.ts';
import { CLIENT_ID, type LocalOidcProvider, startOidcProvider } from '../support/start-oidc-provider.ts';
import { startTestApp, type TestApp } from '../support/start-test-app.ts';
import type { Place } from './calling-world.ts';
import { callsPage } from './calls-page.ts';
import { isCalled, OUTSIDE, PENDING } from './client-methods.ts';
import { FIXTURE, RESET } from './fixture.ts';
import type { RecordedCall } from './record-calls.ts';
import { type CasesRun, runCases } from './run-cases.ts';

let issuer: LocalOidcProvider;
let app: TestApp;
let beside: TestApp[] = [];
const environments = new Map<string, readonly RecordedCall[]>();

beforeAll(async () => {
  issuer = await startOidcProvider();
  const settings = {
    CORS_ORIGINS: '*',
    AUTH_ANONYMOUS: 'true',
    AUTH_MFA_PHONE: 'true',
    AUTH_MANUAL_LINKING: 'true',
    AUTH_SAML: 'true',
    AUTH_GOOGLE_CLIENT_ID: CLIENT_ID,
    AUTH_GOOGLE_ISSUER: issuer.issuer,
    OUTBOUND_ALLOW_HOSTS: issuer.host,
  };
  app = await startTestApp({ settings });
  issuer.open(`${app.url}/auth/v1/callback`);
  await callAuth(app, 'POST', '/admin/sso/providers', {
    bearer: app.serviceKey,
    body: {
      type: 'saml',
      metadata_xml: newSamlIdp('https://idp.acme.example').metadata,
      domains: ['acme.example'],
    },
  });
  await app.resources.database.run(FIXTURE);
  beside = [await startTestApp({ settings, beside: app }), await startTestApp({ settings, beside: app })];
});
afterAll(async () => {
  for (const one of beside) await one.close();
  await app?.close();
  await issuer?.close();
});

const place = (count: number): Place => ({
  origins: [app, ...beside].slice(0, count).map(({ url }) => url),
  anonKey: app.anonKey,
  serviceKey: app.serviceKey,
  issuer: issuer.issuer,
});

async function runInNode(count: number): Promise<CasesRun> {
  await app.resources.database.run(RESET);
  return runCases(place(count));
}

/** The cases and the client in one script, as a bundler makes it for any page. */
async function bundle(): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry: path.join(import.meta.dirname, 'run-cases.ts'), formats: ['iife'], name: 'cases' },
    },
  })) as Rolldown.RolldownOutput[];
  return output[0]?.output[0].code ?? '';
}

async function runInChromium(count: number, code: string): Promise<CasesRun> {
  await app.resources.database.run(RESET);
  const browser = await openBrowser();
  try {
    // A page of the product itself; its policy is for pages that run no other script than their own.
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(`${app.url}/auth/v1/health`);
    await page.evaluate(code);
    return await page.evaluate(
      (where) => (globalThis as unknown as { runCases: typeof runCases }).runCases(where),
      place(count),
    );
  } finally {
    await browser.close();
  }
}

test('every method of the client has a case, or stands in a list with the reason', {
  timeout: 120_000,
}, async () => {
  const { calls, methods } = await runInNode(1);
  environments.set('Node, 1 process', calls);
  const names = calls.map(({ call }) => call);
  const listed = (list: object, method: string) =>
    Object.keys(list).some((name) => method === name || (name.endsWith('.') && method.startsWith(name)));
  const missing = methods.filter(
    (method) => !isCalled(method, names) && !listed(PENDING, method) && !listed(OUTSIDE, method),
  );
  expect(missing).toEqual([]);
  const needless = Object.keys(PENDING).filter((name) => isCalled(name, names));
  expect(needless).toEqual([]);
});

test('three processes on one database answer as one does', { timeout: 120_000 }, async () => {
  const { calls } = await runInNode(3);
  environments.set('Node, 3 processes', calls);
  expect(calls).toEqual(environments.get('Node, 1 process'));
});

test.skipIf(CHROMIUM === undefined)('Chromium hears what Node hears', { timeout: 180_000 }, async () => {
  const code = await bundle();
  for (const [name, count] of [
    ['Chromium, 1 process', 1],
    ['Chromium, 3 processes', 3],
  ] as const) {
    const { calls } = await runInChromium(count, code);
    environments.set(name, calls);
    expect(calls).toEqual(environments.get('Node, 1 process'));
  }
});

test.skipIf(CHROMIUM === undefined)('the table in docs/ is what the run found', async () => {
  await expect(callsPage(environments, OUTSIDE)).toMatchFileSnapshot('../../docs/platform-calls.md');
});
