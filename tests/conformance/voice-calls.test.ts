import { createRequire } from 'node:module';
import path from 'node:path';
import { VapiClient } from '@vapi-ai/server-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const ABSENT = '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11';

/** One method of a client, its request, and the reply. */
interface Called {
  readonly method: string;
  readonly request: string;
  readonly answer: string;
}

/** A `fetch` that records each request. */
function notingFetch(base: string): { fetch: typeof fetch; noted: Omit<Called, 'method'>[] } {
  const noted: Omit<Called, 'method'>[] = [];
  return {
    noted,
    async fetch(input, init) {
      const reply = await fetch(input, init);
      const url = new URL(input instanceof Request ? input.url : String(input));
      const body = (await reply
        .clone()
        .json()
        .catch(() => ({}))) as { code?: unknown };
      const code = typeof body.code === 'string' ? ` \`${body.code}\`` : '';
      noted.push({
        request: `${init?.method ?? 'GET'} ${url.pathname.replace(base, '').replaceAll(ABSENT, '{id}')}`,
        answer: `${reply.status}${code}`,
      });
      return reply;
    },
  };
}

type Methods = Record<string, (...given: unknown[]) => Promise<unknown>>;

/** Calls every method of the server SDK with minimal arguments. */
async function callServerSdk(): Promise<Called[]> {
  const { fetch: noting, noted } = notingFetch('/voice/v1');
  const client = new VapiClient({
    token: app.resources.keys.voice_private_key,
    baseUrl: `${app.url}/voice/v1`,
    maxRetries: 0,
    fetch: noting,
  });
  const given = {
    ...{ id: ABSENT, itemId: ABSENT, fileId: ABSENT, provider: '11labs' },
    ...{ resourceName: 'pronunciation-dictionary', file: new File(['words'], 'words.mp3') },
  };
  const called: Called[] = [];
  for (const name of gettersOf(client)) {
    const resource = (client as unknown as Record<string, Methods>)[name] ?? {};
    for (const method of methodsOf(resource)) {
      // Refusals throw; only the request matters here.
      await resource[method]?.(given).catch(() => {});
      const last = noted.pop();
      if (last !== undefined) called.push({ method: `${name}.${method}()`, ...last });
    }
  }
  return called;
}

const gettersOf = (client: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(client)))
    .filter(([, { get }]) => get !== undefined)
    .map(([name]) => name);
const methodsOf = (resource: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter(
    (name) => name !== 'constructor' && !name.startsWith('_'),
  );

/** Calls every method of the REST client in a version of the web package. */
async function callWebClient(file: string): Promise<Called[]> {
  const require = createRequire(import.meta.url);
  const { Api } = require(file) as { Api: new (options: object) => Record<string, Methods> };
  const { fetch: noting, noted } = notingFetch('/voice/v1');
  const headers = { Authorization: `Bearer ${app.resources.keys.voice_private_key}` };
  const api = new Api({
    baseUrl: `${app.url}/voice/v1`,
    baseApiParams: { secure: true },
    securityWorker: async () => ({ headers }),
    customFetch: noting,
  });
  const called: Called[] = [];
  for (const [name, resource] of Object.entries(api)) {
    if (typeof resource !== 'object' || resource === null || !/^[a-z]/.test(name)) continue;
    for (const [method, call] of Object.entries(resource)) {
      if (typeof call !== 'function') continue;
      const names = /^\(?([^)]*?)\)?\s*=>/.exec(call.toString().replaceAll('= {}', ''))?.[1] ?? '';
      const given = names.split(',').map((one) => argumentFor(one));
      await Promise.resolve(call(...given)).catch(() => {});
      const last = noted.pop();
      if (last !== undefined) called.push({ method: `${name}.${method}()`, ...last });
    }
  }
  return called;
}

/** Bodies and queries are empty; every other argument is part of an address. */
function argumentFor(name: string): unknown {
  if (/data|query|params|\{/.test(name)) return {};
  return /provider/.test(name) ? '11labs' : ABSENT;
}

const table = (called: readonly Called[]): string =>
  [
    '| Method | Request | Answer |',
    '|---|---|---|',
    ...called.map(({ method, request, answer }) => `| \`${method}\` | \`${request}\` | ${answer} |`),
  ].join('\n');

test('every method of the published clients is answered: offered, or refused with a sentence', async () => {
  const modules = path.join(import.meta.dirname, '..', '..', 'node_modules');
  const sdk = await callServerSdk();
  const old = await callWebClient(path.join(modules, 'vapi-web-2.1.5', 'dist', 'api.js'));
  const current = await callWebClient(path.join(modules, '@vapi-ai', 'web', 'dist', 'api.js'));
  expect([sdk.length > 90, old.length > 50, current.length > 100]).toEqual([true, true, true]);
  const all = [...sdk, ...old, ...current];
  const unknown = all.filter(({ answer }) => /no_such_call|^(5(?!01)|401|403)/.test(answer));
  expect(unknown).toEqual([]);
  const page = `# Calls of the voice clients

\`tests/conformance/voice-calls.test.ts\` writes this page. It calls every method of the published clients with as little input
as possible, and records the answer:

- 200 or 201: this input is enough.
- 400: a required field is missing.
- 404 \`not_found\`: the server knows the address, but there is no such resource.
- 501 \`not_offered\`: the method is not offered here. A sentence says what there is instead.

No method ends at an address that the server does not know. \`npx vitest run tests/conformance/voice-calls -u\` writes the page
again. The tests of \`src/voice\` follow the resources from their creation to their deletion.

## \`@vapi-ai/server-sdk\` 2.0.1

${table(sdk)}

## The REST client inside \`@vapi-ai/web\` 2.1.5

${table(old)}

## The REST client inside \`@vapi-ai/web\` 2.7.1

${table(current)}
`;
  await expect(page).toMatchFileSnapshot('../../docs/voice-calls.md');
});
