import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { CHECKOUT } from '../support/servers/product-process.ts';
import { dataFolder, keysOf, startProduct as start } from '../support/servers/product-start.ts';

test('the first start makes the data folder and its keys and prints its path; the second finds them and installs and builds nothing', async () => {
  const data = dataFolder();
  const first = start(data, { BRAND: 'Acme' });
  const url = await first.url;
  expect(first.output()).toMatch(new RegExp(`^Acme is at ${url} \\(started in \\d+\\.\\d s\\)$`, 'm'));
  const states = await Promise.all(['/livez', '/readyz'].map(async (at) => (await fetch(url + at)).status));
  expect(states).toEqual([200, 200]);
  const keysFile = path.join(data, 'keys.json');
  expect(statSync(keysFile).mode & 0o777).toBe(0o600);
  const keys = readFileSync(keysFile, 'utf8');
  // SIGTERM to npm drains the product, and stops the database too.
  expect(await first.stop()).toMatchObject({ code: 0 });
  await expect(fetch(`${url}/livez`)).rejects.toThrow();
  expect(existsSync(path.join(data, 'postgres', 'data', 'postmaster.pid'))).toBe(false);

  const built = statSync(path.join(CHECKOUT, 'dist')).mtimeMs;
  const second = start(data);
  await second.url;
  expect(second.output()).not.toMatch(/Installing|Building|built/);
  expect(statSync(path.join(CHECKOUT, 'dist')).mtimeMs).toBe(built);
  expect(readFileSync(keysFile, 'utf8')).toBe(keys);
});

test('a promise that fails while nobody waits for it is logged and ends nothing', async () => {
  // Runs inside the product's process, from the moment when it listens for such failures.
  const stray = `const timer = setInterval(() => {
    if (!/start.[jt]s$/.test(process.argv[1]) || process.listenerCount('unhandledRejection') === 0) return;
    clearInterval(timer);
    Promise.reject(new Error('a stray promise'));
  }, 50).unref();`;
  const product = start(dataFolder(), {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stray)}`,
  });
  const url = await product.url;
  await expect.poll(() => product.output()).toMatch(/"message":"a stray promise".*without a handler/);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect(await product.stop()).toMatchObject({ code: 0 });
});

test('after kill -9 a start adopts the running database and has all data', async () => {
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

async function sendEnquiry(url: string, data: string): Promise<string> {
  const answer = await fetch(`${url}/functions/v1/enquiry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: keysOf(data).anon_key },
    body: JSON.stringify({ name: 'Kay', email: 'kay@example.com', enquiry_type: 'App Builder' }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()).id;
}

/** Asks the database itself, without the product. */
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
