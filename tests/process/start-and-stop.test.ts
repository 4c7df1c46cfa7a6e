import { existsSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CHECKOUT, type Product, runProduct, temporaryFolder } from '../support/servers/product-process.ts';

/** npm, Node and a build may come before the product itself. */
const START_PATIENCE_MS = 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
const OLD_NODE = '/usr/bin/node';

/** A data folder, and a product on it that is stopped when the test is over. */
function dataFolder(name = 'process'): string {
  const folder = temporaryFolder(name);
  onTestFinished(() => folder[Symbol.dispose]());
  return path.join(folder.path, 'data');
}

function start(
  data: string,
  settings: Record<string, string> = {},
  command?: [string, ...string[]],
): Product {
  const product = runProduct({
    settings: { DATA_DIR: data, ...settings },
    ...(command === undefined ? {} : { command }),
  });
  onTestFinished(async () => {
    try {
      product.signal('SIGTERM', 'group');
    } catch {
      // It has ended already.
    }
    await product.ended;
  });
  return product;
}

test('the first start makes the data folder and its keys, the second finds them and installs and builds nothing', async () => {
  const data = dataFolder();
  const first = start(data);
  const url = await first.url;
  const states = await Promise.all(['/livez', '/readyz'].map(async (at) => (await fetch(url + at)).status));
  expect(states).toEqual([200, 200]);
  const keysFile = path.join(data, 'keys.json');
  expect(statSync(keysFile).mode & 0o777).toBe(0o600);
  const keys = readFileSync(keysFile, 'utf8');
  expect(await first.stop()).toMatchObject({ code: 0 });

  const built = statSync(path.join(CHECKOUT, 'dist')).mtimeMs;
  const second = start(data);
  await second.url;
  expect(second.output()).not.toMatch(/Installing|Building|built/);
  expect(statSync(path.join(CHECKOUT, 'dist')).mtimeMs).toBe(built);
  expect(readFileSync(keysFile, 'utf8')).toBe(keys);
});

test('its one line names the address and the time that the start took', async () => {
  const product = start(dataFolder(), { BRAND: 'Acme' });
  const url = await product.url;
  expect(product.output()).toMatch(new RegExp(`^Acme is at ${url} \\(started in \\d+\\.\\d s\\)$`, 'm'));
});

test.each([
  { by: 'npm', command: ['npm', 'start'], to: 'command' },
  {
    by: "the machine's own Node and its child",
    command: [OLD_NODE, 'scripts/run.cjs', '--with-site', 'dist/server/start.js'],
    to: 'group',
  },
] as const)('SIGTERM to $by drains, stops the database and ends with 0', async ({ command, to }) => {
  if (!existsSync(OLD_NODE) && command[0] === OLD_NODE) return;
  const data = dataFolder();
  const product = start(data, {}, [...command]);
  const url = await product.url;
  product.signal('SIGTERM', to);
  const { code } = await product.ended;
  expect(code).toBe(0);
  await expect(fetch(`${url}/livez`)).rejects.toThrow();
  expect(existsSync(path.join(data, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
});

test('SIGTERM under load ends it and its database within its limit', async () => {
  const data = dataFolder();
  const product = start(data, { RATE_LIMITS: 'off' });
  const url = await product.url;
  const pidFile = path.join(data, 'postgres', 'data', 'postmaster.pid');
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const slow = dripRequest(url);
  await slow.begun;
  const credentials = { email: 'kay@example.com', password: 'wrong' };
  const loads = Array.from({ length: 6 }, async () => {
    for (let ended = false; !ended; ) {
      ended = await fetch(`${url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', apikey: keysOf(data).anon_key },
        body: JSON.stringify(credentials),
      }).then(
        () => false,
        () => true,
      );
    }
  });
  const { code, ms } = await product.stop();
  slow.end();
  await Promise.all(loads);
  expect(code).toBe(0);
  // What the operator's guide gives it before it is killed.
  expect(ms).toBeLessThan(15_000);
  expect(existsSync(pidFile)).toBe(false);
  // Its file goes a moment before the process does.
  await expect.poll(() => isRunning(postmaster)).toBe(false);
});

test('SIGTERM while it starts ends it and its database too', async () => {
  const data = dataFolder();
  const product = start(data);
  // Its database is being made, so the start is half done.
  await vi.waitUntil(() => existsSync(path.join(data, 'postgres')), { timeout: START_PATIENCE_MS });
  product.signal('SIGTERM', 'command');
  await product.ended;
  expect(existsSync(path.join(data, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
});

test.skipIf(!existsSync(OLD_NODE))(
  'when only the process that was typed is killed, the server notices and stops',
  async () => {
    const product = start(dataFolder(), {}, [
      OLD_NODE,
      'scripts/run.cjs',
      '--with-site',
      'dist/server/start.js',
    ]);
    const url = await product.url;
    product.signal('SIGKILL', 'command');
    // Its output closes when the last of its processes has ended.
    await product.ended;
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  },
);

test('after kill -9 a start adopts the running database and has everything', async () => {
  const data = dataFolder();
  const first = start(data);
  const before = await (await fetch(`${await first.url}/config.json`)).text();
  const pidFile = path.join(data, 'postgres', 'data', 'postmaster.pid');
  const postmaster = readFileSync(pidFile, 'utf8').split('\n')[0];
  const sent = await sendEnquiry(await first.url, data);
  first.signal('SIGKILL', 'group');
  await first.ended;

  const second = start(data);
  const url = await second.url;
  expect(readFileSync(pidFile, 'utf8').split('\n')[0]).toBe(postmaster);
  expect(await storedEnquiries(data)).toEqual([sent]);
  const after = await (await fetch(`${url}/config.json`)).text();
  expect(after.replaceAll(url, '')).toBe(before.replaceAll(await first.url, ''));
});

const keysOf = (data: string) => JSON.parse(readFileSync(path.join(data, 'keys.json'), 'utf8'));

async function sendEnquiry(url: string, data: string): Promise<string> {
  const answer = await fetch(`${url}/functions/v1/enquiry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: keysOf(data).anon_key },
    body: JSON.stringify({ name: 'Kay', email: 'kay@example.com', enquiry_type: 'App Builder' }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()).id;
}

/** Asked of the database itself, past the product. */
async function storedEnquiries(data: string): Promise<string[]> {
  const { derivedSecret } = await import('../../src/kernel/resources/crypto/secrets.ts');
  const client = new pg.Client({
    host: path.join(data, 'postgres', 'socket'),
    user: 'northline',
    database: 'northline',
    password: derivedSecret(keysOf(data), 'postgres').toString('base64url'),
  });
  await client.connect();
  try {
    return (await client.query('select id from public.enquiries')).rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

/** A request whose body comes byte by byte and never ends by itself. */
function dripRequest(url: string): { begun: Promise<void>; end(): void } {
  const request = http.request(`${url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 1_000_000, expect: '100-continue' },
  });
  request.on('error', () => {});
  const begun = new Promise<void>((resolve) => request.once('continue', () => resolve()));
  request.flushHeaders();
  const drip = setInterval(() => request.write(' '), 100);
  return {
    begun,
    end() {
      clearInterval(drip);
      request.destroy();
    },
  };
}

/** Not for one that has ended and waits for its parent to collect it: in a container that may take long. */
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/stat`;
  if (existsSync('/proc/self/stat')) return existsSync(status) && !/\) Z /.test(readFileSync(status, 'utf8'));
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
