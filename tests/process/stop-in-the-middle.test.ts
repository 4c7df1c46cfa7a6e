import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { dataFolder, keysOf, startProduct as start } from '../support/servers/product-start.ts';

/** npm, Node and a build may run before the product itself. */
const START_PATIENCE_MS = 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
const OLD_NODE = '/usr/bin/node';

test.skipIf(!existsSync(OLD_NODE))(
  "SIGTERM to the machine's own Node and its child drains, stops the database and ends with 0",
  async () => {
    const data = dataFolder();
    const product = start(data, {}, [OLD_NODE, 'scripts/run.cjs', '--with-site', 'dist/server/start.js']);
    const url = await product.url;
    product.signal('SIGTERM', 'group');
    const { code } = await product.ended;
    expect(code).toBe(0);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    expect(existsSync(path.join(data, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
  },
);

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
  // The operator's guide gives it this long before it is killed.
  expect(ms).toBeLessThan(15_000 * Number(process.env.TEST_PATIENCE ?? 1));
  expect(existsSync(pidFile)).toBe(false);
  // Its file disappears a moment before the process does.
  await expect.poll(() => isRunning(postmaster)).toBe(false);
});

test('SIGTERM while it starts ends it and its database too', async () => {
  const data = dataFolder();
  const product = start(data);
  // Its database is being created, so the start is half done.
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

/** A request whose body arrives byte by byte and never ends by itself. */
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

/**
 * False also for a process that has ended and waits for its parent to collect it, which may take long in a
 * container.
 */
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/stat`;
  if (existsSync('/proc/self/stat')) return existsSync(status) && !/\) Z /.test(readFileSync(status, 'utf8'));
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
