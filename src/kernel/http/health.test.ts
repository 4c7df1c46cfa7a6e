import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startS3Server } from '../../../tests/support/servers/s3-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { diskSpace } from './health.ts';
import { ownOrigin } from './own-origin.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('a started process is alive and ready, at the address that it names', async () => {
  const answers = await Promise.all(['/livez', '/readyz'].map((path) => fetch(app.url + path)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  expect(await answers[1]?.json()).toEqual({ status: 'ready', files: 'available' });
  expect(new URL(app.url).port).not.toBe('0');
});

test('a disk without the required space is alive but not ready', async () => {
  const full = await startTestApp({ settings: { DISK_MIN_FREE_MB: '1000000' }, beside: app });
  const [alive, ready] = await Promise.all(['/livez', '/readyz'].map((path) => fetch(full.url + path)));
  expect([alive?.status, ready?.status]).toEqual([200, 503]);
  expect(await ready?.json()).toMatchObject({ status: 'disk full' });
  await full.close();
});

test('an unavailable file store does not change readiness, and is reported', async () => {
  const server = await startS3Server();
  const other = await startTestApp({ settings: { STORAGE_URL: server.storageUrl } });
  await server.close();
  const reply = await fetch(`${other.url}/readyz`);
  expect([reply.status, await reply.json()]).toEqual([200, { status: 'ready', files: 'unavailable' }]);
  await other.close();
});

test('each test app has its own database and its own keys', async () => {
  const other = await startTestApp();
  try {
    expect(other.anonKey).not.toBe(app.anonKey);
    const names = await Promise.all(
      [app, other].map(({ resources }) => resources.database.one('select current_database() as name')),
    );
    expect(new Set(names.map(({ name }) => name)).size).toBe(2);
  } finally {
    await other.close();
  }
});

test('the space of a missing folder is unknown', async () => {
  expect(await diskSpace('/nowhere/at/all')).toBeUndefined();
  const space = await diskSpace('/');
  expect(space?.free).toBeLessThanOrEqual(space?.size ?? 0);
});

test('the own address waits until the server listens; a server without a port has no address', async () => {
  const server = http.createServer();
  const asked = ownOrigin({ server: { server } } as never);
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  expect(await asked).toBe(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const silent = http.createServer();
  const file = path.join(os.tmpdir(), `northline-${randomUUID()}.socket`);
  silent.listen(file);
  onTestFinished(() => void silent.close());
  await expect(ownOrigin({ server: { server: silent } } as never)).rejects.toThrow(
    'does not listen on a port',
  );
});
