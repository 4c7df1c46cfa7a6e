import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createCustomer,
  storedFiles,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { type S3Server, startS3Server } from '../../../tests/support/servers/s3-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { manageStorage } from '../../cli/storage-command.ts';
import { removeLeftovers } from './storage-sweep.server.ts';

const FILES = 5;

let s3: S3Server;
let app: TestApp;
let anna: UploadingCustomer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-copy-'));
  s3 = await startS3Server();
  app = await startTestApp({ settings: { STORAGE_URL: '' } });
  anna = await createCustomer(app, 20);
  for (let count = 0; count < FILES; count += 1) await anna.upload(`${count}.txt`, `file ${count}`);
});
afterAll(async () => {
  await app?.close();
  await s3?.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(...words: string[]) {
  return manageStorage(app.resources.database, app.resources.settings, words, () => {});
}

/** A second process of the installation whose setting names the bucket. */
async function onS3<T>(work: (switched: TestApp) => Promise<T>): Promise<T> {
  const switched = await startTestApp({ beside: app, settings: { STORAGE_URL: s3.storageUrl } });
  try {
    return await work(switched);
  } finally {
    await switched.close();
  }
}

async function read(from: TestApp, name: string): Promise<string> {
  const reply = await fetch(`${from.url}/storage/v1/object/user-uploads/${anna.path(name)}`, {
    headers: { authorization: `Bearer ${anna.token}` },
  });
  return reply.text();
}

test('a start with another bucket, or another folder of it, is refused in one sentence and stores no file there', async () => {
  const elsewhere = s3.storageUrl.replace(/kept\b/, 'elsewhere');
  expect(elsewhere).not.toBe(s3.storageUrl);
  for (const STORAGE_URL of [s3.storageUrl, elsewhere])
    await expect(startTestApp({ beside: app, settings: { STORAGE_URL } })).rejects.toThrow(
      "The store of files is not the one that holds this database's files: set STORAGE_URL (or DATA_DIR) back, or copy the files to it first with npm run northline -- storage copy FROM TO.",
    );
  expect(s3.keys().filter((key) => !key.endsWith('/store-id'))).toEqual([]);
  expect(await read(app, '3.txt')).toBe('file 3');
});

test('a copy to S3 is complete, may be repeated, and serves after the switch', async () => {
  expect(await run('verify')).toMatchObject({ exitCode: 0 });
  expect(await run('verify', s3.storageUrl)).toMatchObject({ exitCode: 1 });
  const first = await run('copy', 'disk', s3.storageUrl);
  expect(first).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining(`${FILES} objects, 0.0 MB: 5 copied`),
  });
  await anna.upload('later.txt', 'came while it was copied');
  const second = await run('copy', 'disk', s3.storageUrl);
  expect(second.text).toContain('1 copied, 5 were there, 0 were there but wrong');
  await onS3(async (switched) => {
    expect(await read(switched, '3.txt')).toBe('file 3');
    expect(await read(switched, 'later.txt')).toBe('came while it was copied');
    const { objects } = switched.resources;
    const received = await objects.receive(crypto.randomUUID(), toPieces('nobody’s'), { inspect() {} });
    await objects.keep(received);
    await removeLeftovers(switched.resources);
    expect((await storedFiles(switched, 'kept')).length).toBe(FILES + 1);
  });
});

test('damaged or lost bytes are found and written again', async () => {
  const [first = '', second = ''] = s3.keys().filter((key) => key.startsWith('kept/objects/'));
  s3.damage(first, Buffer.from('other bytes'));
  const verified = await run('verify', s3.storageUrl);
  expect(verified.exitCode).toBe(1);
  expect(verified.text).toMatch(
    /user-uploads\/.*\.txt: its bytes are damaged\n6 objects.*5 are right, 1 failed/,
  );
  s3.mishap((line) => line.startsWith('PUT') && !line.includes(second), 'cut after');
  expect(await run('copy', 'configured', s3.storageUrl)).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining('0 copied, 5 were there, 1 were there but wrong'),
  });
  expect(await run('verify', s3.storageUrl)).toMatchObject({ exitCode: 0 });
});

test('a copy back to a folder is as complete, and a missing source is reported', async () => {
  const back = pathToFileURL(path.join(folder, 'objects')).href;
  expect(await run('copy', s3.storageUrl, back)).toMatchObject({ exitCode: 0 });
  expect(await run('verify', back)).toMatchObject({ exitCode: 0 });
  const [, version] = /([^/]+)$/.exec(s3.keys().find((key) => key.startsWith('kept/objects/')) ?? '') ?? [];
  await app.resources.objects.remove(version ?? '');
  const elsewhere = pathToFileURL(path.join(folder, 'elsewhere')).href;
  const incomplete = await run('copy', 'disk', elsewhere);
  expect(incomplete).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining('missing where they are copied'),
  });
});

test('stores with an invalid address, and copies onto the same store, are refused', async () => {
  await expect(run('copy', 'disk', 'configured')).rejects.toThrow('FROM and TO are the same store.');
  await expect(run('copy', 'disk', 'https://x')).rejects.toThrow('must start with s3:// or file:///');
  await expect(run('move', 'disk', 'disk')).rejects.toThrow('Say copy FROM TO or verify [STORE].');
  await expect(run('copy', 'disk', 's3://k:s@127.0.0.1:1/bucket?tls=off')).rejects.toThrow('does not answer');
});

async function* toPieces(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
